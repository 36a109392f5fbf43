"""A question in the first person is answered from what is told of who asks, and of nobody else."""

from __future__ import annotations

import pytest

import mags
from mags.settings import Settings

LEFT_OPEN = ("I don't know.", "I am not sure.")
OTHERS = (
    ("Ana", "I live in Porto."),
    ("Ben", "My sister moved to Leeds."),
    ("Tom", "My dog is called Rex."),
    ("Tom", "My job is teaching maths."),
    ("Dora", "My sister lives in Leeds."),
    ("Dora", "Tom told me he lives in Graz."),
    ("Dora", "My brother's new place in Turin is lovely, he lives right by the river."),
    ("Dora", "Tom said: I live in Graz."),
    ("Dora", 'Guess what, my cousin wrote: "I work at Fiat now." Lucky her.'),
    ("Dora", "My father works at Fiat in Turin."),
    ("Dora", "The dog of Ana sleeps in the barn."),
    ("Dora", "Tom's dog Rex sleeps in the kitchen."),
    ("Dora", "My cousin drives a green van and works in Bonn."),
)
ASKED = (
    "Where do I live?",
    "Which city do I live in?",
    "Where is my home?",
    "Where do I work?",
    "What is my job?",
    "What do I do for a living?",
    "What's my dog called?",
    "Where does my dog sleep?",
)


def asked(talk, question: str, who: str = "Dora") -> str:
    with mags.open(None, settings=Settings()) as memory:
        for day, (speaker, text) in enumerate(talk):
            memory.observe(text, speaker=speaker, at=1.7e9 + day * 86_400.0)
        return memory.ask(question, speaker=who).text


@pytest.mark.parametrize("told", OTHERS)
def test_nothing_that_is_told_of_somebody_else_alone_answers(told):
    with mags.open(None, settings=Settings()) as memory:
        memory.observe(told[1], speaker=told[0], at=1.7e9)
        said = {question: memory.ask(question, speaker="Dora").text for question in ASKED}
    assert all(text.startswith(LEFT_OPEN) for text in said.values())


@pytest.mark.parametrize("question", ASKED)
def test_nothing_that_is_told_of_all_the_others_answers(question):
    assert asked(OTHERS, question).startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("I live in Ghent.", "Where do I live?", "Ghent"),
        ("I work as a plumber.", "What is my job?", "plumber"),
        ("My dog is called Bruno.", "What's my dog called?", "Bruno"),
        ("My dog sleeps under the stairs.", "Where does my dog sleep?", "under the stairs"),
        ("My sister is in Leeds but I still live in Ghent.", "Where do I live?", "Ghent"),
    ],
)
def test_what_who_asks_has_told_answers_among_what_is_told_of_others(told, question, answer):
    assert answer in asked((*OTHERS[:6], ("Dora", told), *OTHERS[6:]), question)


def test_what_others_tell_of_who_asks_by_name_answers():
    talk = (*OTHERS, ("Ana", "Dora lives in Ghent."))
    assert asked(talk, "Where do I live?").startswith("Ghent")


def test_what_somebody_tells_of_themself_answers_nobody_else():
    talk = (("Ana", "I live in Porto."), ("Dora", "I live in Ghent."))
    assert asked(talk, "Where do I live?", "Ana").startswith("Porto")
    assert asked(talk, "Where do I live?", "Dora").startswith("Ghent")
    assert asked(talk, "Where do I live?", "Carla").startswith(LEFT_OPEN)
