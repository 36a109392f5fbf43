"""Talk in contractions, bare words and short messages, read as what it says plainly."""

import pytest

from tests.models.policy.reading import facts, write

TELLING = [
    ("ive moved to Kiel", ("ADD", "Alice", "lives in", "Kiel")),
    ("Mia's obsessed with horses", ("ADD", "Mia", "likes", "horses")),
    ("Tom's just moved back to Dublin", ("ADD", "Tom", "lives in", "Dublin")),
    ("I live in York for now", ("ADD", "Alice", "lives in", "York")),
    ("I started at Deloitte last Monday", ("ADD", "Alice", "works at", "Deloitte")),
    ("Could you remember that my locker code is 4471?", ("ADD", "Alice", "locker code", "4471")),
    ("they put me on ramipril", ("ADD", "Alice", "takes", "ramipril")),
    ("I take vitamin D every morning", ("ADD", "Alice", "takes", "vitamin D")),
    ("My birthday's in May", ("ADD", "Alice", "birthday", "May")),
    ("my car's a 2015 Skoda Octavia, silver", ("ADD", "Alice", "car", "2015 Skoda Octavia")),
]


@pytest.mark.parametrize(("said", "told"), TELLING)
def test_what_is_said_as_people_talk_is_read_as_what_it_says(said, told):
    assert told in facts(said)


def test_a_time_between_two_clauses_opens_the_second():
    said = "I used to be a waiter, but since March I've been working as a barista."
    assert facts(said) == [
        ("ADD", "Alice", "worked as", "waiter"),
        ("ADD", "Alice", "works as", "barista"),
    ]


def test_who_gives_and_who_is_given_stay_apart():
    assert facts("Ben got me tickets and I got him a watch.") == [
        ("ADD", "Ben", "gave alice", "tickets"),
        ("ADD", "Alice", "gave ben", "watch"),
    ]
    assert facts("Bea owes me 15 for lunch") == [("ADD", "Bea", "owes alice", "15 for lunch")]


def test_a_pet_that_died_is_taken_back_from_whoever_had_it():
    before = ("Alice", "I have two cats, Misty and Ash.")
    assert ("RETRACT", "Alice", "cat", "Ash") in facts("Ash died last night.", before)
    assert ("RETRACT", "Alice", "cat", "Misty") not in facts("Ash died last night.", before)


def test_an_engagement_that_is_called_off_is_over():
    assert facts("Pieter and I called off the engagement") == [
        ("RETRACT", "Pieter", "is engaged to", "Alice")
    ]


def test_several_owned_have_a_plural_verb():
    for said, told in (
        ("My parents live in Rome", "Alice's parents live in Rome."),
        ("My boss lives in Rome", "Alice's boss lives in Rome."),
    ):
        assert [op.text for op in write(said).operations] == [told]


def test_who_did_it_together_with_a_relative_by_name_is_told_with_both():
    assert [op.text for op in write("My wife Jill and I went to Crete in June.").operations] == [
        "Alice's wife is Jill.",
        "Alice went to Crete with Jill in June 2023.",
    ]
