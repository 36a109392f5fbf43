"""Turns as they are typed to a companion: small letters, no articles, pronouns."""

import pytest

from mags.models.policy.rules.fitting import is_supported
from mags.ports.policy import Act, Operation, Turn
from tests.models.policy.reading import facts


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Saskia is allergic to nuts.", ("Saskia", "is allergic to", "nuts")),
        ("Anja is the CEO", ("Anja", "works as", "CEO")),
    ],
)
def test_what_is_said_in_passing_is_read(text: str, told: tuple[str, str, str]) -> None:
    assert [one[1:] for one in facts(text)] == [told]


@pytest.mark.parametrize(
    "text", ["Life is good", "Mark is 5 minutes late", "we're a small startup"]
)
def test_what_is_of_nobody_in_particular_is_left(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    ("said", "subject", "relation", "object", "kept"),
    [
        ("now it's Wednesdays", "Alice", "lives in", "Wednesdays", False),
        ("Oslo now", "Alice", "lives in", "Oslo", True),
        ("goal is 75", "Alice", "age", "75", False),
        ("I'm 52", "Alice", "age", "52", True),
        ("Max is 7.", "Max", "age", "7", True),
        ("My son Max, 7, has started judo", "Max", "age", "7", True),
        ("My daughter is six", "Alice's daughter", "age", "six", True),
        ("She starts on 1 April", "Saskia", "birthday", "1 April", False),
        ("79 this morning", "Bethan", "weighs", "79", False),
        ("79 this morning", "", "weighs", "79", True),
        ("His name is Bruno.", "Alice", "is called", "Bruno", False),
        ("she's called Nell", "Alice", "is called", "Nell", False),
        ("My name is Alice, her name is Nell", "Alice", "is called", "Alice", True),
        ("They call me Bruno", "Alice", "is called", "Bruno", True),
        ("My dentist in Hull is strict.", "Alice", "lives in", "Hull", False),
        ("My flat in Hull is cold.", "Alice", "lives in", "Hull", True),
        ("My sister and I live in Hull.", "Alice", "lives in", "Hull", True),
    ],
)
def test_what_the_reader_reads_is_of_its_type_and_of_somebody_spoken_of(
    said: str, subject: str, relation: str, object: str, kept: bool
) -> None:
    told = Operation(
        act=Act.ADD, subject=subject, relation=relation, object=object, subject_is_name=True
    )
    assert is_supported(told, Turn(text=said, speaker="Alice", at=1.7e9)) is kept


def test_a_bare_answer_is_of_whom_and_of_what_was_asked() -> None:
    told = Operation(
        act=Act.ADD, subject="Woumhaik", relation="age", object="89", subject_is_name=True
    )
    asked = Turn(text="How old is Woumhaik now?", speaker="Bob", at=1.7e9 - 60.0)
    reply = Turn(text="89.", speaker="Alice", at=1.7e9)
    assert is_supported(told, reply, [asked])
    assert not is_supported(told, reply)
