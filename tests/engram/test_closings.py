"""Wrong and missed closings, counted apart, from words to closed facts."""

from __future__ import annotations

import pytest

from mags.graph.records import NEVER, ArcKind
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Turn
from scripts.conflict_pairs import ADDITIONS, TRAIN, fillings
from tests.engram.desk import DAY, Desk, add

CHANGES = (
    ("I live in Oslo.", "I moved to Bergen."),
    ("I work at Hydro.", "I now work at Equinor."),
    ("My favourite food is soup.", "My favourite food is rice."),
    ("I like rum.", "I don't like rum anymore."),
    ("Eva is married to Tom.", "Eva is married to Carl."),
    ("The capital of Zembla is Onhava.", "The capital of Zembla is Uranograd."),
    (
        "Eva Lind and Tom Berg both attended the University of Oslo.",
        "Eva Lind and Tom Berg both attended the University of Rome.",
    ),
    (
        "Eva Lind and Tom Berg co-host a podcast about science and literature.",
        "Eva Lind and Tom Berg co-host a podcast about cooking and literature instead.",
    ),
    (
        "Eva Lind has performed in several international orchestras.",
        "Eva Lind has never performed in any international orchestras.",
    ),
)
"""What is no longer true, and what says so."""


def closed(old: str, new: str) -> bool:
    """Whether the second sentence closes anything that came from the first."""
    desk, policy, recent, episodes = Desk(), RulePolicy(), [], []
    for day, text in enumerate((old, new)):
        turn = Turn(text=text, speaker="Ana", session="s1", at=(100 + day) * DAY)
        writing = policy.write(turn, recent, ())
        done = desk.say(
            text,
            *writing.operations,
            at=100 + day,
            mentions=writing.mentions,
            understood=writing.understood,
            is_question=writing.is_question,
        )
        recent.append(turn)
        episodes.append(done.episode)
    from_old = desk.state.graph.origins(episodes[0], ArcKind.SOURCE)
    return any(desk.node(i)["valid_to"] < NEVER for i in from_old)


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[new for _, new in CHANGES])
def test_no_change_is_missed(old, new):
    assert closed(old, new)


def test_nothing_of_which_there_may_be_several_is_closed():
    pairs = [*fillings(TRAIN)][::5]
    assert [pair for pair in pairs if closed(*pair)] == []


def test_more_detail_closes_at_most_what_a_slot_holds_once():
    wrong = [new for old, new in ADDITIONS if closed(old, new)]
    assert wrong == [
        "Mira works as a nurse at the children's hospital.",
        "Ana is a keen gardener.",
    ]


def test_a_time_takes_no_place_of_an_employer():
    desk = Desk()
    held = desk.say("I work at Bravida.", add("Ana", "works at", "Bravida")).facts
    done = desk.say("I start work at seven.", add("Ana", "starts work at", "seven"))
    assert done.closed == []
    moved = desk.say("I start work at Petal.", add("Ana", "starts work at", "Petal"))
    assert set(held) <= set(moved.closed)
