"""The hand-made fusion of the design: a plain sum of standardised scores for dialogues.

.5 dense (common words stripped from the question) + .5 dense over the mean of
three turns + .5 best sentence + .5 BM25 + .25 BM25 of each neighbour + 1.0
speaker + .5 session (mean of its best three). Its weights were chosen on
LoCoMo, so on LoCoMo it is an upper orientation, no fair competitor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.lexical import Bm25
from benchmarks.baselines.plain import dated, standardised
from benchmarks.baselines.words import sentences, stems
from mags.ports.embedder import Embedder
from mags_lab.evaluation.protocol import SourceTurn

_BEST_OF_SESSION = 3


class HandMade:
    """A `Retriever`; asks for all turns at once, in order of time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Index all turns; called once."""
        self._turns = list(turns)
        self._vectors = self._embedder.embed([t.text for t in turns])
        parts = [sentences(t.text) for t in turns]
        self._first = np.cumsum([0, *map(len, parts)])[:-1]
        self._sentences = self._embedder.embed([s for group in parts for s in group])
        self._bm25 = Bm25([dated(t) for t in turns])
        self._words = Bm25([t.text + " " + t.speaker for t in turns])
        names = sorted({t.session for t in turns})
        self._session = np.array([names.index(t.session) for t in turns])
        self._sessions = len(names)
        same = self._session[1:] == self._session[:-1]
        self._joined = np.concatenate([[False], same, [False]])  # joined[i]: i-1 and i
        self._windows = self._window_means()

    def search(self, query: str, k: int) -> list[str]:
        """The k best ids."""
        bare = self._embedder.embed([self._stripped(query)])[0]
        lexical = self._bm25.scores(query)
        before, after = self._neighbours(lexical)
        best = np.maximum.reduceat(self._sentences @ bare, self._first)
        score = (
            0.5 * standardised((self._vectors @ bare).astype(np.float64))
            + 0.5 * standardised((self._windows @ bare).astype(np.float64))
            + 0.5 * standardised(best.astype(np.float64))
            + 0.5 * standardised(lexical)
            + 0.25 * standardised(before)
            + 0.25 * standardised(after)
            + 1.0 * standardised(self._speaker(query))
        )
        score += 0.5 * standardised(self._session_means(score))
        order = np.argsort(-score, kind="stable")[:k]
        return [self._turns[row].id for row in order]

    def _stripped(self, query: str) -> str:
        """The question without the words that stand in more than a fifth of the turns."""
        kept = [
            word
            for word in query.split()
            if not any(self._words.common(stem) for stem in stems(word))
        ]
        return " ".join(kept) or query

    def _window_means(self) -> NDArray[np.float32]:
        total = self._vectors.copy()
        count = np.ones((len(total), 1), dtype=np.float32)
        inner = self._joined[1:-1, None]
        total[1:] += np.where(inner, self._vectors[:-1], 0)
        total[:-1] += np.where(inner, self._vectors[1:], 0)
        count[1:] += inner
        count[:-1] += inner
        return total / count

    def _neighbours(
        self, values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        before = np.zeros_like(values)
        after = np.zeros_like(values)
        before[1:] = np.where(self._joined[1:-1], values[:-1], 0)
        after[:-1] = np.where(self._joined[1:-1], values[1:], 0)
        return before, after

    def _speaker(self, query: str) -> NDArray[np.float64]:
        asked = set(stems(query))
        return np.array([float(not asked.isdisjoint(stems(t.speaker))) for t in self._turns])

    def _session_means(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        means = np.empty(self._sessions)
        for number in range(self._sessions):
            inside = score[self._session == number]
            means[number] = np.sort(inside)[-_BEST_OF_SESSION:].mean()
        return np.asarray(means[self._session])
