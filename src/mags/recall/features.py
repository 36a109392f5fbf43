"""Features of the ranking, each a column over the candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Graph
from mags.graph.records import NodeFlag
from mags.index.state import State
from mags.index.tokens import Mark
from mags.recall.bridge import Bridges
from mags.recall.candidates import Candidates, bm25_of
from mags.recall.kernels import fill, lexical, sessions, surroundings, traits, weigh
from mags.recall.query import Reading

NAMES = (
    *("similarity", "window", "asked", "reworded", "lexical", "lexical_near", "cover"),
    *("cover_near", "lexical_reworded", "session", "entity", "spread", "walk", "bridge", "about"),
    *("titled", "chain", "stale", "speaker", "question", "length", "during", "recency"),
    *("importance", "confidence", "strength", "fact", "document", "expect_time"),
    *("expect_number", "expect_place", "expect_person", "expect_reason", "expect_liking"),
)
"""Every feature, in the order of the table's rows."""

AT = {name: i for i, name in enumerate(NAMES)}

TRAITS = NAMES[AT["speaker"] :]
"""Those that the kernel `traits` writes."""

TRAIT_FIELDS = (
    *("kind", "flags", "subject", "strength", "strength_tick", "uses", "importance"),
    *("confidence", "valid_from", "recorded_at"),
)

UNREACHED = 1e-6
"""Added to the spread's value before its logarithm is taken."""

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
    """What the graph says of rows: `spread` (rows in ascending order, their push value),
    `walk` (over facts, by row) and `bridges`.
    """

    spread: tuple[NDArray[np.int64], NDArray[np.float64]]
    walk: dict[int, float]
    bridges: Bridges = field(default_factory=Bridges)


def columns(
    state: State,
    reading: Reading,
    found: Candidates,
    reach: Reach,
) -> NDArray[np.float32]:
    """Every feature of `NAMES`, shape (features, n), not yet standardised."""
    graph, rows, query = state.graph, found.rows, reading.query
    moment = reading.now_s if reading.as_of is None else reading.as_of
    named = graph.rows(i for i in query.entities if i not in query.speakers)
    beside = np.empty((2, len(rows)), np.int64)
    beside[0], beside[1], stale, entity = neighbourhood(graph, rows, named, moment)
    out = np.zeros((len(NAMES), len(rows)), np.float32)
    out[AT["similarity"]], out[AT["reworded"]] = found.similarity, found.reworded
    out[AT["lexical"]] = found.lexical
    out[AT["stale"]], out[AT["entity"]] = stale, entity
    _windows(state, reading, rows, beside, out)
    if found.matches:
        match = found.matches[0]
        where = out[AT["lexical_near"] : AT["cover_near"] + 1]
        lexical(rows, beside[0], beside[1], match.scores, match.bits, match.idf, match.mass, where)
    if len(found.matches) > 1:
        out[AT["lexical_reworded"]] = bm25_of(found.matches[1:], rows)
    keys = graph.nodes["session"][rows]
    sessions(keys, np.argsort(keys), found.fused, out[AT["session"]])
    _reached(reach, rows, out)
    _traits(state, reading, rows, moment, out[AT["speaker"] :])
    return out


def _windows(
    state: State,
    reading: Reading,
    rows: NDArray[np.int64],
    beside: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None:
    """Cosines with what stands around an episode.

    `window`: with the mean of its vector and its two neighbours'; `asked`: with the episode
    before where that one asks (this one may answer it).
    """
    window, before = state.vectors.windows(rows, beside, reading.vectors[0])
    asks = (state.graph.nodes["flags"][beside[0]] & np.uint16(NodeFlag.QUESTION)) > 0
    out[AT["window"]] = window
    out[AT["asked"]] = before * (asks & (beside[0] >= 0))


def _reached(reach: Reach, rows: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    """What spread, walk and bridges say."""
    reached, mass = reach.spread
    fill(rows, reached, mass, out[AT["spread"]])
    out[AT["spread"]] = np.log(out[AT["spread"]] + np.float32(UNREACHED))
    led = reach.bridges
    for name, values in (
        ("walk", reach.walk), ("bridge", led.shared), ("about", led.about), ("titled", led.titled)
    ):  # fmt: skip
        if values:
            keys = np.array(sorted(values), np.int64)
            fill(rows, keys, np.array([values[k] for k in keys.tolist()]), out[AT[name]])
    out[AT["chain"]] = out[AT["walk"]] > 1.0
    np.minimum(out[AT["walk"]], 1.0, out=out[AT["walk"]])


def _traits(
    state: State,
    reading: Reading,
    rows: NDArray[np.int64],
    moment: float,
    out: NDArray[np.float32],
) -> None:
    """What the nodes themselves say.

    `expect_*`: 1 where the question asks for a kind of answer that the text could hold;
    `during`: 1 where the event time lies in the range the question names; `recency`: minus
    the logarithm of the age in days.
    """
    graph, query, plan = state.graph, reading.query, reading.query.plan
    nodes = graph.nodes[: graph.size]
    since = -np.inf if plan.since is None else plan.since
    until = np.inf if plan.until is None else plan.until
    asked = np.array([int(mark) & query.expected for mark in EXPECTABLE], np.int64)
    traits(
        rows,
        tuple(nodes[name] for name in TRAIT_FIELDS),
        (state.lexicon.length, state.lexicon.marks),
        np.array(query.speakers, np.int64),
        (graph.tick, moment),
        (float(since), float(until)),
        asked,
        out,
    )


def shares(
    values: NDArray[np.float32], weights: Mapping[str, float]
) -> tuple[tuple[str, ...], NDArray[np.float32], NDArray[np.float32]]:
    """What each weighed feature adds to the score of each candidate, and the sums.

    Returns names, their table (names, n) and the sums (n,). A weight named `feature@document` is
    added to the feature's for texts nobody said.
    """
    plain, more, used, names = _weighed(tuple(weights.items()))
    out, total = np.empty_like(values), np.zeros(values.shape[1], np.float32)
    weigh(values, plain, more, _IS_RAW, values[AT["document"]], out, total)
    return names, out[used], total


@lru_cache(maxsize=8)
def _weighed(
    items: tuple[tuple[str, float], ...],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], tuple[str, ...]]:
    """Weights by feature, those for documents beside, which are not 0, and their names."""
    weights = dict(items)
    plain = np.array([weights.get(name, 0.0) for name in NAMES], np.float32)
    more = np.array([weights.get(f"{name}@document", 0.0) for name in NAMES], np.float32)
    used = np.flatnonzero((plain != 0) | (more != 0))
    return plain, more, used, tuple(NAMES[i] for i in used.tolist())


_IS_RAW = np.array([name in RAW for name in NAMES])
