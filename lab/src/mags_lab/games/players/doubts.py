"""The player's doubts: which lines led to an act, and which of them to blame when it goes wrong.

An act that goes wrong speaks against the lines that led to it, of which one at least holds no
longer, or never did. Those that have led to what went well since are cleared. The others share the
blame, the less the more often they were right before: so a rumour is doubted before what was acted
on many times, and a change that nobody told of comes down to the one line that goes wrong for one
after another (diagnosis from conflicts, Reiter 1987, Artificial Intelligence 32:57, by shares).

What led to an act is the best chain to it, and what led to acts that its lines report. Of a report
only lines that are no reports are kept, so that a report of a report rests on no more than the
first.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mags.recall.chains import Chain
from mags_lab.games.players.notes import telling

DOUBT = 1.0
"""By how much the logarithm of a chain's worth is less for an act of which it has all the blame."""
MOST = 20
"""Acts that went wrong by a link, the last ones, that are kept: more change nothing."""

Link: TypeAlias = tuple[int, int | frozenset[str]]
"""A line, by its episode, and what it led to: the next line, or the words of an action."""


def links(
    chains: Iterable[Chain], actions: Sequence[str], apart: frozenset[str]
) -> list[frozenset[Link]]:
    """How each chain to one of these actions hangs together.

    An action is known by the words that not all of them have, and by `apart`, the words of what is
    asked that tell it from other questions of the same: a line that does not lead from the left
    drawer to a key may still do so from the right one.
    """
    told = [words | apart for words in telling(actions)]
    return [
        frozenset(zip(one.steps, (*one.steps[1:], told[one.option]), strict=True)) for one in chains
    ]


_Act: TypeAlias = tuple[int, frozenset[Link]]
"""Which act it was, and the links that led to it."""


class Doubts:
    """What acts have shown of the lines of one game."""

    def __init__(self) -> None:
        """Nothing was done yet."""
        self._acts = 0
        self._right: Counter[Link] = Counter()
        self._cleared: dict[Link, int] = {}
        self._failed: dict[Link, deque[_Act]] = {}

    def learn(self, grounds: frozenset[Link], *, won: bool) -> None:
        """Take in what came of an act that these links led to."""
        self._acts += 1
        for one in grounds:
            if won:
                self._right[one] += 1
                self._cleared[one] = self._acts
                self._failed.pop(one, None)
            else:
                self._failed.setdefault(one, deque(maxlen=MOST)).append((self._acts, grounds))

    def weighed(
        self, chains: Sequence[Chain], actions: Sequence[str], apart: frozenset[str]
    ) -> list[Chain]:
        """Chains to these actions with what they are worth after all; `apart`: see `links`."""
        every = links(chains, actions, apart)
        return [
            replace(one, value=one.value * self.trust(own))
            for one, own in zip(chains, every, strict=True)
        ]

    def trust(self, chain: Iterable[Link]) -> float:
        """What a chain of these links is worth of what it would be, in (0, 1]."""
        return math.exp(-DOUBT * sum(map(self._blame, chain)))

    def _blame(self, link: Link) -> float:
        """The acts that went wrong by a link since it was right last, each by its share."""
        return sum(self._share(link, act, grounds) for act, grounds in self._failed.get(link, ()))

    def _share(self, link: Link, act: int, grounds: frozenset[Link]) -> float:
        suspects = {one: self._odds(one) for one in grounds if self._cleared.get(one, 0) < act}
        return suspects[link] / sum(suspects.values())

    def _odds(self, link: Link) -> float:
        return 1.0 / (1.0 + self._right[link])


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
