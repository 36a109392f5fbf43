"""What a policy reads of long turns: all of it, in lines that it can read."""

from hypothesis import given
from hypothesis import strategies as st

from mags.memory.inputs import LONGEST_SENTENCE, readable
from mags.ports.policy import Turn

PIECES = st.sampled_from(["word ", "a. ", "x", "why?", "\n", "我住在奥斯陆。", "Alice's "])


def lines(text: str) -> list[str]:
    return readable(Turn(text=text, speaker="Ana", at=0.0)).text.split("\n")


def test_a_turn_of_usual_sentences_is_read_as_it_is() -> None:
    text = "I live in Oslo. My sister Ana has a dog named Rex!\nHe barks? " * 200
    assert readable(Turn(text=text, speaker="Ana", at=0.0)).text == text


@given(st.lists(st.tuples(PIECES, st.integers(1, 1_500)), max_size=5))
def test_nothing_is_left_out_but_lines_are_begun(parts: list[tuple[str, int]]) -> None:
    text = "".join(piece * times for piece, times in parts)
    read = lines(text)
    assert "".join(read) == text.replace("\n", "")
    ended = text.replace("。", "。\n").replace(". ", ". \n")
    assert len(read) <= 1 + ended.count("\n") + 2 * len(text) // LONGEST_SENTENCE


def test_a_text_without_an_end_is_broken_at_spaces() -> None:
    read = lines("word " * 1_000)
    assert all(len(line) <= LONGEST_SENTENCE and line.endswith("word ") for line in read)
    assert max(len(line) for line in lines("x" * 10_000)) == LONGEST_SENTENCE
