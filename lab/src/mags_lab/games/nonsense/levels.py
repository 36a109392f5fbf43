"""The levels: how large a world is, how long it is played, and how much happens in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from mags.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class NonsenseLevel:
    """How a game is made.

    `rules`, `turns`: how many. `told`: the share of rules told in the opening, the first
    `opening` turns; `heard`: the share of the others that people speak of sooner or later, while
    what is left can only be found out. `fillers`: lines a turn that tell nothing. `explore`: share
    of the turns at which a question is begun that cannot be known yet and teaches a rule.
    `remind`: how often a wrong move in a scene that could be known brings the rule again;
    `reveal`: how often one that could not does at the first try; at the second it always does.
    `hours`: least and most a turn takes. `changes`: how many of each sort: "announced",
    "hearsay", "felt", "temporary" (for days), "moon" (until it rises), "lie".
    """

    name: str
    rules: int
    turns: int
    opening: int
    told: float = 0.5
    fillers: float = 0.8
    heard: float = 0.6
    explore: float = 0.08
    remind: float = 0.4
    reveal: float = 0.6
    hours: tuple[int, int] = (1, 24)
    changes: Mapping[str, int] = field(default_factory=dict)


def _changes(*counts: int) -> Mapping[str, int]:
    sorts = ("announced", "hearsay", "felt", "temporary", "moon", "lie")
    return MappingProxyType(dict(zip(sorts, counts, strict=True)))


LEVELS: Mapping[str, NonsenseLevel] = MappingProxyType(
    {
        level.name: level
        for level in (
            NonsenseLevel(
                name="tiny",
                rules=20,
                turns=50,
                opening=3,
                fillers=0.4,
                changes=_changes(1, 0, 1, 0, 0, 1),
            ),
            NonsenseLevel(
                name="easy",
                rules=80,
                turns=160,
                opening=8,
                fillers=0.6,
                changes=_changes(1, 1, 1, 1, 0, 1),
            ),
            NonsenseLevel(
                name="standard",
                rules=120,
                turns=300,
                opening=15,
                changes=_changes(2, 1, 2, 1, 1, 2),
            ),
            NonsenseLevel(
                name="hard",
                rules=400,
                turns=1000,
                opening=50,
                changes=_changes(6, 4, 6, 4, 3, 6),
            ),
            NonsenseLevel(
                name="vast",
                rules=2000,
                turns=10_000,
                opening=500,
                hours=(1, 6),
                changes=_changes(40, 30, 40, 25, 20, 40),
            ),
        )
    }
)


def level(name: str) -> NonsenseLevel:
    """The level of that name; raises NotFound."""
    if name not in LEVELS:
        raise NotFound(
            f"there is no level {name!r} of nonsense: choose among {', '.join(LEVELS)}", level=name
        )
    return LEVELS[name]
