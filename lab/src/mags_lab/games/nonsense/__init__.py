"""The novel game: a made-up world of arbitrary rules, which change while it is played."""

from collections.abc import Callable, Mapping
from functools import partial

from mags_lab.games.nonsense.game import SCORED, Nonsense
from mags_lab.games.nonsense.levels import LEVELS
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import Game

GAMES: Mapping[str, Callable[[], Game]] = {
    f"nonsense/{name}" + ("" if bank == SCORED else f"/{bank}"): partial(
        Nonsense, level, bank_name=bank
    )
    for bank in BANKS
    for name, level in LEVELS.items()
}

__all__ = ["GAMES"]
