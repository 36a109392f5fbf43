"""What a known liar says is kept as said, not as so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mags.engram.settings import ConflictSettings, EngramSettings
from mags.engram.trust import lying
from mags.graph.records import NodeKind
from tests.engram.desk import Desk, add

QUIET = EngramSettings(conflict=ConflictSettings(on=False))


@pytest.fixture
def desk():
    return Desk(QUIET)


def call(desk, relation, object_, *, by="Ana", change=False):
    claim = replace(add("Gorm", relation, object_), change=change)
    return desk.say(f"Gorm {relation} {object_}.", claim, speaker=by)


def claim(desk):
    return desk.say("Zoaro rides with Orn.", add("Zoaro", "rides with", "Orn"), speaker="Gorm")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tells lies", True),
        ("is a liar", True),
        ("never tells the truth", True),
        ("never lies", False),
        ("tells the truth", False),
        ("lives in Oslo", None),
        ("knows truth from lies", None),
        ("speaks nothing but the truth", False),
        ("tells the truth , no matter what", False),
        ("without exception tells the truth", False),
        ("has never been caught in a lie", False),
        ("is anything but honest", True),
        ("never opens his mouth without lying", True),
        ("would rather die than lie", False),
        ("lies in a drawer", None),
        ("lies to the tax collector", None),
        ("lies to everyone", True),
    ],
)
def test_words_say_of_somebody_that_he_lies_or_is_honest_or_neither(text, expected):
    assert lying(text) is expected


def test_what_a_liar_says_gives_no_fact_and_its_words_are_kept(desk):
    call(desk, "tells", "lies")
    done = claim(desk)
    assert (done.facts, done.ignored) == ([], [(0, "of whom it is said that he lies")])
    assert desk.state.content(done.episode).text == "Zoaro rides with Orn."


def test_a_liar_closes_nothing(desk):
    old = desk.say("Zoaro rides with Vel.", add("Zoaro", "rides with", "Vel", one=True)).facts
    call(desk, "tells", "lies")
    done = desk.say(
        "Zoaro rides with Orn.", add("Zoaro", "rides with", "Orn", one=True), speaker="Gorm"
    )
    assert done.closed == []
    assert desk.state.content(old[0]).text


def test_the_newest_word_on_somebodys_honesty_counts(desk):
    call(desk, "tells", "lies")
    call(desk, "tells", "the truth")
    assert len(claim(desk).facts) == 1


def test_nobody_makes_himself_a_liar_by_his_own_word(desk):
    call(desk, "tells", "lies", by="Gorm")
    assert len(claim(desk).facts) == 1


def test_what_was_said_before_stays(desk):
    before = claim(desk).facts
    call(desk, "tells", "lies")
    assert before[0] in desk.state.graph.ids(NodeKind.FACT)
    assert desk.node(before[0])["closed_at"] == desk.node(before[0])["valid_to"]
