"""Getting to know someone: a person whose life changes, and who is asked about afterwards."""

from collections.abc import Callable, Mapping
from functools import partial

from mags_lab.games.companion.cast import LEVELS, level
from mags_lab.games.companion.game import SCORED, Companion
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import Game


def companion(name: str, bank: str = SCORED) -> Game:
    """The game of a level, told in a bank; raises NotFound."""
    return Companion(level(name), bank_name=bank)


GAMES: Mapping[str, Callable[[], Game]] = {
    f"companion/{name}" + ("" if bank == SCORED else f"/{bank}"): partial(companion, name, bank)
    for bank in BANKS
    for name in LEVELS
}

__all__ = ["GAMES", "LEVELS", "companion"]
