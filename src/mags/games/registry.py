"""Every game by its name: "nonsense/easy", "nonsense/tiny/tuning"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mags.errors import NotFound
from mags.games.nonsense.bank import BANKS
from mags.games.nonsense.game import SCORED, Nonsense
from mags.games.nonsense.levels import LEVELS, level
from mags.games.turns import Game


def _nonsense(rest: str) -> Game:
    name, _, bank = rest.partition("/")
    return Nonsense(level(name), bank_name=bank or SCORED)


MAKERS: Mapping[str, Callable[[str], Game]] = MappingProxyType({"nonsense": _nonsense})
"""What makes a game of each kind from the rest of its name."""
NAMES: tuple[str, ...] = (
    *(f"nonsense/{name}" for name in LEVELS),
    *(f"nonsense/{name}/{bank}" for name in LEVELS for bank in BANKS if bank != SCORED),
)
"""Every name that `make` knows; without a bank it is the scored one."""


def make(name: str) -> Game:
    """The game of that name, ready to begin; raises NotFound."""
    kind, _, rest = name.partition("/")
    if kind not in MAKERS:
        raise NotFound(f"there is no game {name!r}: choose among {', '.join(NAMES)}", game=name)
    return MAKERS[kind](rest)
