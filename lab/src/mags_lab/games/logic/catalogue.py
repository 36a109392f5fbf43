"""The levels of the logic games, and the games by name.

What one reaches who reads perfectly, as the share of right decisions (`standings.share_right`,
mean of ten seeds, the long levels of two). "nothing": nothing but the turn; "window": the last 100
lines; "told": every line so far; an oracle is always right.

| level | chance | nothing | window | told |
|---|---|---|---|---|
| eleusis/short | 1/4 | 0.27 | 0.83 | 0.83 |
| eleusis/standard | 1/4 | 0.24 | 0.38 | 0.89 |
| eleusis/long | 1/4 | 0.24 | 0.26 | 0.93 |
| mastermind/short | 1/6 | 0.20 | 0.64 | 0.64 |
| mastermind/standard | 1/6 | 0.17 | 0.27 | 0.83 |
| mastermind/long | 1/6 | 0.17 | 0.18 | 0.86 |
| knights/short | 1/4 | 0.49 | 0.93 | 0.93 |
| knights/standard | 1/4 | 0.28 | 0.60 | 0.94 |
| knights/plain | 1/4 | 0.29 | 0.57 | 0.94 |
| knights/long | 1/4 | 0.26 | 0.40 | 0.98 |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from mags_lab.games.logic.bank import load, plain, titled
from mags_lab.games.logic.eleusis import Eleusis, EleusisLevel
from mags_lab.games.logic.knights import Knights, KnightsLevel
from mags_lab.games.logic.mastermind import Mastermind, MastermindLevel
from mags_lab.games.logic.record import LogicGame
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import Game

ELEUSIS = {
    "short": EleusisLevel(turns=40, dealers=4, swap_every=15),
    "standard": EleusisLevel(turns=500, dealers=16, exceptions=0.25, swap_every=40, chatter=0.5),
    "long": EleusisLevel(turns=4000, dealers=60, exceptions=0.25, swap_every=60, chatter=1.0),
}
MASTERMIND = {
    "short": MastermindLevel(turns=40, keepers=2, change_every=15),
    "standard": MastermindLevel(turns=500, keepers=10, change_every=40, chatter=0.5),
    "long": MastermindLevel(turns=4000, keepers=50, places=4, change_every=60, chatter=1.0),
}
KNIGHTS = {
    "short": KnightsLevel(turns=40, people=9, knights=3, change_every=15),
    "standard": KnightsLevel(
        turns=500, people=90, knights=30, delay=5, change_every=40, chatter=0.5
    ),
    "plain": KnightsLevel(
        turns=300,
        people=60,
        knights=20,
        delay=5,
        change_every=30,
        chatter=0.5,
        plain=True,
    ),
    "long": KnightsLevel(
        turns=4000, people=240, knights=80, delay=20, change_every=60, chatter=1.0
    ),
}


def eleusis(level: str, bank: str = "scored") -> LogicGame:
    """Hidden rules of dealers. Raises KeyError for an unknown level."""
    chosen = ELEUSIS[level]
    make = partial(Eleusis, chosen, load("eleusis", bank))
    return LogicGame(name=titled("eleusis", level, bank), turns=chosen.turns, set_up=make)


def mastermind(level: str, bank: str = "scored") -> LogicGame:
    """Hidden rows of keepers. Raises KeyError for an unknown level."""
    chosen = MASTERMIND[level]
    make = partial(Mastermind, chosen, load("mastermind", bank))
    return LogicGame(name=titled("mastermind", level, bank), turns=chosen.turns, set_up=make)


def knights(level: str, bank: str = "scored") -> LogicGame:
    """People who lie or do not. Raises KeyError for an unknown level."""
    chosen = KNIGHTS[level]
    words = plain(bank) if chosen.plain else load("knights", bank)
    make = partial(Knights, chosen, words)
    return LogicGame(name=titled("knights", level, bank), turns=chosen.turns, set_up=make)


GAMES: Mapping[str, Callable[[], Game]] = {
    titled(kind.__name__, level, bank): partial(kind, level, bank)
    for bank in BANKS
    for kind, levels in ((eleusis, ELEUSIS), (mastermind, MASTERMIND), (knights, KNIGHTS))
    for level in levels
}
