"""What a peer has to offer (store texts, find ids), and the suites' protocols made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from benchmarks.baselines.plain import as_said
from benchmarks.systems import System
from mags_lab.evaluation.protocol import SourceTurn, Statement, Triple


class PeerMemory(Protocol):
    """An empty memory of a peer."""

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Store texts under ids, once."""
        ...

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best texts."""
        ...


class PeerTurns:
    """Turns as a chat log shows them; triples are left out."""

    def __init__(self, make: Callable[[], PeerMemory]) -> None:
        self._memory = make()

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Store all turns."""
        self._memory.store([t.id for t in turns], [as_said(t) for t in turns])

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Store all turns; the triples are left out: the peer takes texts."""
        self.add(turns)

    def search(self, query: str, k: int) -> list[str]:
        """Return the k best turns."""
        return self._memory.search(query, k)


class PeerFacts:
    """Statements as sentences, all kept."""

    def __init__(self, make: Callable[[], PeerMemory]) -> None:
        self._memory = make()

    def tell(self, statements: Sequence[Statement]) -> None:
        """Store all statements, in order."""
        self._memory.store([s.key for s in statements], [s.text for s in statements])

    def search(self, query: str, k: int) -> list[str]:
        """Return the k best statements."""
        return self._memory.search(query, k)


class PeerUpdates:
    """Sentences by number; without a language model none of the peers closes any."""

    def __init__(self, make: Callable[[], PeerMemory]) -> None:
        self._memory = make()

    def observe(self, sentences: Sequence[str]) -> None:
        """Store all sentences."""
        self._memory.store([str(n) for n in range(len(sentences))], sentences)

    def search(self, query: str, k: int) -> list[int]:
        """Return the k best sentences."""
        return [int(i) for i in self._memory.search(query, k)]

    def closed(self) -> frozenset[int]:
        """Nothing."""
        return frozenset()


def as_system(name: str, note: str, make: Callable[[], PeerMemory]) -> System:
    """Put a peer into every suite."""
    return System(
        name=name,
        note=note,
        turns=lambda: PeerTurns(make),
        graph=lambda: PeerTurns(make),
        facts=lambda: PeerFacts(make),
        updates=lambda: PeerUpdates(make),
    )
