"""Turns as they are typed to a companion: small letters, no articles, pronouns."""

import pytest

from mags.models.policy.heads.fitting import fits
from mags.models.policy.rules.casing import cased
from mags.ports.policy import Act, Operation, Turn
from tests.models.policy.reading import facts


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Saskia is allergic to nuts, keep that in mind.", ("Saskia", "is allergic to", "nuts")),
        ("Mike does frontend", ("Mike", "does", "frontend")),
        ("Anja is the CEO", ("Anja", "works as", "CEO")),
        ("the staging server is called heron", ("staging server", "is called", "heron")),
        ("Dr Okafor switched me to losartan", ("Alice", "takes", "losartan")),
    ],
)
def test_what_is_said_in_passing_is_read(text: str, told: tuple[str, str, str]) -> None:
    assert [one[1:] for one in facts(text)] == [told]


@pytest.mark.parametrize(
    "text", ["Life is good", "Mark is 5 minutes late", "we're a small startup"]
)
def test_what_is_of_nobody_in_particular_is_left(text: str) -> None:
    assert facts(text) == []


def test_a_post_tells_the_place_too() -> None:
    assert [one[1:] for one in facts("I'm the backend lead at Parcelly")] == [
        ("Alice", "works at", "Parcelly"),
        ("Alice", "works as", "backend lead"),
    ]


def test_what_is_held_has_a_day_and_a_place() -> None:
    assert [one[2] for one in facts("The demo is on 27 March in Berlin")] == [
        "is happening on",
        "is in",
    ]


def test_he_is_the_pet_that_was_just_named() -> None:
    told = facts("I walk the dog every morning, his name is Monty. He's a beagle.")
    assert ("ADD", "Monty", "is a", "beagle") in told


def test_she_is_who_was_just_brought_in() -> None:
    told = facts("My daughter Bethan is vegan. Bethan has a girlfriend, Sioned. She's from Bangor.")
    assert ("ADD", "Sioned", "is from", "Bangor") in told


def test_what_one_said_is_corrected_by_what_it_is() -> None:
    told = facts("wait, I said Bethan studies biology, it's actually chemistry")
    assert told == [("UPDATE", "Bethan", "studies", "chemistry")]


def test_known_names_in_small_letters_get_their_capitals_and_plain_words_do_not() -> None:
    names = ("Paula", "Mark", "Rose", "St Luke")
    assert cased("paula's cat saw mark; prices rose", names) == "Paula's cat saw mark; prices rose"
    assert cased("mail paula@home.org or #paula", names) == "mail paula@home.org or #paula"


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
    ],
)
def test_what_the_heads_read_is_of_its_type_and_of_somebody_spoken_of(
    said: str, subject: str, relation: str, object: str, kept: bool
) -> None:
    told = Operation(
        act=Act.ADD, subject=subject, relation=relation, object=object, subject_is_name=True
    )
    assert fits(told, Turn(text=said, speaker="Alice", at=1.7e9)) is kept


def test_a_bare_answer_is_of_whom_and_of_what_was_asked() -> None:
    told = Operation(
        act=Act.ADD, subject="Woumhaik", relation="age", object="89", subject_is_name=True
    )
    asked = Turn(text="How old is Woumhaik now?", speaker="Bob", at=1.7e9 - 60.0)
    reply = Turn(text="89.", speaker="Alice", at=1.7e9)
    assert fits(told, reply, [asked])
    assert not fits(told, reply)
