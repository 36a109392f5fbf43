"""Questions that offer two answers, compare, or ask of somebody who is not named."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.answer.question import read_question
from mags.models.answer.topics import described
from mags.models.policy.reader.reading import AnswerSpan
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn


def asked(text: str) -> Turn:
    return Turn(text=text, speaker="Ana", at=1.75e9)


@pytest.mark.parametrize(
    ("text", "kind", "offered"),
    [
        ("Do I prefer tea or milk?", "", ["tea", "milk"]),
        ("Who is older, my cat or my dog?", "person", ["cat", "dog"]),
        ("Do I have any tea or milk?", "yesno", []),
        ("Is Tom coming or not?", "yesno", []),
        ("Which mornings or days do I row?", "thing", []),
    ],
)
def test_what_a_question_offers_is_no_yes_or_no(text: str, kind: str, offered: list[str]) -> None:
    read = read_question(asked(text))
    assert (read.kind, [sorted(one) for one in read.offered]) == (kind, [[o] for o in offered])


@pytest.mark.parametrize(
    ("text", "compares"),
    [
        ("Which is cheaper, the red pram or the grey one?", True),
        ("Which of my two courses begins earlier?", True),
        ("When did I move earlier?", False),
        ("Which of my friends moved last year?", False),
        ("Which one is mine, the red pram or the grey one?", False),
    ],
)
def test_a_question_compares_what_it_names_or_counts(text: str, compares: bool) -> None:
    assert read_question(asked(text)).compares is compares


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "What does the treasurer of my rugby club do for a living?",
            ("the treasurer of my rugby club", "Who is the treasurer of my rugby club?"),
        ),
        (
            "Where does the man who fixes my bike come from?",
            ("the man who fixes my bike", "Who fixes my bike?"),
        ),
        (
            "How old is the man who fixes my bike?",
            ("the man who fixes my bike", "Who fixes my bike?"),
        ),
        ("What is the name of my cat?", None),
        ("Where does Ana live?", None),
    ],
)
def test_who_is_told_by_what_they_do_is_asked_for(text: str, told: tuple[str, str] | None) -> None:
    assert described(asked(text)) == told


PIECES = st.sampled_from(
    ("the", "man", "who", "that", "of my", "does", "do", "will", "-plays", "'", "bike,", "A", "\n")
)


@example("What does the man who fixes my bike -plays")
@given(st.lists(PIECES, max_size=16).map(" ".join))
def test_whoever_is_described_is_described_in_the_question(text: str) -> None:
    told = described(asked(text))
    assert told is None or (told[0] in text and told[1].startswith("Who "))


SAID = {
    "My piano teacher is Mrs Halloran.": 1,
    "Mrs Halloran has a cat called Pickle.": 2,
    "The man who fixes my bike is my neighbour Lorcan.": 3,
    "Lorcan is from Belfast.": 4,
    "My son is eleven.": 5,
    "My nephew turned thirteen.": 6,
    "I have had seven of my lessons.": 7,
    "I pay my taxes to Mrs Bart now.": 8,
    "Mr Hudak takes my taxes.": 9,
    "The bridge is shut since 31 January.": 10,
}
ANSWERS = {
    "Mrs Halloran's cat": {2: "Pickle"},
    "piano teacher's cat": {1: "Mrs Halloran"},
    "Who fixes": {3: "my neighbour Lorcan"},
    "man who fixes": {3: "Lorcan"},
    "Lorcan come from": {4: "Belfast"},
    "older": {5: "My son"},
    "left": {7: "seven"},
    "ahead": {7: "seven"},
    "taxes": {8: "Mrs Bart", 9: "Mr Hudak"},
    "bridge": {10: "31 January"},
}
"""What the reader finds for a question that has some words: the words of a turn."""


def reads(question: Turn, turns: Sequence[Turn]) -> list[AnswerSpan]:
    told = next((words for part, words in ANSWERS.items() if part in question.text), {})
    found = []
    for turn in turns:
        words = told.get(SAID[turn.text], "")
        start = turn.text.find(words)
        likely = 0.95 if words else 0.01
        found.append(AnswerSpan(start=start, end=start + len(words), sure=likely, shown=likely))
    return found


TEACHER = ContextItem(
    id=11,
    text="Ana's piano teacher is Mrs Halloran.",
    speaker="Ana",
    fact=("Ana", "piano teacher", "Mrs Halloran"),
    score=0.5,
)


def answer(question: str, *ids: int, fact: ContextItem | None = None):
    items = [
        ContextItem(id=one, text=text, speaker="Ana", at=1.7e9 - 1e6 * one, score=1.0)
        for text, one in SAID.items()
        if one in ids
    ]
    items += [fact] if fact else []
    quoting = ExtractiveAnswerer(reader=reads)
    return quoting.answer(asked(question), items, recent=(), recall_again=lambda _: items)


def test_somebody_known_by_a_fact_is_asked_about_by_name() -> None:
    found = answer("What is the name of my piano teacher's cat?", 2, fact=TEACHER)
    assert found.text.startswith("Pickle \N{EM DASH} ")
    assert set(found.citations) == {2, 11}


def test_who_that_is_answers_nothing_else_and_is_asked_about_by_name() -> None:
    found = answer("Where does the man who fixes my bike come from?", 3, 4)
    assert found.text.startswith("Belfast \N{EM DASH} ")
    assert set(found.citations) == {3, 4}


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Who is older, my son or my nephew?", (5, 6)),
        ("How many lessons do I have left?", (7,)),
        ("By how many lessons am I ahead of Tom?", (7,)),
        ("Who took my taxes before?", (8, 9)),
    ],
)
def test_one_of_what_is_compared_the_rest_or_what_came_after_is_no_answer(
    question: str, ids: tuple[int, ...]
) -> None:
    found = answer(question, *ids)
    assert not found.text.startswith(("My son", "seven", "Mrs Bart"))
    assert set(ids) == set(found.citations) or found.text.startswith("Mr Hudak")


@pytest.mark.parametrize(
    ("question", "since"),
    [
        ("Since when is the bridge shut?", True),
        ("How long has the bridge been shut?", True),
        ("How long will the bridge be shut?", False),
        ("How long is the bridge?", False),
    ],
)
def test_when_something_began_is_not_how_long_it_takes(question: str, since: bool) -> None:
    assert answer(question, 10).text.startswith("since 31 January") is since
