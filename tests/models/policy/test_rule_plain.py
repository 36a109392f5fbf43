"""Plain talk as people put it, read by the rules."""

import pytest

from mags.models.policy.rules.tokens import sentences
from mags.ports.policy import Act, Writing
from tests.models.policy.reading import POLICY, turn

Triple = tuple[str, str, str]


def read(*said: str) -> Writing:
    """What is read of the last turn; "?" before a turn: somebody else says it."""
    turns = [turn(text.removeprefix("?"), "Bob" if text[0] == "?" else "Alice") for text in said]
    return POLICY.write(turns[-1], turns[:-1], ())


def told(*said: str) -> list[Triple]:
    """The triples that the last turn adds."""
    found = read(*said).operations
    return [(o.subject, o.relation, o.object) for o in found if o.act is not Act.RETRACT]


def over(*said: str) -> set[Triple]:
    """The triples that the last turn takes back."""
    found = read(*said).operations
    return {(o.subject, o.relation, o.object) for o in found if o.act is Act.RETRACT}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where do you live?", "Why do you ask?"),
        ("Where do you live?", "Not sure."),
        ("What's your plan?", "Pizza."),
        ("Do you live in Oslo or in Bergen?", "Yes."),
        ("Nice day, isn't it?", "Lovely."),
    ],
)
def test_what_answers_nothing_certain_is_not_read(question, answer):
    assert told(f"?{question}", answer) == []


def test_nobody_answers_their_own_question():
    assert told("Where do you live?", "Oslo.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My boss is a woman called Petra.", ("Alice", "boss", "Petra")),
        ("My children are Leo and Nina.", ("Alice", "child", "Nina")),
        ("My parents live in Porto. They are retired.", ("Alice's parents", "is", "retired")),
        ("My grandma is ill. Her name is Rosa.", ("Alice", "grandmother", "Rosa")),
        ("My parents sold the house and moved to Faro.", ("Alice's parents", "lives in", "Faro")),
        ("I used to be a waiter, but since March I've been a cook.",
         ("Alice", "worked as", "waiter")),
    ],
)  # fmt: skip
def test_plain_talk_is_read(text, expected):
    assert expected in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "It's raining again.",
        "I bought a car. It's raining.",
        "My car is a nightmare.",
        "I'll be a star one day.",
        "He stopped talking.",
        "I don't live alone any more.",
        "I got up at 6.",
    ],
)
def test_talk_that_tells_no_lasting_thing_names_none(text):
    assert [t for t in told(text) if t[1] not in {"has", "is a"}] == []


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("I quit drinking alcohol.", ("Alice", "drinks", "alcohol")),
    ],
)
def test_what_is_given_up_is_over(text, ended):
    assert ended in over(text)


def test_a_new_landlord_takes_the_place_of_the_old():
    (changed,) = read("We have a new landlord, Mrs. Hill.").operations
    assert (changed.relation, changed.object) == ("landlord", "Mrs. Hill")
    assert changed.change
    assert changed.one


def test_a_new_colleague_takes_nobodys_place():
    (met,) = read("My new colleague is Tim.").operations
    assert not met.change


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I live in\nOslo.", ("I live in Oslo.",)),
        ("I work\r\nat Lumen", ("I work at Lumen",)),
        ("I work at Lumen\nI live in Oslo", ("I work at Lumen", "I live in Oslo")),
        ("got a dog\nhis name is rex", ("got a dog", "his name is rex")),
        ("Hi Ana,\nI moved", ("Hi Ana,", "I moved")),
        ("I live in\n\nOslo", ("I live in", "Oslo")),
    ],
)
def test_a_line_may_break_within_a_sentence_and_a_blank_line_ends_it(text, said):
    assert sentences(text) == said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to walnuts btw so no walnut cake", ("Alice", "is allergic to", "walnuts")),
        ("I work at Tesco atm", ("Alice", "works at", "Tesco")),
        ("I'm a nurse at Guy's tbh", ("Alice", "works at", "Guy's")),
    ],
)
def test_what_chat_shortens_ends_a_thing(text, expected):
    assert expected in told(text)


@pytest.mark.parametrize(
    ("text", "homes"),
    [
        ("I moved into my new flat in Ghent.", ["Ghent"]),
        ("We moved into a small house near the station in Leeds.", ["Leeds"]),
        ("We are staying in a hostel in Rome.", []),
        ("I live in the Hilton Hotel.", []),
    ],
)
def test_the_town_of_a_flat_is_home_and_a_hotel_is_none(text, homes):
    assert [t[2] for t in told(text) if t[1] == "lives in"] == homes


def test_a_flat_takes_no_towns_place():
    (flat,) = read("I live in a small flat.").operations
    assert (flat.object, flat.one) == ("small flat", False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My desk is on the second floor.", ("Alice's desk", "is located in", "second floor")),
        ("The scanner is in the library.", ("scanner", "is located in", "library")),
        ("The spare key is under the mat.", ("spare key", "is located in", "under the mat")),
        ("The key to the shed is in the blue tin.",
         ("key to the shed", "is located in", "blue tin")),
        ("The rehearsals are on Tuesdays.", ("rehearsals", "is happening on", "Tuesdays")),
        ("The red tent belongs to Bashir.", ("Bashir", "owns", "red tent")),
        ("The red tent belongs to me.", ("Alice", "owns", "red tent")),
        ("The triplets are called Ugo, Pia and Tea.",
         ("triplets", "is called", "Ugo, Pia and Tea")),
        ("My cats are called Tom and Kit.", ("Alice", "cat", "Kit")),
        ("Ida and Jon are plumbers.", ("Jon", "works as", "plumber")),
        ("Ida and Jon are plumbers at Reel.", ("Ida", "works at", "Reel")),
        ("My parents are accountants.", ("Alice's parents", "works as", "accountants")),
    ],
)  # fmt: skip
def test_a_plain_statement_of_a_thing_or_of_several_is_read(text, expected):
    assert expected in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "The scanner is on fire.",
        "The scanner isn't in the library.",
        "The scanner was in the library.",
        "A scanner is in the library.",
        "Maybe the scanner is in the library.",
        "Is the scanner in the library?",
        "The kids are in the garden.",
        "The best part is in the middle.",
        "The shop is at it again.",
        "My head is in the clouds.",
        "The keys are in my hand as I speak.",
        "The red tent belongs to nobody.",
        "The red tent belongs in the shed.",
        "The boat is called after my aunt.",
    ],
)
def test_what_places_nothing_surely_is_not_read(text):
    assert told(text) == []


def test_doing_this_and_that_is_one_thing():
    assert told("I like visiting Rome and Ghent.") == [
        ("Alice", "likes", "visiting Rome and Ghent")
    ]


def test_a_comma_after_a_number_is_none_of_it():
    assert told("She's gone. Tom is diabetic, type 1, what can he eat?") == [
        ("Tom", "is", "diabetic, type 1")
    ]
