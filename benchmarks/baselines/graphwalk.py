"""The hand-made graph walk of the design: passages joined by the names they share.

Passages and names are the two sides of a graph (a title is a name of its
passage; edges weigh a name's inverse document frequency; names in more than
1,000 passages pass nothing on). Personalised PageRank (restart .5) runs from
the best passages by dense + BM25; the score is that sum of standardised scores
plus the standardised log of the rank. No weight was fitted. With triples, their
subjects and objects are names too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.baselines.lexical import Bm25
from benchmarks.baselines.plain import standardised
from mags.ports.embedder import Embedder
from mags_lab.evaluation.protocol import SourceTurn, Triple

_SPAN = re.compile(r"[A-Z][\w.-]*(?:\s+(?:(?:of|the|de|la|von|van|and)\s+){0,2}[A-Z0-9][\w.-]*)*")
_SEEDS = 8
_RESTART = 0.5
_STEPS = 20
_HUB = 1000


class GraphWalk:
    """A `GraphRetriever` over passages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._names: dict[str, set[int]] = defaultdict(set)
        self._walk: sparse.csr_matrix | None = None

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Index all passages; called once."""
        texts = [t.text for t in turns]
        self._ids = [t.id for t in turns]
        self._vectors = self._embedder.embed(texts)
        self._bm25 = Bm25(texts)
        for row, text in enumerate(texts):
            title, _, _ = text.partition("\n")
            for name in [re.sub(r"\s*\(.*\)$", "", title), *_SPAN.findall(text)]:
                self._names[_key(name)].add(row)

    def add_graph(
        self, turns: Sequence[SourceTurn], triples: Mapping[str, Sequence[Triple]]
    ) -> None:
        """Index all passages, and take subjects and objects of triples as their names."""
        self.add(turns)
        row = {t.id: number for number, t in enumerate(turns)}
        for turn_id, found in triples.items():
            for subject, _, obj in found:
                self._names[_key(subject)].add(row[turn_id])
                self._names[_key(obj)].add(row[turn_id])

    def search(self, query: str, k: int) -> list[str]:
        """The k best ids."""
        if self._walk is None:
            self._walk = self._transitions()
        dense = (self._vectors @ self._embedder.embed([query])[0]).astype(np.float64)
        score = standardised(dense) + standardised(self._bm25.scores(query))
        rank = self._pagerank(score, self._walk)
        score += standardised(np.log(rank + 1e-6))
        return [self._ids[row] for row in np.argsort(-score, kind="stable")[:k]]

    def _transitions(self) -> sparse.csr_matrix:
        """Passage to passage over shared names, rows summing to one (or zero)."""
        rows, cols, data = [], [], []
        kept = [p for p in self._names.values() if 1 < len(p) <= _HUB]
        for col, passages in enumerate(kept):
            weight = np.log(len(self._ids) / len(passages))
            for row in passages:
                rows.append(row)
                cols.append(col)
                data.append(weight)
        sides = sparse.csr_matrix((data, (rows, cols)), shape=(len(self._ids), max(len(kept), 1)))
        return sparse.csr_matrix(_by_row(sides) @ _by_row(sides.T.tocsr()))

    def _pagerank(self, score: NDArray[np.float64], walk: sparse.csr_matrix) -> NDArray[np.float64]:
        best = np.argsort(-score, kind="stable")[:_SEEDS]
        start = np.zeros(len(score))
        start[best] = np.exp(score[best] - score[best].max())
        start /= start.sum()
        rank = start.copy()
        for _ in range(_STEPS):
            rank = _RESTART * start + (1 - _RESTART) * (rank @ walk)
        return rank


def _by_row(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    return sparse.diags(1 / np.where(sums > 0, sums, 1)) @ matrix


def _key(name: str) -> str:
    return name.casefold().strip(" .,")
