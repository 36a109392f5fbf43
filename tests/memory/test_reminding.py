"""The facts told before that a turn is read by."""

from __future__ import annotations

import mags
from mags.memory.settings import MemorySettings
from mags.settings import PolicySettings, Settings

RULES = PolicySettings(kind="rules")


def told(settings: Settings) -> list[str]:
    """What holds after "she" moved in a later talk."""
    with mags.open(None, settings=settings) as memory:
        memory.observe("My sister Greta lives in Graz.", speaker="Ana", session="1")
        memory.observe("She moved to Trieste.", speaker="Ana", session="2")
        return [f.object for f in memory.facts("Greta", current=True) if f.relation == "lives in"]


def test_nothing_is_seen_where_it_is_switched_off() -> None:
    assert told(Settings(policy=RULES, memory=MemorySettings(reminded=0))) == ["Graz"]


def test_who_speaks_is_reminded_of_what_they_told() -> None:
    with mags.open(None, settings=Settings(policy=RULES)) as memory:
        memory.observe("I work at Petal.", speaker="Ana", session="1")
        memory.observe("I work at Stem.", speaker="Ben", session="1")
        memory.observe("I quit.", speaker="Ben", session="2")
        held = {(f.subject, f.object) for f in memory.facts(current=True) if "works" in f.relation}
        assert ("Ana", "Petal") in held
        assert not [f for f in memory.facts("Ben", current=True) if f.relation == "works at"]


def test_what_is_over_is_over_no_longer_where_it_is_told_again() -> None:
    with mags.open(None, settings=Settings(policy=RULES)) as memory:
        for session, text in enumerate(["I work at Petal.", "I quit.", "I work at Petal."]):
            memory.observe(text, speaker="Ana", session=str(session), at=f"2024-0{session + 1}-01")
        relations = [f.relation for f in memory.facts("Ana", current=True)]
        assert relations == ["works at"]
