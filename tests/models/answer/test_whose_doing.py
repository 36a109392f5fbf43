"""Of whom a text says what is asked for: of who speaks, or of somebody else."""

from __future__ import annotations

import pytest

from mags.models.answer.cues import done_by_oneself, of_another_doer
from mags.models.answer.question import read_question
from mags.models.words import stems
from mags.ports.policy import Turn

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
