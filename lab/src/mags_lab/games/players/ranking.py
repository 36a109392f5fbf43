"""Which sort of line answers which sort of question: learned from what acts brought.

Nobody tells a player that a question for a gift is answered by what a feast asks for, and neither
by what a gate lets in nor by small talk that drops two names. So chains are ranked by their worth
and by what it came to where a question in such words was decided by lines in such words: pairs of a
word of the question and a word of a chain's first or last line, names and the words of the option
left out, weighed by a model that learns from each act (`online`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from mags.index.tokens import terms
from mags.recall.chains import Chain
from mags_lab.games.players.notes import Note
from mags_lab.games.players.online import Feature, Features, LogLinear
from mags_lab.games.players.wording import named, telling

WORTH = 2.0
"""The power of a chain's own worth; the larger, the less what was learned moves it."""
STEP = 0.2
ANY = "*"
"""Stands for whatever is asked."""


class Ranking:
    """What one game has taught of the lines that decide."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._model = LogLinear(STEP)
        self._options: list[int] = []

    def ranked(
        self,
        chains: Sequence[Chain],
        question: str,
        actions: Sequence[str],
        line: Callable[[int], Note | None],
    ) -> list[Chain]:
        """The chains with their worth by what was learned, in (0, 1], best first."""
        names, asked = named(question), words_of(question)
        options = telling(actions)
        every = [_features(one, asked, names | options[one.option], line) for one in chains]
        worth = [WORTH * math.log(one.value) if one.value > 0.0 else -math.inf for one in chains]
        logs = self._model.logs(worth, every)
        self._options = [one.option for one in chains]
        order = sorted(range(len(chains)), key=lambda i: -logs[i])
        values = [math.exp(one / WORTH) for one in logs]
        return [replace(chains[i], value=min(1.0, values[i])) for i in order]

    def learn(self, option: int, *, won: bool) -> None:
        """Take in what came of the option that was taken after `ranked`."""
        options, self._options = self._options, []
        if option in options:
            self._model.learn(options.index(option), won=won)


def words_of(question: str) -> tuple[str, ...]:
    """What is asked, names left out, and that something is."""
    return (*sorted(frozenset(terms(question)) - named(question)), ANY)


def _features(
    chain: Chain,
    asked: Sequence[str],
    off: frozenset[str],
    line: Callable[[int], Note | None],
) -> Features:
    """Pairs of words, those of a line of equal shares; how long the chain is counts as a word."""
    found: dict[Feature, float] = {}
    ends = {"last": chain.steps[-1:], "first": chain.steps[:-1][:1]}
    for place, steps in ends.items():
        for note in filter(None, map(line, steps)):
            text = note.line.text
            said = frozenset(terms(text)) - named(text) - off
            share = 1.0 / math.sqrt(len(asked) * max(1, len(said)))
            found |= {(place, a, b): share for a in asked for b in said}
    share = 0.5 / math.sqrt(len(asked))
    return found | {("long", a, str(len(chain.steps))): share for a in asked}
