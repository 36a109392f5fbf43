"""Over-query: what the two indexes propose, and the scores everything else builds on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NEVER, NodeKind
from mags.index.lexicon import Match
from mags.index.state import State
from mags.index.vectors import Groups
from mags.recall.kernels import best_in_blocks, blocks_of, seen, z_scores
from mags.recall.query import Reading
from mags.recall.settings import RecallSettings
from mags.recall.summing import outdated


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidates:
    """Rows in question, shape (n,), with their own scores.

    `similarity`: cosine with the first query (the question); `lexical`: its BM25;
    `reworded`: greatest cosine with the other queries; `matches`: what each query's words
    found in the whole memory.
    """

    rows: NDArray[np.int64]
    similarity: NDArray[np.float32]
    reworded: NDArray[np.float32]
    lexical: NDArray[np.float32]
    matches: tuple[Match, ...]

    @cached_property
    def fused(self) -> NDArray[np.float32]:
        """Sum of the two standardised scores, shape (n,)."""
        return standardised(self.similarity) + standardised(self.lexical)


def standardised(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """z-scores over the candidates; all zero where they are all alike."""
    out = np.empty(len(scores), np.float32)
    z_scores(np.ascontiguousarray(scores), out)
    return out


def softmax(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares that sum to 1, shape of `scores`."""
    mass = np.exp(scores.astype(np.float64) - float(scores.max()))
    return np.asarray(mass / mass.sum(), np.float64)


def visible(state: State, rows: NDArray[np.int64], reading: Reading) -> NDArray[np.bool_]:
    """Which rows may come back: of a recallable kind, in time, not superseded; bool (n,).

    A theme comes back for an overview, while all that it sums up holds.
    """
    graph, plan = state.graph, reading.query.plan
    moment = float(reading.now_s if reading.as_of is None else reading.as_of)
    nodes = graph.nodes[: graph.size]
    out = np.empty(len(rows), np.int8)
    seen(
        rows,
        (graph.alive, graph.kinds, *(nodes[name] for name in TIMES)),
        _wanted(reading),
        plan.past,
        moment,
        NEVER if reading.as_of is None else float(reading.as_of),
        NEVER if reading.recorded_as_of is None else float(reading.recorded_as_of),
        out,
    )
    shown = out.view(np.bool_)
    if reading.query.overview:
        themes = np.flatnonzero(shown & (graph.kinds[rows] == NodeKind.THEME))
        shown[themes] = ~outdated(graph, rows[themes], moment)
    return shown


TIMES = ("flags", "valid_from", "valid_to", "recorded_at", "closed_at")
"""Fields that say whether a node may come back."""


def valid_to(nodes: NDArray[np.void], reading: Reading) -> NDArray[np.float64]:
    """End of validity as it was known at `recorded_as_of`."""
    ends = nodes["valid_to"]
    if reading.recorded_as_of is None:
        return np.asarray(ends, np.float64)
    return np.where(nodes["closed_at"] > reading.recorded_as_of, NEVER, ends)


def gather(
    state: State, reading: Reading, settings: RecallSettings, extra: NDArray[np.int64]
) -> Candidates:
    """Top K of each index in each block for each query, and `extra` rows, if they may be seen."""
    found = [extra]
    k = settings.candidates * (4 if reading.as_of or reading.recorded_as_of else 1)
    matches = [state.lexicon.match(terms) for terms in reading.query.terms]
    for alike in state.vectors.nearest(reading.vectors, k, _blocks(state, reading)):
        found.extend(alike)
    for match in matches:
        found.extend(_best_words(state, reading, match, k))
    rows = distinct(np.concatenate(found))
    rows = rows[visible(state, rows, reading)]
    return Candidates(
        rows=rows,
        **_cosines(state, rows, reading),
        lexical=bm25_of(matches[:1], rows),
        matches=tuple(matches),
    )


def distinct(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each of some rows once, ascending (`np.unique` takes five times as long for a few)."""
    ordered = np.sort(rows)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


BLOCKS = 2
"""Episodic and semantic: each proposes candidates of its own."""


Wanted = tuple[bool, bool, bool]
"""Whether the episodic and the semantic block take part, and themes in the latter."""


def _wanted(reading: Reading) -> Wanted:
    plan = reading.query.plan
    return plan.episodic > 0, plan.semantic > 0, reading.query.overview


def _blocks(state: State, reading: Reading) -> Groups:
    """The two blocks as the vectors are searched by; kept while the state stays as it is."""
    wanted = _wanted(reading)
    return state.kept(("blocks", wanted), lambda: Groups(partial(_block_of, state, wanted), BLOCKS))


def _block_of(state: State, wanted: Wanted, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """0 for rows of the episodic block, 1 for the semantic, -1 for what never comes back."""
    out = np.empty(len(rows), np.int8)
    blocks_of(rows, state.graph.alive, state.graph.kinds, wanted, out)
    return out


def _best_words(state: State, reading: Reading, match: Match, k: int) -> list[NDArray[np.int64]]:
    """The k rows of greatest BM25 in each block, in no order."""
    rows, graph, wanted = match.rows, state.graph, _wanted(reading)
    if len(rows) > MANY:
        return [best_in_blocks(rows, match.scores, graph.alive, graph.kinds, wanted, k)]
    rows = best_of(rows, match.scores, 4 * k)
    of = _block_of(state, wanted, rows)
    return [best_of(rows[of == block], match.scores, k) for block in range(BLOCKS)]


MANY = 10_000
"""Rows with a word of the question from which on they are gone through one by one."""


def best_of(rows: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The k of `rows` with the greatest scores (by row), in no order."""
    if len(rows) <= k:
        return rows
    return rows[np.argpartition(-scores[rows], k)[:k]]


def bm25_of(matches: Sequence[Match], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Greatest BM25 of each row over the queries, shape (n,); 0 for row -1."""
    best = np.zeros(len(rows), np.float32)
    for match in matches:
        known = (rows >= 0) & (rows < len(match.scores))
        best[known] = np.maximum(best[known], match.scores[rows[known]])
    return best


def _cosines(
    state: State, rows: NDArray[np.int64], reading: Reading
) -> dict[str, NDArray[np.float32]]:
    """Cosines with the question, and the greatest with its rewordings, each of shape (n,)."""
    if not len(reading.vectors):
        empty = np.zeros(len(rows), np.float32)
        return {"similarity": empty, "reworded": empty}
    cosines = state.vectors.products(rows, reading.vectors)
    return {"similarity": cosines[:, 0], "reworded": cosines[:, 1:].max(axis=1, initial=-1.0)}


def widen(state: State, found: Candidates, reading: Reading, rows: NDArray[np.int64]) -> Candidates:
    """The candidates with more rows (what the spread and the walk reached)."""
    fresh = np.array(sorted(set(rows.tolist()).difference(found.rows.tolist())), np.int64)
    fresh = fresh[visible(state, fresh, reading)] if len(fresh) else fresh
    if not len(fresh):
        return found
    cosines = _cosines(state, fresh, reading)
    return Candidates(
        rows=np.concatenate([found.rows, fresh]),
        similarity=np.concatenate([found.similarity, cosines["similarity"]]),
        reworded=np.concatenate([found.reworded, cosines["reworded"]]),
        lexical=np.concatenate([found.lexical, bm25_of(found.matches[:1], fresh)]),
        matches=found.matches,
    )
