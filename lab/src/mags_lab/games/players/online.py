"""A log-linear model that learns as it goes from what came of the one thing it took.

Chances in proportion to exp(prior + weights times features). Of several things one is taken, and
all that is ever known is whether that went well: where it did, the step is the one of multinomial
logistic regression, where it did not, the gradient of log(1 - chance). Steps by AdaGrad (Duchi,
Hazan and Singer 2011, JMLR 12:2121).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

STEADY = 0.05
"""What is added to the squares that make a step smaller."""
SUREST = 0.98
"""Chance of what went wrong, at most, as its step is reckoned."""

Feature = tuple[str, ...]
Features = Mapping[Feature, float]


class LogLinear:
    """Weights of features, and what they were last asked about. `step`: size of the first steps."""

    def __init__(self, step: float) -> None:
        """Nothing is learned yet."""
        self._step = step
        self._weights: dict[Feature, float] = defaultdict(float)
        self._squares: dict[Feature, float] = defaultdict(float)
        self._last: tuple[tuple[float, Features], ...] = ()

    def worth(self, features: Features) -> float:
        """What was learned of features, a logarithm."""
        return sum(self._weights.get(one, 0.0) * size for one, size in features.items())

    def logs(self, priors: Sequence[float], features: Sequence[Features]) -> list[float]:
        """By thing its prior, a logarithm, with what was learned of its features."""
        found = [p + self.worth(own) for p, own in zip(priors, features, strict=True)]
        self._last = tuple(zip(chances(found), features, strict=True))
        return found

    def forget(self) -> None:
        """What was asked last is not to be learned from."""
        self._last = ()

    def learn(self, taken: int, *, won: bool) -> None:
        """Take in what came of the thing at that place among those of `logs`."""
        last, self._last = self._last, ()
        if not last:
            return
        chance = min(last[taken][0], SUREST)
        push = 1.0 if won else -min(1.0, chance / (1.0 - chance))
        slope: dict[Feature, float] = defaultdict(float)
        for place, (share, features) in enumerate(last):
            by = push * ((place == taken) - share)
            for one, size in features.items():
                slope[one] += by * size
        for one, size in slope.items():
            self._squares[one] += size * size
            self._weights[one] += self._step * size / math.sqrt(self._squares[one] + STEADY)


def foremost(logs: Sequence[float], things: Sequence[str], first: str) -> int:
    """The place of the thing that is worth most; of such as are worth the same, of `first`."""
    return max(range(len(logs)), key=lambda i: (logs[i], things[i] == first))


def chances(logs: Sequence[float]) -> list[float]:
    """Their softmax; of what has none (-inf) alone, 0."""
    if not logs or max(logs) == -math.inf:
        return [0.0 for _ in logs]
    top = max(logs)
    sizes = [math.exp(one - top) for one in logs]
    whole = sum(sizes)
    return [size / whole for size in sizes]
