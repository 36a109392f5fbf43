"""Which sort of line answers which sort of question: learned from what acts brought.

Nobody tells a player that a question for a gift is answered by what a feast asks for, and neither
by what a gate lets in nor by small talk that drops two names. So chains are ranked by their worth
and by what it came to where a question in such words was decided by lines in such words. That is a
log-linear model over pairs of a word of the question and a word of a chain's first or last line,
names and the words of the option left out, trained online on each act: multinomial logistic
regression, its steps by AdaGrad (Duchi, Hazan and Singer 2011, JMLR 12:2121).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mags.games.players.notes import Note
from mags.games.players.wording import named, telling
from mags.index.tokens import terms
from mags.recall.chains import Chain

WORTH = 2.0
"""The power of a chain's own worth; the larger, the less what was learned moves it."""
STEP = 0.2
STEADY = 0.05
"""Size of a step, and what is added to the squares that make it smaller."""
SUREST = 0.98
"""Chance of an act that failed, at most, as its step is reckoned."""
ANY = "*"
"""Stands for whatever is asked."""

Pair = tuple[str, str, str]
"""Place in the chain, word of the question, word of the line."""
Features = Mapping[Pair, float]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A chain as it was ranked: its option, its chance among the others, and what it is made of."""

    option: int
    chance: float
    features: Features


class Ranking:
    """What one game has taught of the lines that decide."""

    def __init__(self) -> None:
        self._weights: dict[Pair, float] = defaultdict(float)
        self._squares: dict[Pair, float] = defaultdict(float)
        self._last: tuple[_Ranked, ...] = ()

    def ranked(
        self,
        chains: Sequence[Chain],
        question: str,
        actions: Sequence[str],
        line: Callable[[int], Note | None],
    ) -> list[Chain]:
        """The chains with their worth by what was learned, in (0, 1], best first."""
        names = named(question)
        asked = (*sorted(frozenset(terms(question)) - names), ANY)
        options = telling(actions)
        every = [_features(one, asked, names | options[one.option], line) for one in chains]
        learned = [self._score(features) for features in every]
        logs = [
            WORTH * math.log(one.value) + score if one.value > 0.0 else -math.inf
            for one, score in zip(chains, learned, strict=True)
        ]
        self._last = tuple(
            _Ranked(one.option, chance, features)
            for one, chance, features in zip(chains, _chances(logs), every, strict=True)
        )
        order = sorted(range(len(chains)), key=lambda i: -logs[i])
        values = [math.exp(one / WORTH) for one in logs]
        return [replace(chains[i], value=min(1.0, values[i])) for i in order]

    def learn(self, option: int, *, won: bool) -> None:
        """Take in what came of the option that was taken after `ranked`."""
        ranked, self._last = self._last, ()
        taken = next((one for one in ranked if one.option == option), None)
        if taken is None:
            return
        chance = min(taken.chance, SUREST)
        push = 1.0 if won else -min(1.0, chance / (1.0 - chance))
        slope: dict[Pair, float] = defaultdict(float)
        for one in ranked:
            by = push * ((one is taken) - one.chance)
            for pair, share in one.features.items():
                slope[pair] += by * share
        for pair, size in slope.items():
            self._squares[pair] += size * size
            self._weights[pair] += STEP * size / math.sqrt(self._squares[pair] + STEADY)

    def _score(self, features: Features) -> float:
        return sum(self._weights.get(pair, 0.0) * share for pair, share in features.items())


def _chances(logs: Sequence[float]) -> list[float]:
    """Their softmax."""
    if not logs or max(logs) == -math.inf:
        return [0.0 for _ in logs]
    top = max(logs)
    sizes = [math.exp(one - top) for one in logs]
    return [size / sum(sizes) for size in sizes]


def _features(
    chain: Chain,
    asked: Sequence[str],
    off: frozenset[str],
    line: Callable[[int], Note | None],
) -> Features:
    """Pairs of words, those of a line of equal shares; how long the chain is counts as a word."""
    found: dict[Pair, float] = {}
    ends = {"last": chain.steps[-1:], "first": chain.steps[:-1][:1]}
    for place, steps in ends.items():
        for note in filter(None, map(line, steps)):
            text = note.line.text
            said = frozenset(terms(text)) - named(text) - off
            share = 1.0 / math.sqrt(len(asked) * max(1, len(said)))
            found |= {(place, a, b): share for a in asked for b in said}
    share = 0.5 / math.sqrt(len(asked))
    return found | {("long", a, str(len(chain.steps))): share for a in asked}
