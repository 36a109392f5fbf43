"""What led to an act: the lines of the best chain to it, and what led to acts that they report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mags.games.players.doubts import Link, links
from mags.recall.chains import Chain


@dataclass(frozen=True, slots=True)
class Ground:
    """`lines`: episodes; `links`: how they hang together."""

    lines: frozenset[int] = frozenset()
    links: frozenset[Link] = frozenset()

    def joined(self, others: Iterable[Ground]) -> Ground:
        """This one with others."""
        every = (self, *others)
        return Ground(
            frozenset().union(*(one.lines for one in every)),
            frozenset().union(*(one.links for one in every)),
        )


class Grounds:
    """What led to the acts of one game. `last`: to the last one."""

    def __init__(self) -> None:
        """Nothing was done yet."""
        self.last = Ground()
        self._leading: dict[str, Ground] = {}
        self._reports: dict[int, Ground] = {}

    def lead(self, chains: Iterable[Chain], actions: Sequence[str], apart: frozenset[str]) -> None:
        """These lead to actions now; `apart`: see `links`."""
        self._leading = {
            actions[one.option]: Ground(frozenset(one.steps), links(one, actions, apart))
            for one in chains
        }

    def did(self, action: str) -> Ground:
        """What led to what was done."""
        own = self._leading.get(action, Ground())
        self.last = own.joined(self._reports[one] for one in own.lines if one in self._reports)
        return self.last

    def report(self, episode: int) -> None:
        """An episode reports the last act, which went well."""
        self._reports[episode] = self.last
