"""BM25 (Robertson and Zaragoza, 2009), k1 1.2 and b 0.75, over a fixed list of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.baselines.words import stems

_K1 = 1.2
_B = 0.75


class Bm25:
    """Scores of a query against all texts at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(stems(text)) for text in texts]
        self.vocabulary = {w: n for n, w in enumerate(sorted({w for c in counts for w in c}))}
        self.size = len(texts)
        length = np.array([c.total() for c in counts], dtype=np.float64)
        norm = _K1 * (1 - _B + _B * length / max(length.mean(), 1.0))
        rows, cols, data = [], [], []
        self.df = np.zeros(len(self.vocabulary))
        for row, count in enumerate(counts):
            for word, times in count.items():
                rows.append(row)
                cols.append(self.vocabulary[word])
                data.append(times * (_K1 + 1) / (times + norm[row]))
                self.df[cols[-1]] += 1
        shape = (self.size, len(self.vocabulary))
        self._matrix = sparse.csc_matrix((data, (rows, cols)), shape=shape)
        self._idf = np.log1p((self.size - self.df + 0.5) / (self.df + 0.5))

    def scores(self, query: str) -> NDArray[np.float64]:
        """Shape (texts,), 0 where no word is shared."""
        known = sorted({self.vocabulary[w] for w in stems(query) if w in self.vocabulary})
        return np.asarray(self._matrix[:, known] @ self._idf[known]).ravel()

    def common(self, word: str, share: float = 0.2) -> bool:
        """Whether the word stands in more than `share` of the texts."""
        column = self.vocabulary.get(word)
        return column is not None and self.df[column] > share * self.size
