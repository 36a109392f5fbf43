"""BM25 over stemmed words (Robertson and Zaragoza, 2009), held as keyed hashes only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Pool, grow
from mags.index.kernels import bm25
from mags.index.tokens import RULES, foreign, terms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Match:
    """What a lexical query found.

    `scores`: BM25 by row, shape (size,); `bits`: bit i of a row is set if it holds the i-th known
    term, shape (size,); `rows`: those that scored, in no order; `idf`: of the known terms;
    `mass`: the sum of idf over all terms, where an unknown term counts as the rarest.
    """

    scores: NDArray[np.float32]
    bits: NDArray[np.uint64]
    rows: NDArray[np.int64]
    idf: NDArray[np.float32]
    mass: float


Buffers = tuple[NDArray[np.float32], NDArray[np.uint64], NDArray[np.int64]]
"""The arrays of a match: scores and bits by row, and the rows that scored."""


class Lexicon:
    """Which rows hold which terms, as keyed hashes; words themselves are never kept.

    `size`: rows of the graph; `documents`: how many of them count for the rarity of a word. Themes
    repeat other texts: they are found by their words but do not count (`set_aside`). `length`:
    words by row; `marks`: what kinds of answer a row's text could hold (`tokens.marks`). `rules`:
    those of `tokens.RULES` by which its words were taken.
    """

    def __init__(self, hasher: Callable[[str], int]) -> None:
        """`hasher` maps a term to a keyed 64-bit hash."""
        self._hash = hasher
        self._row_of: dict[int, int] = {}
        self._pool = Pool({"doc": np.int32, "tf": np.float32})
        self.length = np.zeros(16, np.float32)
        self.marks = np.zeros(16, np.uint8)
        self.size = 0
        self.documents = 0
        self.rules = RULES
        self._total = 0.0
        self._aside: set[int] = set()
        self._held_aside = np.zeros(0, np.int64)
        """By number of a term, how many rows that were set aside hold it."""
        self._spare: list[Buffers] = []

    def add(self, rows: Sequence[int], texts: Sequence[str], marked: Sequence[int] = ()) -> None:
        """Index the texts of rows that are not indexed yet; `marked`: the `marks` of each."""
        term_rows: list[int] = []
        docs: list[int] = []
        counts: list[float] = []
        for row, text in zip(rows, texts, strict=True):
            grow(self, row + 1, "length", "marks")
            self.size = max(self.size, row + 1)
            found = Counter(terms(text) + foreign(text))
            # At least 1, since a length of 0 means that the row is not indexed.
            self.length[row] = max(1, sum(found.values()))
            self.documents += 1
            self._total += float(self.length[row])
            for term, count in found.items():
                term_rows.append(self._term(term))
                docs.append(row)
                counts.append(float(count))
        if len(marked):
            self.marks[np.asarray(rows, np.int64)] = marked
        if term_rows:
            self._pool.append(
                np.array(term_rows, np.int64),
                doc=np.array(docs, np.int32),
                tf=np.array(counts, np.float32),
            )

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Take rows out, by rebuilding the postings without them."""
        # Postings are listed by term, so the entries of a row are spread over all of them.
        rows = rows[rows < self.size]
        rows = rows[self.length[rows] > 0]
        if not len(rows):
            return
        gone = np.zeros(self.size, np.bool_)
        gone[rows] = True
        packed, term_of = self._postings()
        keep = ~gone[packed["doc"]]
        packed["length"] = np.bincount(term_of[keep], minlength=len(packed["length"]))
        for name in ("doc", "tf"):
            packed[name] = packed[name][keep]
        self._pool = Pool.unpack(packed)
        self.documents -= len(rows)
        self._total -= float(self.length[rows].sum())
        # Rows that were set aside had left both sums already.
        aside = self._aside.intersection(rows.tolist())
        if aside:
            self.documents += len(aside)
            self._total += float(self.length[list(aside)].sum())
            self._aside -= aside
            self._count_aside()
        self.length[rows] = 0
        self.marks[rows] = 0

    def set_aside(self, rows: NDArray[np.int64]) -> None:
        """Leave indexed rows out of document frequencies and the average length."""
        fresh = set(rows[self.length[rows] > 0].tolist()) - self._aside
        if fresh:
            self.documents -= len(fresh)
            self._total -= float(self.length[list(fresh)].sum())
            self._aside |= fresh
            self._count_aside()

    def _count_aside(self) -> None:
        packed, term_of = self._postings()
        among = np.isin(packed["doc"], list(self._aside))
        self._held_aside = np.bincount(term_of[among])

    def _postings(self) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """The packed pool, and the number of the term of each of its entries."""
        packed = self._pool.packed()
        return packed, np.repeat(np.arange(len(packed["length"])), packed["length"])

    def _frequencies(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many documents hold each of some terms, by number."""
        held = self._pool.length[numbers].astype(np.int64)
        some = numbers < len(self._held_aside)
        held[some] -= self._held_aside[numbers[some]]
        return held

    def number(self, term: str) -> int:
        """The number of a stemmed term, which never changes; -1 if no document ever held it."""
        return self._row_of.get(self._hash(term), -1)

    @property
    def postings(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """By number of a term, where its rows start and how many they are; and all rows."""
        pool = self._pool
        return pool.start, pool.length, pool.columns["doc"]

    def frequency(self, term: str) -> int:
        """How many documents hold a stemmed term."""
        row = self.number(term)
        return int(self._frequencies(np.array([row]))[0]) if row >= 0 else 0

    def holding(self, term: str) -> NDArray[np.int64]:
        """Rows that hold a stemmed term, in the order they were added."""
        row = self.number(term)
        if row < 0:
            return np.zeros(0, np.int64)
        return self._pool.columns["doc"][self._pool.block(row)].astype(np.int64)

    def match(self, query_terms: Sequence[str]) -> Match:
        """BM25 and coverage of every row for stemmed terms (repeats count once)."""
        wanted = list(dict.fromkeys(query_terms))
        known = np.array([self.number(term) for term in wanted], np.int64)
        rows = known[known >= 0]
        scores, bits, touched = self._buffers()
        df = self._frequencies(rows).astype(np.float32)
        idf = np.log1p((self.documents - df + 0.5) / (df + 0.5)).astype(np.float32)
        # Above 0 also for a word that every document holds: `bm25` takes 0 for "not touched".
        idf = np.maximum(idf, 1e-6).astype(np.float32)
        # log(2 N + 1) is the idf of a term that no document holds.
        unknown = (len(wanted) - len(rows)) * float(np.log1p(2.0 * self.documents + 1.0))
        n = 0
        if len(rows) and self.documents:
            pool = self._pool
            postings = (pool.start, pool.length, pool.columns["doc"], pool.columns["tf"])
            average = self._total / self.documents
            n = bm25(postings, self.length, average, rows, idf, scores, bits, touched)
        return Match(
            scores=scores, bits=bits, rows=touched[:n], idf=idf, mass=float(idf.sum()) + unknown
        )

    def _buffers(self) -> Buffers:
        """Arrays of zeros for a match, handed back by `reuse` or new."""
        size = self.size
        with suppress(IndexError):  # another thread may take the last one first
            # Arrays from before the index grew are dropped.
            while len((buffers := self._spare.pop())[0]) != size:
                pass
            return buffers
        return np.zeros(size, np.float32), np.zeros(size, np.uint64), np.empty(size, np.int64)

    def reuse(self, match: Match) -> None:
        """Hand back a match that nobody reads any more; a later match gets its arrays."""
        # Clearing the rows that scored is cheaper than new arrays as long as the index.
        if len(match.scores) == self.size and match.rows.base is not None:
            match.scores[match.rows] = 0
            match.bits[match.rows] = 0
            self._spare.append((match.scores, match.bits, match.rows.base))

    def _term(self, term: str) -> int:
        key = self._hash(term)
        row = self._row_of.get(key)
        if row is None:
            row = self._row_of[key] = len(self._row_of)
            self._pool.grow_rows(row + 1)
        return row

    def packed(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Postings of the kept rows, renumbered 0..n-1."""
        renumber = np.full(max(self.size, 1), -1, np.int64)
        kept = rows[rows < self.size]
        renumber[kept] = np.flatnonzero(rows < self.size)
        packed, term_of = self._postings()
        doc = renumber[packed["doc"]]
        keep = doc >= 0
        lengths = np.zeros(len(rows), np.float32)
        lengths[rows < self.size] = self.length[kept]
        marked = np.zeros(len(rows), np.uint8)
        marked[rows < self.size] = self.marks[kept]
        counts = np.bincount(term_of[keep], minlength=len(packed["length"])).astype(np.int32)
        held = np.flatnonzero(counts)  # the hash of a forgotten word is not kept either
        return {
            "hash": np.fromiter(self._row_of, np.uint64, len(self._row_of))[held],
            "length": counts[held],
            "doc": doc[keep].astype(np.int32),
            "tf": packed["tf"][keep],
            "lengths": lengths,
            "marks": marked,
            "rules": np.array([self.rules], np.int64),
        }

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], hasher: Callable[[str], int]) -> Lexicon:
        """The reverse of `packed`."""
        lexicon = cls(hasher)
        hashes = arrays["hash"].tolist()
        lexicon._row_of = dict(zip(hashes, range(len(hashes)), strict=True))
        lexicon._pool = Pool.unpack({name: arrays[name] for name in ("length", "doc", "tf")})
        lexicon.length = np.array(arrays["lengths"])
        lexicon.marks = np.array(arrays["marks"])
        lexicon.size = len(lexicon.length)
        lexicon.rules = int(arrays["rules"][0]) if "rules" in arrays else 1
        lexicon.documents = int(np.count_nonzero(lexicon.length))
        lexicon._total = float(lexicon.length.sum())
        return lexicon

    @property
    def nbytes(self) -> int:
        """Bytes held in arrays."""
        return self._pool.nbytes + self.length.nbytes + self.marks.nbytes
