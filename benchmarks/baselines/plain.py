"""BM25, dense, and their two usual fusions, as systems of the suites.

Texts are indexed as a chat log would show them, `<speaker>: <words>`; BM25 also
sees the date. The dense baseline is plain: the question as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.lexical import Bm25
from mags.ports.embedder import Embedder
from mags_lab.evaluation.protocol import SourceTurn, Statement, Triple

Kind = Literal["bm25", "dense", "zsum", "rrf"]
_RRF = 60  # Cormack et al., 2009


def as_said(turn: SourceTurn) -> str:
    """The turn as a chat log shows it."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def dated(turn: SourceTurn) -> str:
    """The same with the day in words."""
    return f"{turn.at:%d %B %Y} {as_said(turn)}" if turn.speaker else turn.text


class Plain:
    """One of the four, over texts with ids."""

    def __init__(self, kind: Kind, embedder: Embedder) -> None:
        self._kind = kind
        self._embedder = embedder
        self._ids: list[str] = []

    def index(self, ids: Sequence[str], spoken: Sequence[str], lexical: Sequence[str]) -> None:
        """Index texts once; `spoken` is embedded, `lexical` goes to BM25."""
        self._ids = list(ids)
        if self._kind != "bm25":
            self._vectors = self._embedder.embed(spoken)
        if self._kind != "dense":
            self._bm25 = Bm25(lexical)

    def search(self, query: str, k: int) -> list[str]:
        """The k best ids."""
        order = np.argsort(-self._scores(query), kind="stable")[:k]
        return [self._ids[row] for row in order]

    def _scores(self, query: str) -> NDArray[np.float64]:
        if self._kind == "bm25":
            return self._bm25.scores(query)
        asked = self._embedder.embed([query])[0]
        dense: NDArray[np.float64] = (self._vectors @ asked).astype(np.float64)
        if self._kind == "dense":
            return dense
        lexical = self._bm25.scores(query)
        if self._kind == "zsum":
            return standardised(dense) + standardised(lexical)
        return 1 / (_RRF + ranks(dense)) + 1 / (_RRF + ranks(lexical))


class PlainTurns(Plain):
    """A `Retriever` (and a `GraphRetriever` that makes nothing of the triples)."""

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Index all turns; called once."""
        self.index([t.id for t in turns], [as_said(t) for t in turns], [dated(t) for t in turns])

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Index all turns and leave the triples out."""
        self.add(turns)


class PlainFacts(Plain):
    """A `FactMemory` that keeps everything and overwrites nothing."""

    def tell(self, statements: Sequence[Statement]) -> None:
        """Index all statements; called once."""
        texts = [s.text for s in statements]
        self.index([s.key for s in statements], texts, texts)


class PlainUpdates(Plain):
    """An `UpdateMemory` that closes nothing."""

    def observe(self, sentences: Sequence[str]) -> None:
        """Index all sentences; called once."""
        self.index([str(n) for n in range(len(sentences))], sentences, sentences)

    def search(self, query: str, k: int) -> list[int]:  # type: ignore[override]
        """The numbers of the k best sentences."""
        return [int(i) for i in super().search(query, k)]

    def closed(self) -> frozenset[int]:
        """Nothing."""
        return frozenset()


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Zero mean and unit deviation; zeros where all are equal."""
    deviation = values.std()
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the best, 2 for the next, in shape (n,)."""
    found = np.empty(len(values))
    found[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return found
