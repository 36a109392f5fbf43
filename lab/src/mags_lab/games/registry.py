"""Every game by its name: "nonsense/easy", "nonsense/tiny/tuning", "knights/standard"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from mags.errors import NotFound
from mags_lab.games.adventures import GAMES as ADVENTURES
from mags_lab.games.companion import GAMES as COMPANION
from mags_lab.games.logic import GAMES as LOGIC
from mags_lab.games.nonsense import GAMES as NONSENSE
from mags_lab.games.turns import Game

GAMES: Mapping[str, Callable[[], Game]] = MappingProxyType(
    {**NONSENSE, **LOGIC, **COMPANION, **ADVENTURES}
)
"""What makes each game; those of nonsense without a bank in their name are the scored ones."""


def make(name: str) -> Game:
    """The game of that name, ready to begin; raises NotFound."""
    if name not in GAMES:
        raise NotFound(f"there is no game {name!r}: choose among {', '.join(GAMES)}", game=name)
    return GAMES[name]()
