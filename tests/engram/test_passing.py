"""What holds for a while ends: by its time, by what was to happen, and so does what repeats it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mags.engram.passing import UNTIL
from mags.engram.settings import ConflictSettings, EngramSettings
from mags.graph.records import NEVER
from tests.engram.desk import DAY, Desk, add

QUIET = EngramSettings(conflict=ConflictSettings(on=False))
UNTIL_THE_MOON = {UNTIL: "pell rise"}


@pytest.fixture
def desk():
    return Desk(QUIET)


def ends(desk, done):
    return [float(desk.node(fact)["valid_to"]) / DAY for fact in done.facts]


def tell(desk, relation, object_="Orn clan", *, at, **more):
    claim = replace(add("Zoaro", relation, object_), **more)
    return desk.say(f"Zoaro {relation} {object_}.", claim, at=at)


def test_what_repeats_a_passing_tie_in_other_words_ends_with_it(desk):
    tell(desk, "rides with", at=10, valid_to=20 * DAY)
    assert ends(desk, tell(desk, "is sworn to", at=12)) == [20.0]


def test_what_is_told_of_it_once_it_is_over_lasts(desk):
    tell(desk, "rides with", at=10, valid_to=20 * DAY)
    assert ends(desk, tell(desk, "is sworn to", at=21)) == [NEVER / DAY]


def test_what_is_told_of_others_or_as_a_change_lasts(desk):
    tell(desk, "rides with", at=10, valid_to=20 * DAY)
    assert ends(desk, tell(desk, "is sworn to", "Vel clan", at=12)) == [NEVER / DAY]
    assert ends(desk, tell(desk, "is sworn to", at=13, change=True)) == [NEVER / DAY]


def wait(desk):
    claim = replace(
        add("Zoaro", "rides with", "Orn clan"), valid_to=400 * DAY, qualifiers=UNTIL_THE_MOON
    )
    desk.say(
        "The moon of Pell is pale.", add("moon of Pell", "is", "pale"), mentions=("Pell",), at=1
    )
    return desk.say("Until the moon of Pell rises, Zoaro rides.", claim, mentions=("Pell",), at=10)


def test_what_was_to_hold_until_something_happens_ends_when_that_is_told(desk):
    done = wait(desk)
    told = desk.say("In the night the moon of Pell has risen.", mentions=("Pell",), at=15)
    assert told.closed == done.facts
    assert ends(desk, done) == [15.0]


def test_what_ends_it_may_go_by_a_name_of_two_words(desk):
    claim = replace(
        add("Zoaro", "rides with", "Orn clan"),
        valid_to=400 * DAY,
        qualifiers={UNTIL: "pell moon rise"},
    )
    desk.say("The Pell Moon is pale.", add("Pell Moon", "is", "pale"), at=1)
    done = desk.say(
        "Until the Pell Moon rises, Zoaro rides.", claim, mentions=("Pell Moon",), at=10
    )
    told = desk.say("At last the Pell Moon has risen.", mentions=("Pell Moon",), at=15)
    assert told.closed == done.facts


@pytest.mark.parametrize(
    "text",
    [
        "The moon of Pell appeared last night.",
        "There it is, the moon of Pell, over the hills.",
        "Everybody could see the moon of Pell.",
    ],
)
def test_what_has_come_into_view_has_risen_in_whatever_words(desk, text):
    done = wait(desk)
    assert desk.say(text, mentions=("Pell",), at=15).closed == done.facts


@pytest.mark.parametrize(
    "text",
    [
        "The moon of Pell will rise.",
        "Until the moon of Pell rises, nobody sleeps.",
        "The moon of Pell is pale.",
    ],
)
def test_what_has_not_happened_ends_nothing(desk, text):
    done = wait(desk)
    assert desk.say(text, mentions=("Pell",), at=15).closed == []
    assert ends(desk, done) == [400.0]


def test_a_question_about_it_ends_nothing(desk):
    done = wait(desk)
    desk.say("Has the moon of Pell risen?", mentions=("Pell",), is_question=True, at=15)
    assert ends(desk, done) == [400.0]


def test_what_repeats_it_ends_by_the_same_event(desk):
    wait(desk)
    again = tell(desk, "is sworn to", at=12)
    desk.say("The moon of Pell rose.", mentions=("Pell",), at=15)
    assert ends(desk, again) == [15.0]
