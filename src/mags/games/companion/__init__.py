"""Getting to know someone: a person whose life changes, and who is asked about afterwards."""

from collections.abc import Callable, Mapping
from functools import partial

from mags.games.companion.bank import BANKS
from mags.games.companion.game import SCORED, Companion
from mags.games.companion.levels import LEVELS
from mags.games.turns import Game

GAMES: Mapping[str, Callable[[], Game]] = {
    f"companion/{name}" + ("" if bank == SCORED else f"/{bank}"): partial(
        Companion, level, bank_name=bank
    )
    for bank in reversed(BANKS)
    for name, level in LEVELS.items()
}

__all__ = ["GAMES"]
