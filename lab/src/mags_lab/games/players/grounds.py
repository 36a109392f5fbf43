"""What led to an act: the lines of the best chain to it, and what led to acts that they report.

Of a report those lines are kept that are no reports themselves, so that a report of an act by a
report, and so on, rests on no more than the first did.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from mags.recall.chains import Chain
from mags_lab.games.players.doubts import Link, links


@dataclass(frozen=True, slots=True)
class Ground:
    """`lines`: episodes; `links`: how they hang together."""

    lines: frozenset[int] = frozenset()
    links: frozenset[Link] = frozenset()

    def without(self, lines: Container[int]) -> Ground:
        """This one but for some lines."""
        return Ground(
            frozenset(one for one in self.lines if one not in lines),
            frozenset(one for one in self.links if one[0] not in lines),
        )

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

    def lead(self, chains: Sequence[Chain], actions: Sequence[str], apart: frozenset[str]) -> None:
        """These lead to actions now; `apart`: see `links`."""
        every = links(chains, actions, apart)
        self._leading = {
            actions[one.option]: Ground(frozenset(one.steps), own)
            for one, own in zip(chains, every, strict=True)
        }

    def did(self, action: str) -> Ground:
        """What led to what was done."""
        own = self._leading.get(action, Ground())
        self.last = own.joined(self._reports[one] for one in own.lines if one in self._reports)
        return self.last

    def report(self, episode: int) -> None:
        """An episode reports the last act, which went well."""
        roots = self.last.without(self._reports)
        if roots.lines:
            self._reports[episode] = roots
