"""BM25 over stemmed words (Robertson and Zaragoza, 2009), held as keyed hashes only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.pool import Pool
from mags.index.kernels import K1, B, bm25
from mags.index.tokens import terms


class Lexicon:
    """Which rows hold which terms; words themselves are never kept.

    `size` documents (graph rows), `documents` of them indexed.
    """

    def __init__(self, hasher: Callable[[str], int]) -> None:
        """`hasher` maps a term to a keyed 64-bit hash."""
        self._hash = hasher
        self._row_of: dict[int, int] = {}
        self._pool = Pool({"doc": np.int32, "tf": np.float32})
        self.length = np.zeros(16, np.float32)
        self.size = 0
        self.documents = 0
        self._total = 0.0

    def add(self, rows: Sequence[int], texts: Sequence[str]) -> None:
        """Index the texts of rows that are not indexed yet."""
        term_rows: list[int] = []
        docs: list[int] = []
        counts: list[float] = []
        for row, text in zip(rows, texts, strict=True):
            self._grow(row + 1)
            found = Counter(terms(text))
            self.length[row] = max(1, sum(found.values()))
            self.documents += 1
            self._total += float(self.length[row])
            for term, count in found.items():
                term_rows.append(self._term(term))
                docs.append(row)
                counts.append(float(count))
        if term_rows:
            self._pool.append(
                np.array(term_rows, np.int64),
                doc=np.array(docs, np.int32),
                tf=np.array(counts, np.float32),
            )

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Take rows out, by rebuilding the postings without them."""
        rows = rows[rows < self.size]
        rows = rows[self.length[rows] > 0]
        if not len(rows):
            return
        gone = np.zeros(self.size, np.bool_)
        gone[rows] = True
        packed = self._pool.packed()
        keep = ~gone[packed["doc"]]
        term_of = np.repeat(np.arange(len(packed["length"])), packed["length"])
        packed["length"] = np.bincount(term_of[keep], minlength=len(packed["length"]))
        for name in ("doc", "tf"):
            packed[name] = packed[name][keep]
        self._pool = Pool.unpack(packed)
        self.documents -= len(rows)
        self._total -= float(self.length[rows].sum())
        self.length[rows] = 0

    def frequency(self, term: str) -> int:
        """How many documents hold a stemmed term."""
        row = self._row_of.get(self._hash(term))
        return 0 if row is None else int(self._pool.length[row])

    def scores(self, query_terms: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """BM25 of every row for stemmed terms (repeats count once).

        Returns scores by row, shape (size,), and the rows that scored, in no order.
        """
        scores = np.zeros(self.size, np.float32)
        found = [self._row_of.get(self._hash(term)) for term in dict.fromkeys(query_terms)]
        rows = np.array([row for row in found if row is not None], np.int64)
        if not len(rows) or not self.documents:
            return scores, np.zeros(0, np.int64)
        df = self._pool.length[rows].astype(np.float32)
        idf = np.log1p((self.documents - df + 0.5) / (df + 0.5)).astype(np.float32)
        idf = np.maximum(idf, 1e-6).astype(np.float32)
        average = self._total / self.documents
        norm = (K1 * (1 - B + B * self.length[: self.size] / average)).astype(np.float32)
        touched = np.empty(self.size, np.int64)
        columns = self._pool.columns
        n = bm25(
            self._pool.start,
            self._pool.length,
            columns["doc"],
            columns["tf"],
            norm,
            rows,
            idf,
            scores,
            touched,
        )
        return scores, touched[:n]

    def _term(self, term: str) -> int:
        key = self._hash(term)
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = len(self._row_of)
            self._pool.grow_rows(row + 1)
        return row

    def _grow(self, size: int) -> None:
        if size > len(self.length):
            new = np.zeros(max(size, 2 * len(self.length)), np.float32)
            new[: self.size] = self.length[: self.size]
            self.length = new
        self.size = max(self.size, size)

    def packed(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Postings of the kept rows, renumbered 0..n-1."""
        renumber = np.full(max(self.size, 1), -1, np.int64)
        kept = rows[rows < self.size]
        renumber[kept] = np.flatnonzero(rows < self.size)
        packed = self._pool.packed()
        term_of = np.repeat(np.arange(len(packed["length"])), packed["length"])
        doc = renumber[packed["doc"]]
        keep = doc >= 0
        lengths = np.zeros(len(rows), np.float32)
        lengths[rows < self.size] = self.length[kept]
        return {
            "hash": np.fromiter(self._row_of, np.uint64, len(self._row_of)),
            "length": np.bincount(term_of[keep], minlength=len(packed["length"])).astype(np.int32),
            "doc": doc[keep].astype(np.int32),
            "tf": packed["tf"][keep],
            "lengths": lengths,
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], hasher: Callable[[str], int]) -> Lexicon:
        """The reverse of `packed`."""
        lexicon = cls(hasher)
        hashes = arrays["hash"].tolist()
        lexicon._row_of = dict(zip(hashes, range(len(hashes)), strict=True))
        lexicon._pool = Pool.unpack({name: arrays[name] for name in ("length", "doc", "tf")})
        lexicon.length = np.array(arrays["lengths"])
        lexicon.size = len(lexicon.length)
        lexicon.documents = int(np.count_nonzero(lexicon.length))
        lexicon._total = float(lexicon.length.sum())
        return lexicon

    @property
    def nbytes(self) -> int:
        """Bytes held in arrays."""
        return self._pool.nbytes + self.length.nbytes
