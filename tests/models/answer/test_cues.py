"""Whose a thing is where a turn does not say so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.models.answer.cues import (
    done_by_oneself,
    of_another_doer,
    of_nobody_else,
    without_subject,
)
from mags.models.answer.question import read_question
from mags.models.answer.support import name_share
from mags.models.words import stems
from mags.ports.answer import ContextItem
from mags.ports.policy import Turn


def share(asked: str, told: str) -> float:
    question = read_question(Turn(text=asked, speaker="Dana"))
    return name_share(question, ContextItem(id=1, text=told, speaker="Dana"))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When is my thesis due?", "the thesis is due on 1 september"),
        ("How much is my rent?", "rent's gone up to 510, in Leeds of all places"),
        ("Where is my field site?", "field site is an old quarry near Jena"),
        ("How many species did I find?", "found 5 species so far"),
        ("What did I cancel?", "so tired. cancelled PureGym"),
        ("Who is my eldest?", "Martin's the eldest, he lives in Canada"),
        ("Which bike do we have?", "the bike is an old red one"),
    ],
)
def test_what_nobody_else_is_told_of_is_of_who_speaks(asked, told):
    assert share(asked, told) == 1.0


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("When is my thesis due?", "Lin's thesis is due on 3 May"),
        ("Who is my eldest?", "Martin is the eldest of Tom's"),
        ("Which floor is my office on?", "Pavel moved to an office on the first floor"),
        ("Who is my doctor?", "The doctor told Ana she needs glasses"),
        ("Who is my teacher?", "Karl is the teacher at Mia's school"),
        ("When is my operation?", "He said the operation is on 3 June"),
        ("Where do I work?", "the neighbour works at the bakery"),
        ("Where do I work?", "Karl works at the bakery"),
        ("How many species did I find?", "she found 5 species"),
        ("What did I find?", "Lost luggage was found in Rome"),
        ("What did I break?", "broken glass everywhere in the kitchen"),
        ("Where was I made?", "made in China, these shoes"),
        ("Where was I born?", "born in Oslo, Munch painted The Scream"),
        ("What did I write?", "written by Orwell, 1984 is bleak"),
        ("Where do I swim?", "Swimming is good for the back"),
    ],
)
def test_what_is_of_others_stays_theirs(asked, told):
    assert share(asked, told) == 0.0


@given(st.text(max_size=80), st.frozensets(st.text(max_size=8), max_size=3))
def test_any_text_can_be_read(text, asked):
    assert of_nobody_else(text, asked) in (True, False)
    assert without_subject(text) in (True, False)


def test_a_thing_told_without_its_owner_is_of_who_told_it():
    def share_of(asked: str, text: str, *parts: str) -> float:
        question = read_question(Turn(text=asked, speaker="Dana"))
        return name_share(question, ContextItem(id=1, text=text, fact=parts, speaker="Dana"))

    told = ("Alarm company is Securo.", "alarm company", "is", "Securo")
    assert share_of("Which alarm company do we have?", *told) == 1.0
    assert share_of("What is my alarm company?", *told) == 1.0
    said = ("Tom said that rent is 900.", "rent", "is", "900")
    assert share_of("How much is my rent?", *said) == 0.0
    bike = ("Paula's bike is red.", "Paula's bike", "is", "red")
    assert share_of("What colour is my bike?", *bike) == 0.0


LIVE, DORA = frozenset(stems("live")), frozenset(stems("Dora"))


@pytest.mark.parametrize(
    "text",
    [
        "My sister lives in Leeds.",
        "Tom told me he lives in Graz.",
        "Dora's sister lives in Leeds.",
        "The cat next door lives in our shed.",
        "Ana and Ben live in Utrecht.",
        "Ana packed her things and lives in Bonn now.",
    ],
)
def test_what_somebody_else_does_is_not_done_by_who_speaks(text):
    assert of_another_doer(text, LIVE, DORA)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Ghent.",
        "We've always lived in Ghent.",
        "My sister lives in Leeds, and I live in Ghent.",
        "I sold everything and now live in Ghent.",
        "Still living in Ghent!",
        "Dora lives in Ghent.",
        "Dora no longer lives in Ghent.",
        "My parents want me to live with them.",
        "Home is what a live band makes of it.",  # an article: no verb
        "Ghent is home.",  # says nothing in the words asked for
    ],
)
def test_what_who_speaks_does_is_theirs(text):
    assert not of_another_doer(text, LIVE, DORA)


def test_what_is_asked_of_oneself_is_the_verb_and_nothing_behind_it():
    assert done_by_oneself("How many houses did I view before the offer?") == stems("view")
    assert done_by_oneself("Where do I still live?") == stems("live")
    assert done_by_oneself("Where does Ana live?") == stems("")


def test_who_asks_what_they_do_asks_of_themself():
    def oneself(text: str) -> frozenset[str]:
        return read_question(Turn(text=text, speaker="Dora")).oneself

    assert oneself("Where do I live?") == oneself("What am I allergic to?") == DORA
    assert not oneself("Where does my sister live?")
    assert not oneself("What did Ben give me?")
