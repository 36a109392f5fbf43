"""Who was there before another, and other answers of everyday talk, out of real memories."""

from collections.abc import Iterator

import pytest

import mags
from mags.memory.memory import Memory

TALK = (
    "My manager is Denise.",
    "My new manager is called Priya.",
    "My trainer is Kayleigh.",
    "My new trainer is called Dan.",
    "Sem likes pancakes.",
    "Sem likes dinosaurs.",
    "I live with my sister Paula.",
    "I'm on holiday from 7 April to 11 April.",
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with mags.open(None) as opened:
        for i, line in enumerate(TALK):
            opened.observe(line, speaker="Dana", at=f"2025-03-{i + 1:02}T10:00:00+00:00")
        yield opened


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Who was my manager before Priya?", "Denise", "Priya"),
        ("Who was my trainer before Dan?", "Kayleigh", "Dan"),
        ("What does Sem like to eat?", "pancakes", "dinosaurs"),
        ("Who do I live with?", "Paula", "Sem"),
        ("When am I on holiday?", "7 April", "Sem"),
    ],
)
def test_one_is_told_and_not_the_other(
    memory: Memory, question: str, answer: str, other: str
) -> None:
    said = memory.ask(question, speaker="Dana").text.partition("\N{EM DASH}")[0]
    assert answer in said
    assert other not in said


@pytest.mark.parametrize(
    "question", ["Who was my trainer before Zork?", "Who was my dentist before Dan?"]
)
def test_before_whom_nobody_knows_there_was_nobody_known(memory: Memory, question: str) -> None:
    assert memory.ask(question, speaker="Dana").text == "I don't know."
