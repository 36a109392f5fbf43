"""What lines that came with an act turned out to mean for questions that differ in one word.

Of "the left drawer of Ana" and "the right drawer of Ana" one may be asked, and what is said then
may settle the other: "no key is in any drawer of Ana". Nobody tells a player which lines do. So it
counts, by the words of such a line without its names and without the act, how often the same act
went well where the other was asked; a line after which it hardly ever did speaks against the act.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mags.index.tokens import stem, terms, words
from mags_lab.games.players.wording import named

TRIES = 6
"""Acts after a sort of line from which on it means something."""

SELDOM = 0.1
"""Share of them that may have gone well all the same: what was said may have changed since."""

Pattern = tuple[str, ...]
"""A line with its names, the act and what tells questions apart left out."""


@dataclass(slots=True)
class _Count:
    tries: int = 0
    won: int = 0

    @property
    def against(self) -> bool:
        return self.tries >= TRIES and self.won <= SELDOM * self.tries


class Act(NamedTuple):
    """An act where something was asked: stems of the question's names, `about`: with what tells it
    from other questions of them, and `done`: of what was done.
    """

    names: frozenset[str]
    about: frozenset[str]
    done: frozenset[str]


class Lessons:
    """The lines of one game that came with acts, and what they meant."""

    def __init__(self) -> None:
        self._said: dict[frozenset[str], dict[Act, frozenset[Pattern]]] = {}
        self._counts: dict[Pattern, _Count] = {}

    def learn(self, act: Act, lines: Sequence[str], *, won: bool) -> None:
        """Take in an act, and the lines that came with it."""
        if not act.names or not act.done:
            return
        for pattern in self._elsewhere(act):
            count = self._counts.setdefault(pattern, _Count())
            count.tries += 1
            count.won += won
        said = frozenset(_pattern(line, act) for line in lines if _tells_of(line, act))
        if said:
            self._said.setdefault(act.names, {})[act] = said

    def against(self, act: Act) -> bool:
        """Whether what came with an act where something else was asked speaks against it here."""
        counts = (self._counts.get(pattern) for pattern in self._elsewhere(act))
        return any(count is not None and count.against for count in counts)

    def _elsewhere(self, act: Act) -> Iterator[Pattern]:
        """The lines that came with the same act where something else of these names was asked."""
        for other, patterns in self._said.get(act.names, {}).items():
            if other.about != act.about and other.done == act.done:
                yield from patterns


def _tells_of(line: str, act: Act) -> bool:
    """Whether a line speaks of the names and of what was done."""
    said = frozenset(terms(line))
    return act.names <= said and act.done <= said


def _pattern(line: str, act: Act) -> Pattern:
    off = act.about | act.done | named(line)
    return tuple(word for word in words(line) if stem(word) not in off)
