"""Features of the ranking, each a column over the candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.graph.charge import node_charge
from mags.graph.graph import Graph
from mags.graph.node import NOBODY, NodeFlag, NodeKind
from mags.index.state import State
from mags.index.tokens import Mark
from mags.ports.policy import Plan
from mags.recall.bridge import Bridges
from mags.recall.candidates import Candidates, bits_of, bm25_of, standardised
from mags.recall.kernels import surroundings
from mags.recall.query import Query, Reading

EXPECTABLE = (Mark.TIME, Mark.NUMBER, Mark.PLACE, Mark.PERSON, Mark.REASON, Mark.LIKING)

RAW = frozenset(
    {"speaker", "entity", "walk", "question", "stale", "fact", "cover", "cover_near", "during"}
    | {"chain", "document", "bridge", "about", "titled"}
    | {f"expect_{mark.name.lower()}" for mark in EXPECTABLE if mark.name}
)
"""Features that are shares or flags: used as they are, not standardised."""


def neighbourhood(
    graph: Graph, rows: NDArray[np.int64], named: NDArray[np.int64], moment: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """`surroundings` of rows in a graph."""
    pool = graph.adjacency
    nodes = graph.nodes[: graph.size]
    before, after, stale, entity = surroundings(
        rows,
        pool.start,
        pool.length,
        pool.columns["peer"],
        pool.columns["kind"],
        nodes["kind"],
        nodes["valid_to"],
        moment,
        named,
    )
    return before, after, stale, entity


@dataclass(slots=True, kw_only=True)
class Reach:
    """What the graph says of rows: `spread` (push), `walk` (over facts) and `bridges`."""

    spread: dict[int, float]
    walk: dict[int, float]
    bridges: Bridges = field(default_factory=Bridges)


def _by_row(values: dict[int, float], rows: list[int]) -> NDArray[np.float32]:
    return np.array([values.get(row, 0.0) for row in rows], np.float32)


def columns(
    state: State,
    reading: Reading,
    found: Candidates,
    reach: Reach,
) -> dict[str, NDArray[np.float32]]:
    """Every feature by name, each of shape (n,), not yet standardised."""
    graph, rows, query = state.graph, found.rows, reading.query
    nodes = graph.nodes[rows]
    moment = reading.now_s if reading.as_of is None else reading.as_of
    named = graph.rows(i for i in query.entities if i not in query.speakers)
    before, after, stale, entity = neighbourhood(graph, rows, named, moment)
    listed = rows.tolist()
    p = np.array([reach.spread.get(row, 0.0) for row in listed])
    episode = nodes["kind"] == NodeKind.EPISODE
    walk = np.array([reach.walk.get(row, 0.0) for row in listed], np.float32)
    match = found.matches[:1]
    return {
        "similarity": found.similarity,
        **_windows(state, reading, found, before, after),
        "reworded": found.reworded,
        "lexical": found.lexical,
        "lexical_near": bm25_of(match, before) + bm25_of(match, after),
        "lexical_reworded": bm25_of(found.matches[1:], rows),
        **_coverage(found, before, after),
        "session": _sessions(nodes["session"], found.fused()),
        "speaker": (np.isin(nodes["subject"], query.speakers) & episode).astype(np.float32),
        "entity": entity,
        "spread": np.log(p + 1e-6).astype(np.float32),
        "walk": np.minimum(walk, 1.0),
        "bridge": _by_row(reach.bridges.shared, listed),
        "about": _by_row(reach.bridges.about, listed),
        "titled": _by_row(reach.bridges.titled, listed),
        "chain": (walk > 1.0).astype(np.float32),
        "question": ((nodes["flags"] & NodeFlag.QUESTION) > 0).astype(np.float32),
        "length": np.log1p(state.lexicon.length[rows]),
        **_expectations(state, query, rows),
        "during": _during(nodes, query.plan),
        "recency": _recency(nodes, moment),
        "importance": nodes["importance"],
        "confidence": nodes["confidence"],
        "strength": node_charge(nodes, graph.tick).astype(np.float32),
        "stale": stale,
        "fact": (~episode).astype(np.float32),
        "document": (episode & (nodes["subject"] == NOBODY)).astype(np.float32),
    }


def _coverage(
    found: Candidates, before: NDArray[np.int64], after: NDArray[np.int64]
) -> dict[str, NDArray[np.float32]]:
    """Share of the first query's idf in the text, and in it with its neighbours."""
    if not found.matches:
        return {}
    match = found.matches[0]
    own = bits_of(match, found.rows)
    near = own | bits_of(match, before) | bits_of(match, after)
    return {"cover": match.coverage(own), "cover_near": match.coverage(near)}


def _expectations(
    state: State, query: Query, rows: NDArray[np.int64]
) -> dict[str, NDArray[np.float32]]:
    """1 where the question asks for a kind of answer that the text could hold."""
    marks = state.lexicon.marks[rows]
    return {
        f"expect_{mark.name.lower()}": ((marks & query.expected & mark) > 0).astype(np.float32)
        for mark in EXPECTABLE
        if mark.name
    }


def _during(nodes: NDArray[np.void], plan: Plan) -> NDArray[np.float32]:
    """1 where the event time lies in the range the question names."""
    if plan.since is None and plan.until is None:
        return np.zeros(len(nodes), np.float32)
    since = -np.inf if plan.since is None else plan.since
    until = np.inf if plan.until is None else plan.until
    at = nodes["valid_from"]
    return np.asarray((at >= since) & (at <= until), np.float32)


def _windows(
    state: State,
    reading: Reading,
    found: Candidates,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
) -> dict[str, NDArray[np.float32]]:
    """Cosines with what stands around an episode.

    `window`: with the mean of its vector and its two neighbours'; `asked`: with the episode
    before where that one asks (this one may answer it).
    """
    question = reading.vectors[0]
    own, left = found.vectors, state.vectors.get(before)
    total = own + left + state.vectors.get(after)
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-9)
    flags = state.graph.nodes["flags"][before]
    asks = ((flags & NodeFlag.QUESTION) > 0) & (before >= 0)
    return {
        "window": np.asarray(total @ question, np.float32),
        "asked": np.where(asks, left @ question, 0).astype(np.float32),
    }


def _sessions(sessions: NDArray[np.uint64], fused: NDArray[np.float32]) -> NDArray[np.float32]:
    """Mean of the best three fused scores of each candidate's session."""
    keys = np.where(sessions == 0, np.arange(len(sessions), dtype=np.uint64), sessions)
    _, group = np.unique(keys, return_inverse=True)
    order = np.lexsort((-fused, group))
    rank = np.arange(len(order)) - np.searchsorted(group[order], group[order], side="left")
    top = order[rank < 3]
    counts = np.bincount(group[top])
    means = np.bincount(group[top], weights=fused[top]) / np.maximum(counts, 1)
    return np.asarray(means[group], np.float32)


def _recency(nodes: NDArray[np.void], moment: float) -> NDArray[np.float32]:
    """Minus the logarithm of the age in days."""
    said = np.where(np.isfinite(nodes["valid_from"]), nodes["valid_from"], nodes["recorded_at"])
    age = np.maximum(moment - said, 0.0) / 86_400
    return np.asarray(-np.log1p(age), np.float32)


def shares(
    values: dict[str, NDArray[np.float32]], weights: Mapping[str, float]
) -> dict[str, NDArray[np.float32]]:
    """What each weighed feature adds to the score of each candidate.

    A weight named `feature@document` is added to the feature's for texts nobody said.
    """
    out = {}
    for name, column in values.items():
        weight, more = weights.get(name, 0.0), weights.get(f"{name}@document", 0.0)
        if weight or more:
            scale = np.float32(weight) + np.float32(more) * values["document"]
            out[name] = scale * (column if name in RAW else standardised(column))
    return out
