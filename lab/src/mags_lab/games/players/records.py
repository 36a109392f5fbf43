"""How often a way to decide was right, by the words of the question: which way to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mags_lab.games.players.ranking import ANY


class Record:
    """`first`: share right as far as is known at first; `turns`: as how many turns that counts."""

    def __init__(self, first: float, turns: float) -> None:
        """Nothing is known yet."""
        self._first = first
        self._turns = turns
        self._right: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()

    def learn(self, asked: Sequence[str], *, right: bool) -> None:
        """Take in one turn. `asked`: of `words_of`."""
        self._seen.update(asked)
        self._right.update(asked if right else ())

    def share(self, asked: Sequence[str]) -> float:
        """The share right: half by all turns, half by those that asked in these words."""
        return 0.5 * self._of(ANY) + 0.5 * sum(map(self._of, asked)) / len(asked)

    def _of(self, word: str) -> float:
        return (self._right[word] + self._turns * self._first) / (self._seen[word] + self._turns)
