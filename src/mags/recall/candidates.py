"""Over-query: what the two indexes propose, and the scores everything else builds on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.node import NEVER, NodeFlag, NodeKind
from mags.index.state import State
from mags.recall.query import Reading
from mags.recall.settings import RecallSettings

RECALLABLE = (NodeKind.EPISODE, NodeKind.FACT, NodeKind.NOTE, NodeKind.THEME)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Rows in question, shape (n,), with their own scores.

    `similarity`: greatest cosine over the queries; `lexical`: greatest BM25;
    `lexical_all`: BM25 by row of the whole graph, shape (size,).
    """

    rows: NDArray[np.int64]
    similarity: NDArray[np.float32]
    lexical: NDArray[np.float32]
    lexical_all: NDArray[np.float32]

    def fused(self) -> NDArray[np.float32]:
        """Sum of the two standardised scores, shape (n,)."""
        return standardised(self.similarity) + standardised(self.lexical)


def standardised(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """z-scores over the candidates; all zero where they are all alike."""
    if len(scores) == 0:
        return scores.astype(np.float32)
    deviation = float(scores.std())
    if deviation < 1e-9:
        return np.zeros(len(scores), np.float32)
    return np.asarray((scores - scores.mean()) / deviation, np.float32)


def visible(state: State, rows: NDArray[np.int64], reading: Reading) -> NDArray[np.bool_]:
    """Which rows may come back: of a recallable kind, in time, not superseded; bool (n,)."""
    nodes = state.graph.nodes[rows]
    kind, plan = nodes["kind"], reading.query.plan
    seen = state.graph.alive[rows] & (kind != NodeKind.ENTITY)
    if plan.episodic <= 0:
        seen &= kind != NodeKind.EPISODE
    if plan.semantic <= 0:
        seen &= kind == NodeKind.EPISODE
    if reading.recorded_as_of is not None:
        seen &= nodes["recorded_at"] <= reading.recorded_as_of
    moment = reading.now_s if reading.as_of is None else reading.as_of
    if reading.as_of is not None:
        seen &= (nodes["valid_from"] <= moment) | (kind == NodeKind.THEME)
    ends = valid_to(nodes, reading)
    lasting = (kind == NodeKind.FACT) | (kind == NodeKind.NOTE)
    if not plan.past:
        seen &= ~lasting | (ends > moment)
    else:
        seen &= ~((nodes["flags"] & NodeFlag.RETRACTED) > 0) | (ends > moment)
    return np.asarray(seen, np.bool_)


def valid_to(nodes: NDArray[np.void], reading: Reading) -> NDArray[np.float64]:
    """End of validity as it was known at `recorded_as_of`."""
    ends = nodes["valid_to"]
    if reading.recorded_as_of is None:
        return np.asarray(ends, np.float64)
    return np.where(nodes["closed_at"] > reading.recorded_as_of, NEVER, ends)


def gather(
    state: State, reading: Reading, settings: RecallSettings, extra: NDArray[np.int64]
) -> Candidates:
    """Top K of each index for each query, and `extra` rows, those that may be seen."""
    size = state.graph.size
    everything = state.graph.alive[:size] if state.vectors.size else np.zeros(size, np.bool_)
    lexical = np.zeros(size, np.float32)
    found = [extra]
    k = settings.candidates * (4 if reading.as_of or reading.recorded_as_of else 1)
    for vector, terms in zip(reading.vectors, reading.query.terms, strict=True):
        rows, _ = state.vectors.search(vector, k, everything)
        found.append(rows)
        scores, touched = state.lexicon.scores(terms)
        lexical[: len(scores)] = np.maximum(lexical[: len(scores)], scores)
        if len(touched) > k:
            touched = touched[np.argpartition(-scores[touched], k)[:k]]
        found.append(touched)
    rows = np.unique(np.concatenate(found)) if found else extra
    rows = rows[visible(state, rows, reading)]
    return Candidates(
        rows=rows,
        similarity=similarities(state, rows, reading),
        lexical=lexical[rows],
        lexical_all=lexical,
    )


def similarities(state: State, rows: NDArray[np.int64], reading: Reading) -> NDArray[np.float32]:
    """Greatest cosine of each row over the queries, shape (n,)."""
    if not len(rows) or not len(reading.vectors):
        return np.zeros(len(rows), np.float32)
    return np.asarray((state.vectors.get(rows) @ reading.vectors.T).max(axis=1), np.float32)


def widen(state: State, found: Candidates, reading: Reading, rows: NDArray[np.int64]) -> Candidates:
    """The candidates with more rows (what the spread and the walk reached)."""
    fresh = np.setdiff1d(rows, found.rows)
    fresh = fresh[visible(state, fresh, reading)] if len(fresh) else fresh
    if not len(fresh):
        return found
    return Candidates(
        rows=np.concatenate([found.rows, fresh]),
        similarity=np.concatenate([found.similarity, similarities(state, fresh, reading)]),
        lexical=np.concatenate([found.lexical, found.lexical_all[fresh]]),
        lexical_all=found.lexical_all,
    )
