"""The levels: how many people there are, how long it goes on, and how much happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mags.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How a game is made.

    `people`: beside the one who is got to know; `turns`, `days`: how long; `opening`: facts told
    in the first scene; `told`: the share of the others told sooner or later. By turn: `fillers`,
    lines that tell nothing; `moods`, `events`: how often a mood changes and an event is planned.
    `never`, `secrets`: shares of the questions that ask what was never told, and after a secret.
    `remind`: how often a wrong answer is set right. `changes`: how many of each sort:
    "announced" (by whom it is about), "hearsay" (by others), "shown" (by what somebody does),
    "corrected" (was never so), "rumour" (claimed, not so, and denied later), "lifted" (a secret).
    """

    name: str
    people: int
    turns: int
    days: int
    opening: int
    told: float = 0.85
    fillers: float = 1.2
    moods: float = 0.1
    events: float = 0.07
    never: float = 0.08
    secrets: float = 0.08
    remind: float = 0.3
    changes: Mapping[str, int]


def _changes(*counts: int) -> Mapping[str, int]:
    sorts = ("announced", "hearsay", "shown", "corrected", "rumour", "lifted")
    return MappingProxyType(dict(zip(sorts, counts, strict=True)))


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level(
                name="short",
                people=5,
                turns=60,
                days=60,
                opening=8,
                changes=_changes(3, 1, 2, 2, 1, 1),
            ),
            Level(
                name="standard",
                people=24,
                turns=600,
                days=240,
                opening=24,
                changes=_changes(24, 12, 14, 12, 8, 3),
            ),
            Level(
                name="long",
                people=90,
                turns=5000,
                days=330,
                opening=40,
                events=0.05,
                changes=_changes(150, 80, 80, 60, 50, 10),
            ),
        )
    }
)


def level(name: str) -> Level:
    """The level of that name; raises NotFound."""
    if name not in LEVELS:
        raise NotFound(f"there is no level {name!r}: choose among {', '.join(LEVELS)}", level=name)
    return LEVELS[name]
