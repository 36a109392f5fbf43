"""What a peer has to offer (store texts, find ids), and the suites' protocols made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from benchmarks.baselines.plain import as_said
from benchmarks.systems import System
from mags_lab.evaluation.protocol import Statement, Triple, Turn


class Shelf(Protocol):
    """An empty memory of a peer."""

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Store texts under ids, once."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best texts."""
        ...


class ShelfOfTurns:
    """Turns as a chat log shows them; triples are left out."""

    def __init__(self, make: Callable[[], Shelf]) -> None:
        self._shelf = make()

    def add(self, turns: Sequence[Turn]) -> None:
        """Store all turns."""
        self._shelf.store([t.id for t in turns], [as_said(t) for t in turns])

    def add_graph(self, turns: Sequence[Turn], triples: Mapping[str, Sequence[Triple]]) -> None:
        """Store all turns; the triples are left out: the peer takes texts."""
        self.add(turns)

    def search(self, query: str, k: int) -> list[str]:
        """Return the k best turns."""
        return self._shelf.search(query, k)


class ShelfOfFacts:
    """Statements as sentences, all kept."""

    def __init__(self, make: Callable[[], Shelf]) -> None:
        self._shelf = make()

    def tell(self, statements: Sequence[Statement]) -> None:
        """Store all statements, in order."""
        self._shelf.store([s.key for s in statements], [s.text for s in statements])

    def search(self, query: str, k: int) -> list[str]:
        """Return the k best statements."""
        return self._shelf.search(query, k)


class ShelfOfUpdates:
    """Sentences by number; without a language model none of the peers closes any."""

    def __init__(self, make: Callable[[], Shelf]) -> None:
        self._shelf = make()

    def observe(self, sentences: Sequence[str]) -> None:
        """Store all sentences."""
        self._shelf.store([str(n) for n in range(len(sentences))], sentences)

    def search(self, query: str, k: int) -> list[int]:
        """Return the k best sentences."""
        return [int(i) for i in self._shelf.search(query, k)]

    def closed(self) -> frozenset[int]:
        """Nothing."""
        return frozenset()


def as_system(name: str, note: str, make: Callable[[], Shelf]) -> System:
    """Put a peer into every suite."""
    return System(
        name=name,
        note=note,
        turns=lambda: ShelfOfTurns(make),
        graph=lambda: ShelfOfTurns(make),
        facts=lambda: ShelfOfFacts(make),
        updates=lambda: ShelfOfUpdates(make),
    )
