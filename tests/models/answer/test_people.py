"""What is asked about somebody as such: who asks, and what is held of them."""

from collections.abc import Iterator

import pytest

import mags
from mags.memory.memory import Memory
from mags.models.answer.extractive import without_future
from mags.models.answer.topics import about_whom, asks_own_name
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn
from mags.settings import PolicySettings, Settings

LEFT_OPEN = ("I don't know.", "I am not sure.")

SAID = (
    "I'm Dana.",
    "I live in Oslo.",
    "My sister Ana lives in Rome.",
    "I work at Lumen.",
    "I moved to Bergen.",
)


def heard(said: tuple[str, ...], speaker: str = "Dana") -> Memory:
    memory = mags.open(None, settings=Settings(policy=PolicySettings(kind="rules")))
    for day, text in enumerate(said, start=1):
        memory.observe(text, speaker=speaker, at=f"2025-03-0{day}")
    return memory


@pytest.mark.parametrize(
    "question", ["What is my name?", "What\u2019s my name?", "Who am I?", "Do you know my name?"]
)
def test_who_asks_is_told_their_name_by_what_they_said(question):
    with heard(SAID) as memory:
        told = memory.ask(question, speaker="Dana")
        assert told.text.startswith("Dana \N{EM DASH} \N{LEFT DOUBLE QUOTATION MARK}I'm Dana.")
        assert len(told.citations) == 1


def test_who_never_said_their_name_is_called_as_they_speak_and_a_role_is_no_name():
    with heard(("I live in Oslo.",)) as memory:
        assert memory.ask("What is my name?", speaker="Dana").text.startswith("Dana ")
        assert memory.ask("What is my name?").text.startswith(LEFT_OPEN)
    with heard(("I live in Oslo.",), speaker="user") as memory:
        assert memory.ask("What is my name?").text.startswith(LEFT_OPEN)


def test_the_name_that_was_said_comes_before_the_one_they_speak_under():
    with heard(("My name is Danielle.",), speaker="user") as memory:
        assert memory.ask("What is my name?").text.startswith("Danielle ")


@pytest.mark.parametrize(
    "question",
    ["What do you know about me?", "What do you know about Dana?", "Tell me about Dana."],
)
def test_a_profile_tells_and_cites_what_holds_now(question):
    with heard(SAID) as memory:
        told = memory.ask(question, speaker="Dana")
        assert {c.text for c in told.citations} == {
            "Dana's sister is Ana.",
            "Dana works at Lumen.",
            "Dana moved to Bergen.",
        }
        assert all(f"{c.text} [m{c.id}]" in told.text for c in told.citations)


def test_of_whom_nothing_is_held_nothing_is_told():
    with heard(SAID) as memory:
        assert memory.ask("What do you know about Zoe?", speaker="Dana").text.startswith(LEFT_OPEN)
        assert memory.ask("What do you know about me?", speaker="Zoe").text.startswith(LEFT_OPEN)


@pytest.mark.parametrize(
    "question",
    [
        "tell me everything you know about my brother",
        "What do you know about Ole?",
        "What's up with my brother?",
    ],
)
def test_of_a_relative_all_is_told_that_is_held_under_their_name(question):
    said = "My brother Ole lives in Skien.", "Ole works as a vet.", "Ole is allergic to nuts."
    with heard(said) as memory:
        told = {one.text for one in memory.ask(question, speaker="Dana").citations}
        assert told == {"Ole lives in Skien.", "Ole works as a vet.", "Ole is allergic to nuts."}


@pytest.mark.parametrize(
    "text",
    [
        "What is my name for the boat?",
        "What is my cat's name?",
        "What did you tell me about the trip to Rome?",
        "Who am I seeing on Friday?",
    ],
)
def test_what_only_looks_like_it_is_left_to_the_other_rules(text):
    assert not asks_own_name(text)
    assert about_whom(Turn(text=text, speaker="Dana")) == ""


def test_a_job_to_come_does_not_answer_beside_the_one_that_is():
    lumen = ContextItem(id=1, text="", fact=("Dana", "works at", "Lumen"), valid_from=1.0)
    to_come = ContextItem(id=2, text="", fact=("Dana", "works at", "Brightwater"), valid_from=9.0)
    alone = ContextItem(id=3, text="", fact=("Dana", "lives in", "Rome"), valid_from=9.0)
    assert without_future([lumen, to_come, alone], 5.0) == [lumen, alone]
    assert without_future([lumen, to_come, alone], 10.0) == [lumen, to_come, alone]


def test_a_job_to_come_is_told_where_that_is_asked_for():
    with heard(()) as memory:
        memory.observe("I work at Lumen.", speaker="Dana", at="2125-03-09")
        memory.observe("I start at Brightwater on 1 May.", speaker="Dana", at="2125-03-10")
        assert memory.ask("Where do I work?", speaker="Dana").text.startswith("Lumen ")
        assert "1 May" in memory.ask("When do I start at Brightwater?", speaker="Dana").text


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
    assert memory.ask(question, speaker="Dana").text.startswith(LEFT_OPEN)
