"""What finds rows of a graph: by their vectors, and by the words they hold.

Vectors are scanned as int8 copies when there are few, and found by HNSW when there are many. The
float16 matrix is exact. The int8 copy and the HNSW graph only propose rows. The graph is over int8,
too: that takes half the memory and half the time to build, and finds the same.

Words are found by BM25 over stems (Robertson and Zaragoza, 2009), held as keyed hashes only.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from mags.graph.graph import Pool, grow
from mags.index.kernels import bm25, cosines, greatest, int8_products, widened, windows
from mags.index.tokens import RULES, foreign, terms

SCAN_LIMIT = 20_000
"""Rows up to which all are scanned (0.45 ms at 20k; HNSW 0.3 ms at 100k)."""

MOST_ASKED = 16
"""The HNSW graph is asked for this many times k before too few rows of a group are accepted."""

GRAPH = "hnsw8"
"""The HNSW graph's name among packed arrays. An older "hnsw" was over float16; it is not read."""

GroupOf = Callable[[NDArray[np.int64]], NDArray[np.signedinteger[Any]]]
"""Rows -> the group of each (0, 1, ...), -1 where a row may not come back."""

CHURN = 0.25
"""Share of rows replaced or dropped from which the HNSW graph should be built again."""

_INT8_RANGE = 0.25
"""The largest component that int8 holds of 384-dimensional unit vectors, which stay well below it.
With fewer dimensions components are larger, by the root of the ratio, and so is this."""

BUILT_AT_ONCE = 4096
"""Rows that are added to the HNSW graph in one step while it is built."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorSnapshot:
    """A copy of the vectors at one moment: `rows` (n,), `vectors` (n, dimension) float16."""

    rows: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def build(self) -> Index:
        """Build the HNSW graph of them. Takes seconds, and needs no lock."""
        graph = _empty_graph(self.vectors.shape[1])
        for start in range(0, len(self.rows), BUILT_AT_ONCE):
            step = slice(start, start + BUILT_AT_ONCE)
            graph.add(self.rows[step].astype(np.uint64), _to_int8(self.vectors[step]))
        return graph


class Groups:
    """Which of `count` groups each row is in; for a scan the rows of each group are kept.

    Valid for as long as neither the rows nor their groups change.
    """

    def __init__(self, of: GroupOf, count: int) -> None:
        self.of, self.count = of, count
        self._rows: tuple[NDArray[np.int64], ...] | None = None

    def rows(self, there: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
        """Rows of each group, then those of all groups, each ascending.

        there: which rows have a vector, bool by row.
        """
        if self._rows is None:
            rows = np.flatnonzero(there)
            of = self.of(rows)
            self._rows = (*(rows[of == group] for group in range(self.count)), rows[of >= 0])
        return self._rows


class VectorIndex:
    """One vector for each graph row; rows without a vector are never found by a search.

    Any number of threads may search; a thread that changes it must be alone. Above `SCAN_LIMIT`
    rows the HNSW graph is used once there is one; until then all rows are scanned.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.size = 0
        self.matrix = np.zeros((16, dimension), np.float16)
        self.present = np.zeros(16, np.bool_)
        # None while the int8 copy is not kept: after loading, and while there is an HNSW graph.
        self._coarse: NDArray[np.int8] | None = np.zeros((16, dimension), np.int8)
        self._hnsw: Index | None = None
        self._hnsw_lock = threading.Lock()
        self._churned = 0
        # Rows that changed since `picture`, for `adopt`; None while no graph is being built.
        self._since: list[NDArray[np.int64]] | None = None

    def put(self, rows: NDArray[np.int64], vectors: NDArray[np.floating[Any]]) -> None:
        """Set the vectors of `rows`, shape (n, dimension)."""
        if not len(rows):
            return
        self.size = max(self.size, int(rows.max()) + 1)
        grow(self, self.size, "matrix", "present")
        if self._coarse is not None:
            grow(self, len(self.matrix), "_coarse")
            self._coarse[rows] = _to_int8(vectors)
        replaced = rows[self.present[rows]]
        self.matrix[rows] = vectors
        self.present[rows] = True
        self._count_churn(rows, len(replaced))
        if self._hnsw is not None:
            with self._hnsw_lock:
                if len(replaced):
                    self._hnsw.remove(replaced.astype(np.uint64))
                self._hnsw.add(rows.astype(np.uint64), _to_int8(self.matrix[rows]), threads=1)

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Forget the vectors of `rows`."""
        rows = rows[rows < self.size]
        rows = rows[self.present[rows]]
        if not len(rows):
            return
        self.matrix[rows] = 0
        if self._coarse is not None:
            self._coarse[rows] = 0
        self.present[rows] = False
        self._count_churn(rows, len(rows))
        if self._hnsw is not None:
            with self._hnsw_lock:
                self._hnsw.remove(rows.astype(np.uint64))

    def _count_churn(self, rows: NDArray[np.int64], lost: int) -> None:
        self._churned += lost
        if self._since is not None:
            self._since.append(rows)

    def get(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Vectors of `rows`, shape (n, dimension); zeros where there is none."""
        out = np.empty((len(rows), self.dimension), np.float32)
        widened(*self._halves(), rows, out)
        return out

    def products(
        self, rows: NDArray[np.int64], queries: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Products of `rows` with queries (m, dimension), shape (n, m); 0 where there is none."""
        out = np.empty((len(rows), len(queries)), np.float32)
        cosines(*self._halves(), rows, queries, out)
        return out

    def windows(
        self, rows: NDArray[np.int64], beside: NDArray[np.int64], query: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Cosines of a query with rows and their neighbours, shape (2, n).

        First with the mean of the vectors of each row and its two neighbours, then with the first
        neighbour alone. beside: the neighbours' rows, (2, n), -1 where there is none.
        """
        out = np.zeros((2, len(rows)), np.float32)
        windows(*self._halves(), rows, beside, query, out)
        return out

    def _halves(self) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
        """The matrix as uint16, since numba has no float16, and which rows exist."""
        return self.matrix.view(np.uint16), self._there

    @property
    def _there(self) -> NDArray[np.bool_]:
        return self.present[: self.size]

    def search_groups(
        self, query: NDArray[np.float32], k: int, group_of: GroupOf, groups: int
    ) -> list[NDArray[np.int64]]:
        """The k rows of greatest cosine in each of several groups, best first.

        Ordered by the int8 vectors alone where the HNSW graph is used. `group_of`: rows -> group
        of each (0..groups-1), -1 where a row may not come back.
        """
        found = self.nearest(query[None], k, Groups(group_of, groups))[0]
        if self._hnsw is not None:
            return found
        out = []
        for rows in found:
            cosines = self.products(rows, query[None])[:, 0]
            out.append(rows[np.argsort(-cosines, kind="stable")])
        return out

    def nearest(
        self, queries: NDArray[np.float32], k: int, groups: Groups
    ) -> list[list[NDArray[np.int64]]]:
        """`search_groups` for several queries (m, dimension), with rows in no order.

        A scan takes one pass over the vectors for all queries.
        """
        if self.size == 0 or k <= 0 or not len(queries):
            return [[np.zeros(0, np.int64)] * groups.count for _ in queries]
        if self._hnsw is not None:
            graph = self._hnsw
            return [self._walk(graph, query, k, groups) for query in queries]
        return self._scan(queries, k, groups)

    def _walk(
        self, graph: Index, query: NDArray[np.float32], k: int, groups: Groups
    ) -> list[NDArray[np.int64]]:
        """Rows as the HNSW graph finds them: best first, by the products of its own int8 vectors.

        Asks for more rows until there are enough: k of a single group, and of several groups at
        least half of an equal share of k each.
        """
        asked = k * max(groups.count, 2)
        coarse = _to_int8(query[None])[0]
        enough = k if groups.count == 1 else k // (2 * groups.count)
        while True:
            # Searches in several threads would share the graph's scratch memory.
            with self._hnsw_lock:
                found = graph.search(coarse, asked, threads=1).keys
            rows = np.asarray(found, np.int64)
            of = np.where(self.present[rows], groups.of(rows), -1)
            held = [int(np.count_nonzero(of == group)) for group in range(groups.count)]
            if min(held) >= enough or len(rows) < asked or asked >= 2 * MOST_ASKED * k:
                return [rows[of == group][:k] for group in range(groups.count)]
            asked *= 4

    def _scan(
        self, queries: NDArray[np.float32], k: int, groups: Groups
    ) -> list[list[NDArray[np.int64]]]:
        """The k best rows by float16, out of the 2k best by int8."""
        *of_groups, every = groups.rows(self._there)
        scores = np.empty((len(queries), self.size), np.int32)
        coarse = _to_int8(queries).astype(np.int16)
        if any(len(rows) > 2 * k for rows in of_groups):
            whole = self._coarse
            if whole is None:
                whole = np.empty(self.matrix.shape, np.int8)
                for start in range(0, len(whole), BUILT_AT_ONCE):
                    step = slice(start, start + BUILT_AT_ONCE)
                    whole[step] = _to_int8(self.matrix[step])
                self._coarse = whole  # once it is complete: other threads search, too
            int8_products(whole, every, coarse, scores)
        found: list[list[NDArray[np.int64]]] = [[] for _ in queries]
        for rows in of_groups:
            for one, best in zip(found, self._best(queries, scores, rows, k), strict=True):
                one.append(best)
        return found

    def _best(
        self,
        queries: NDArray[np.float32],
        scores: NDArray[np.int32],
        rows: NDArray[np.int64],
        k: int,
    ) -> NDArray[np.int64]:
        """The k best of some rows for each query, shape (m, <= k), in no order.

        scores: (m, size), by the int8 vectors.
        """
        m = len(queries)
        if len(rows) <= k:
            return np.broadcast_to(rows, (m, len(rows)))
        if len(rows) > 2 * k:
            pools = np.empty((m, 2 * k), np.int64)
            greatest(scores, rows, pools)
        else:
            pools = np.tile(rows, (m, 1))
        each = zip(pools, queries[:, None], strict=True)
        products = np.stack([self.products(pool, query)[:, 0] for pool, query in each])
        best = products.argpartition(-k, axis=1)[:, -k:]
        return np.asarray(pools[np.arange(m)[:, None], best], np.int64)

    @property
    def stale(self) -> bool:
        """Whether the HNSW graph is worth building: there is none, or much has changed."""
        if self.size <= SCAN_LIMIT:
            return False
        return self._hnsw is None or self._churned > CHURN * self.size

    def picture(self) -> VectorSnapshot:
        """A copy to build a new HNSW graph from; rows that change from here on are noted."""
        rows = np.flatnonzero(self.present[: self.size])
        self._since = []
        return VectorSnapshot(rows=rows, vectors=self.matrix[rows])

    def adopt(self, graph: Index) -> None:
        """Use the HNSW graph built from the last `picture`, with the changes since."""
        if self._since:
            changed = np.unique(np.concatenate(self._since))
            held = changed[np.asarray(graph.contains(changed.astype(np.uint64)), np.bool_)]
            if len(held):
                graph.remove(held.astype(np.uint64))
            there = changed[self.present[changed]]
            if len(there):
                graph.add(there.astype(np.uint64), _to_int8(self.matrix[there]))
        self._hnsw, self._since, self._churned = graph, None, 0
        # Nothing is scanned any more: the int8 copy would only take memory.
        self._coarse = None

    def packed(self, rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Vectors of the kept rows, renumbered 0..n-1; the HNSW graph only if all rows are kept."""
        # The HNSW graph knows its vectors by row, so it cannot be renumbered.
        whole = len(rows) >= self.size and bool((rows == np.arange(len(rows))).all())
        matrix = np.zeros((len(rows), self.dimension), np.float16)
        present = np.zeros(len(rows), np.bool_)
        if whole:
            matrix[: self.size], present[: self.size] = self.matrix[: self.size], self._there
        else:
            known = rows < self.size
            matrix[known] = self.matrix[rows[known]]
            present[known] = self.present[rows[known]]
        out: dict[str, NDArray[Any]] = {"matrix": matrix, "present": present}
        if self._hnsw is not None and whole:
            with self._hnsw_lock:
                out[GRAPH] = np.frombuffer(self._hnsw.save() or b"", np.uint8)
        return out

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], dimension: int) -> VectorIndex:
        """The reverse of `packed`; the arrays become the index's own."""
        index = cls(dimension)
        index.size = len(arrays["present"])
        index.matrix = np.asarray(arrays["matrix"]).reshape(index.size, dimension)
        index.present = np.asarray(arrays["present"])
        index._coarse = None
        if GRAPH in arrays and index.size > SCAN_LIMIT:
            graph = _empty_graph(dimension)
            graph.load(np.ascontiguousarray(arrays[GRAPH]).data)
            index._hnsw = graph
        return index

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        graph = 0 if self._hnsw is None else int(self._hnsw.memory_usage)
        coarse = 0 if self._coarse is None else self._coarse.nbytes
        return self.matrix.nbytes + coarse + graph


def _empty_graph(dimension: int) -> Index:
    return Index(ndim=dimension, metric="ip", dtype="i8", expansion_search=128)


def _to_int8(vectors: NDArray[np.floating[Any]]) -> NDArray[np.int8]:
    most = min(1.0, _INT8_RANGE * float(np.sqrt(384 / vectors.shape[-1])))
    scaled = np.rint(vectors.astype(np.float32) * (127 / most))
    return np.asarray(np.clip(scaled, -127, 127), np.int8)


# -- words -----------------------------------------------------------------------


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
