"""What joined two things is over, in whatever words it was told, where the reader says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mags.engram.settings import ConflictSettings, EngramSettings
from mags.ports.policy import Act, Operation
from tests.engram.desk import Desk, add

QUIET = EngramSettings(conflict=ConflictSettings(on=False))


@pytest.fixture
def desk():
    return Desk(QUIET)


def tell(desk, subject, relation, object_, *, change=False):
    claim = replace(add(subject, relation, object_), change=change)
    return desk.say(f"{subject} {relation} {object_}.", claim)


def part(desk, subject, object_, *also):
    over = Operation(act=Act.RETRACT, subject=subject, object=object_, change=True)
    return desk.say(f"{subject} and {object_} have parted.", over, *also)


def test_a_retraction_without_a_relation_closes_all_that_joins_two_things(desk):
    one = tell(desk, "Ana", "sings in", "Bergen choir").facts
    other = tell(desk, "Bergen choir", "counts among its own", "Ana").facts
    tell(desk, "Ana", "sings in", "Oslo choir")
    assert sorted(part(desk, "Bergen choir", "Ana").closed) == sorted([*one, *other])


def test_what_a_turn_says_of_the_two_it_parts_stays(desk):
    old = tell(desk, "Ana", "sings in", "Bergen choir").facts
    again = part(desk, "Ana", "Bergen choir", add("Ana", "writes for", "Bergen choir"))
    assert again.closed == old
    assert len(again.facts) == 1


def test_a_retraction_that_names_one_thing_parts_nothing(desk):
    tell(desk, "Ana", "sings in", "Bergen choir")
    assert part(desk, "Ana", "").closed == []


def test_what_was_told_later_than_a_parting_stays(desk):
    tell(desk, "Ana", "sings in", "Bergen choir")
    over = Operation(act=Act.RETRACT, subject="Ana", object="Bergen choir", change=True)
    assert desk.say("Ana and the Bergen choir have parted.", over, at=900).closed == []


def test_an_append_only_memory_parts_nothing():
    desk = Desk(replace(QUIET, arbiter=False))
    tell(desk, "Ana", "sings in", "Bergen choir")
    assert part(desk, "Ana", "Bergen choir").closed == []


def test_a_change_in_other_words_ends_only_what_the_reader_says_it_ends(desk):
    old = tell(desk, "Ana", "sings in", "Bergen choir").facts
    assert tell(desk, "Ana", "conducts", "Oslo choir", change=True).closed == []
    assert part(desk, "Ana", "Bergen choir", add("Ana", "conducts", "Oslo choir")).closed == old


def test_what_closes_by_its_names_alone_is_not_compared_with_other_sentences():
    desk = Desk()
    told = "Mira never attended the summer school of the Bergen choir in Oslo."
    old = desk.say(
        "Mira attended the summer school of the Bergen choir in Oslo.",
        add("Mira", "attended", "summer school"),
        mentions=("Mira",),
    ).facts
    new = add("Mira", "never attended", "summer school")
    assert desk.say(told, replace(new, exact=True), mentions=("Mira",)).closed == []
    compared = desk.say(told, replace(new, object="winter school"), mentions=("Mira",))
    assert old[0] in compared.closed
