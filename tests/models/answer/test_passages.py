"""Long turns are read for an answer in parts, so that nothing of them is left out."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer import spans
from mags.models.answer.question import read_question
from mags.models.answer.spans import MOST_GIVEN, MOST_PASSAGES, OF_EACH, left_out, packed
from mags.models.policy.reader.reading import AnswerSpan
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn

SENTENCES = st.text("ab ", min_size=1, max_size=90).map(lambda words: f"A{words.strip()}.")
TEXTS = st.lists(st.lists(SENTENCES, min_size=1, max_size=14).map(" ".join), min_size=1, max_size=6)
ASKED = read_question(Turn(text="Where is the ab?", speaker="Ana"))


@given(TEXTS)
def test_what_is_given_and_what_is_left_out_are_all_of_every_text_once(texts: list[str]) -> None:
    first = [(place, *part) for place, part in enumerate(spans.given(ASKED, texts))]
    pieces = sorted([*first, *left_out(texts, first)])
    for place, text in enumerate(texts):
        own = [(start, end) for n, start, end in pieces if n == place]
        assert own[0][0] == 0
        assert own[-1][1] == len(text)
        assert all(end == start for (_, end), (start, _) in pairwise(own))
        assert all(end - start <= OF_EACH[0] for start, end in own)


@given(TEXTS)
def test_passages_hold_the_pieces_in_order_and_no_more_than_is_read_at_once(
    texts: list[str],
) -> None:
    pieces = list(left_out(texts, [(place, 0, 0) for place in range(len(texts))]))
    passages = list(packed(pieces))
    held = [piece for some in passages for piece in some]
    assert held == pieces[: len(held)]
    assert len(passages) < MOST_PASSAGES
    assert all(sum(end - start for _, start, end in some) <= MOST_GIVEN for some in passages)
    assert held == pieces or len(passages) == MOST_PASSAGES - 1


def test_the_answer_at_the_end_of_a_long_turn_is_found() -> None:
    said = f"{'We talked about the budget and the roof. ' * 20}The key is under the blue pot."

    def reader(question: Turn, turns: Sequence[Turn]) -> list[AnswerSpan | None]:
        found: list[AnswerSpan | None] = []
        for one in turns:
            start = one.text.find("blue pot")
            likely = 0.9 if start >= 0 else 0.1
            start = max(start, 0)
            found.append(AnswerSpan(start=start, end=start + 8, sure=likely, shown=likely))
        return found

    asked = Turn(text="Where did we put the thing for the budget?", speaker="Ana")
    item = ContextItem(id=1, text=said, speaker="Ana", score=1.0)
    (found,) = spans.candidates(asked, read_question(asked), [item], reader)
    assert found.head == "blue pot"
    assert found.quote.endswith("under the blue pot.")
