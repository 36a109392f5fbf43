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
    ("question", "answer", "expected"),
    [
        ("Where do you live?", "Oslo.", ("Alice", "lives in", "Oslo")),
        ("And where do you work?", "At Acme.", ("Alice", "works at", "Acme")),
        ("Where are you from?", "Lisbon", ("Alice", "is from", "Lisbon")),
        ("What do you do for a living?", "A plumber.", ("Alice", "works as", "plumber")),
        ("What's your favourite colour?", "Green.", ("Alice", "favourite", "Green")),
        ("When is your birthday?", "3 May.", ("Alice", "birthday", "3 May")),
        ("How old is your son?", "Four.", ("Alice's son", "age", "4")),
        ("Do you have any pets?", "Yes, a parrot called Kiwi.", ("Alice", "parrot", "Kiwi")),
        ("Do you have any pets?", "No.", ("Alice", "does not have", "pets")),
        ("Do you smoke?", "No.", ("Alice", "does not", "smoke")),
        ("Do you like jazz?", "Yes!", ("Alice", "likes", "jazz")),
    ],
)
def test_a_bare_answer_is_read_by_what_was_asked(question, answer, expected):
    assert expected in told(f"?{question}", answer)


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
        ("My flight to Delhi is on 14 June at 9:40.",
         ("Alice's flight to Delhi", "is happening on", "14 June 2024 at 9:40")),
        ("My train to Prague leaves at 7:15.", ("Alice's train to Prague", "leaves at", "7:15")),
        ("The bakery on the corner opens at 7.", ("bakery on the corner", "opens at", "7")),
        ("My wedding is in May. It'll be at Lake Bled.", ("Alice's wedding", "is at", "Lake Bled")),
        ("My boss is a woman called Petra.", ("Alice", "boss", "Petra")),
        ("My children are Leo and Nina.", ("Alice", "child", "Nina")),
        ("The Millers are our neighbours.", ("Alice", "neighbour", "The Millers")),
        ("The Millers moved in. They have three dogs.", ("The Millers", "has", "three dogs")),
        ("My parents live in Porto. They are retired.", ("Alice's parents", "is", "retired")),
        ("I have a golden retriever named Biscuit, he's four.", ("Biscuit", "age", "4")),
        ("I have a golden retriever named Biscuit.", ("Alice", "dog", "Biscuit")),
        ("My grandma is ill. Her name is Rosa.", ("Alice", "grandmother", "Rosa")),
        ("Jonas got a dog. It's called Balu.", ("Jonas", "dog", "Balu")),
        ('I\'m reading "The Leopard".', ("Alice", "is reading", "The Leopard")),
        ("My parents sold the house and moved to Faro.", ("Alice's parents", "lives in", "Faro")),
        ("I used to be a waiter, but since March I've been a cook.",
         ("Alice", "worked as", "waiter")),
        ("I get up at 6.", ("Alice", "gets up at", "6")),
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
        ("I stopped smoking in March.", ("Alice", "does", "smoke")),
        ("I quit drinking alcohol.", ("Alice", "drinks", "alcohol")),
        ("I've given up the ukulele.", ("Alice", "is learning to", "ukulele")),
    ],
)
def test_what_is_given_up_is_over(text, ended):
    assert ended in over(text)


def test_who_starts_again_has_stopped_no_more():
    assert ("Alice", "stopped", "smoking") in over("I started smoking again.")
    assert told("I started smoking again.") == [("Alice", "does", "smoke")]


def test_a_new_landlord_takes_the_place_of_the_old():
    (changed,) = read("We have a new landlord, Mrs. Hill.").operations
    assert (changed.relation, changed.object) == ("landlord", "Mrs. Hill")
    assert changed.change
    assert changed.one


def test_a_new_colleague_takes_nobodys_place():
    (met,) = read("My new colleague is Tim.").operations
    assert not met.change


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("My wedding is on 12 September.", "We had to postpone the wedding to 19 September.",
         ("Alice's wedding", "is happening on", "19 September 2024")),
        ("The meeting with Laura is tomorrow at 10.", "Sorry, I meant 11.",
         ("meeting with Laura", "is happening on", "16 May 2024 at 11")),
    ],
)  # fmt: skip
def test_a_change_is_read_by_what_was_said_before(before, after, expected):
    assert told(before, after) == [expected]


def test_a_reply_keeps_the_rest_of_its_turn():
    found = read("?Where do you live?", "Oslo. I have a cat.").operations
    assert [(o.relation, o.object) for o in found] == [("lives in", "Oslo"), ("has", "cat")]


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
