"""Every rule can be turned off, and every decision leaves its reason."""

from __future__ import annotations

import math

from mags.engram.settings import EngramSettings
from mags.graph.records import NEVER
from tests.engram.desk import Desk, add, note, retract


def test_without_the_arbiter_facts_are_appended():
    desk = Desk(EngramSettings(arbiter=False))
    desk.say("a", add("Ana", "lives in", "Oslo"))
    desk.say("b", add("Ana", "lives in", "Bergen"), retract("Ana", "lives in", "Oslo"))
    assert len(desk.open()) == 2


def test_without_novelty_nothing_is_a_confirmation():
    desk = Desk(EngramSettings(novelty=False))
    desk.say("a", add("Ana", "likes", "tea"))
    done = desk.say("b", add("Ana", "likes", "tea"))
    assert (done.confirmed, len(desk.facts())) == ([], 2)


def test_without_the_mirror_a_symmetric_fact_is_closed_alone():
    desk = Desk(EngramSettings(mirror=False))
    desk.say("a", add("Ana", "is married to", "Bob"), add("Bob", "is married to", "Ana"))
    desk.say("b", add("Ana", "is married to", "Carl"))
    assert ("Bob", "is married to", "Ana") in desk.open()


def test_reasons_hold_numbers_and_rule_names_only():
    desk = Desk()
    desk.say("Secret words", add("Ana", "lives in", "Oslo"), note("Another secret"))
    desk.say("b", add("Ana", "lives in", "Bergen"), retract("Ana", "likes", "rum"))
    for delta in desk.deltas:
        for reason in delta.reasons:
            values = [v for k, v in reason.items() if k not in ("rule", "why")]
            assert all(isinstance(v, int | float | bool) for v in values)
            assert all(not isinstance(v, float) or math.isfinite(v) or v == NEVER for v in values)
