"""Recall: steps 2 to 9, from a query with its vectors to hits and their trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from mags.graph.charge import charge_of
from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE, Graph
from mags.graph.node import NEVER, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.recall import anchors, features, spread, units
from mags.recall.bridge import bridges
from mags.recall.candidates import Candidates, gather, valid_to, widen
from mags.recall.features import Reach
from mags.recall.found import FactView, Found, Hit, moment_of
from mags.recall.query import Reading
from mags.recall.renewal import renewed
from mags.recall.settings import RecallSettings
from mags.recall.trace import HitTrace, Step, Trace
from mags.recall.walk import Walk, walk

SameRelation = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Candidates with everything that ordered them; arrays of shape (n,)."""

    found: Candidates
    scores: NDArray[np.float32]
    values: dict[str, NDArray[np.float32]]
    shares: dict[str, NDArray[np.float32]]
    anchor_rows: NDArray[np.int64]
    walk: Walk


def rank(
    state: State, reading: Reading, settings: RecallSettings, same_relation: SameRelation
) -> Ranking:
    """Candidates, anchors, spread, walk and the one score."""
    moment = reading.now_s if reading.as_of is None else reading.as_of
    walked = walk(state, reading, settings, same_relation)
    extra = np.array(sorted(walked.value), np.int64)
    found = gather(state, reading, settings, extra)
    anchor_rows = choose_anchors(state, found, moment, settings)
    reached = spread.NOTHING
    if settings.spread and len(anchor_rows):
        rows, p = spread.activation(
            state.graph, *seeds(state, reading, found, anchor_rows, settings), moment, settings
        )
        by_row = np.argsort(rows)
        reached = rows[by_row], p[by_row]
        best = rows[np.argsort(-p, kind="stable")]
        best = best[state.graph.nodes["kind"][best] != NodeKind.ENTITY][: settings.reached]
        found = widen(state, found, reading, best)
    reach = Reach(spread=reached, walk=walked.value)
    if settings.bridges and len(anchor_rows):
        fused = found.fused()
        best = np.argsort(-fused, kind="stable")[: settings.bridging]
        rows, mass = found.rows[best], softmax(fused[best])
        reach.bridges = bridges(state, reading.query.entities, rows, mass)
        led = sorted(reach.bridges.about.items(), key=lambda item: -item[1])
        new = [*reach.bridges.titled, *(row for row, _ in led)][: settings.reached]
        found = widen(state, found, reading, np.array(new, np.int64))
    values = features.columns(state, reading, found, reach)
    weights = dict(settings.weights)
    if not settings.spread:
        weights["spread"] = 0.0
    parts, total = features.shares(values, weights)
    parts["block"] = _block(state, found, reading)
    scores = total + parts["block"]
    parts["newer"] = renewed(state, reading, found, scores, settings.renewal)
    return Ranking(
        found=found,
        scores=scores + parts["newer"],
        values=dict(zip(features.NAMES, values, strict=True)),
        shares=parts,
        anchor_rows=anchor_rows,
        walk=walked,
    )


def _block(state: State, found: Candidates, reading: Reading) -> NDArray[np.float32]:
    """The router's balance: the logarithm of the block's weight."""
    plan = reading.query.plan
    episodic = state.graph.nodes["kind"][found.rows] == NodeKind.EPISODE
    weight = np.where(episodic, max(plan.episodic, 1e-6), max(plan.semantic, 1e-6))
    return np.asarray(np.log(weight), np.float32)


def choose_anchors(
    state: State, found: Candidates, moment: float, settings: RecallSettings
) -> NDArray[np.int64]:
    """Rows of the anchors, the best match first."""
    if not len(found.rows):
        return found.rows
    if settings.anchor_choice == "cover":
        return found.rows[_covering(state, found, moment, settings)]
    fused = found.fused()
    order = anchors.considered(fused)
    rows = found.rows[order]
    if settings.anchor_choice != "hull":
        return rows[: settings.anchors]
    return rows[anchors.spanning(state.vectors.get(rows), fused[order], settings.anchors)]


def _covering(
    state: State, found: Candidates, moment: float, settings: RecallSettings
) -> NDArray[np.int64]:
    """Candidates whose spreads cover the most of the graph."""
    fused = found.fused()
    order = anchors.considered(fused)
    one = np.ones(1)
    reaches = [
        set(spread.activation(state.graph, found.rows[i : i + 1], one, moment, settings)[0])
        for i in order
    ]
    return order[anchors.cover(reaches, anchors.relevance(fused[order]), settings.anchors)]


def softmax(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Shares that sum to 1, shape of `scores`."""
    mass = np.exp(scores.astype(np.float64) - float(scores.max()))
    return np.asarray(mass / mass.sum(), np.float64)


def seeds(
    state: State,
    reading: Reading,
    found: Candidates,
    anchor_rows: NDArray[np.int64],
    settings: RecallSettings,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Seeds of the spread and their mass: anchors by softmax of their fused score.

    `found`: as gathered, its rows in ascending order.
    """
    mass = softmax(found.fused()[np.searchsorted(found.rows, anchor_rows)])
    named = state.graph.rows(reading.query.entities)
    if settings.entity_seeds > 0 and len(named):
        mass *= 1 - settings.entity_seeds
        share = np.full(len(named), settings.entity_seeds / len(named))
        return np.concatenate([anchor_rows, named]), np.concatenate([mass, share])
    return anchor_rows, mass


def recall(
    state: State, reading: Reading, settings: RecallSettings, same_relation: SameRelation
) -> Found:
    """The k best units' leading members, best first, with their trace."""
    graph = state.graph
    ranking = rank(state, reading, settings, same_relation)
    steps = frozenset(graph.rows(ranking.walk.chain).tolist())
    merged = units.merge(graph, ranking.found.rows, ranking.scores, reading.k, steps)
    rows = np.array([row for row, _ in merged], np.int64)
    position = {row: i for i, row in enumerate(ranking.found.rows.tolist())}
    every = dict(zip(position, ranking.scores.tolist(), strict=True))
    at = np.array([position[row] for row in rows.tolist()], np.int64)
    best = _paths(state, reading, ranking, settings, rows)
    anchor_ids = tuple(graph.nodes["id"][ranking.anchor_rows].tolist())
    scores, stale = ranking.scores[at].tolist(), ranking.values["stale"][at].tolist()
    values, parts = _rounded(ranking.values, at), _rounded(ranking.shares, at)
    hits: list[Hit] = []
    traces: list[HitTrace] = []
    contents = state.words(graph.nodes["id"][rows].tolist())
    for i, (row, joined) in enumerate(merged):
        # Where every fact it gave has been superseded, it is no more current than they are.
        place = Place(
            row=row,
            joined=joined,
            score=scores[i],
            stale=stale[i] >= 1.0,
            anchors=anchor_ids,
            scores=every,
        )
        hit = hit_of(state, reading, place, contents[i])
        hits.append(hit)
        traces.append(_hit_trace(graph, row, hit, best, values[i], parts[i]))
    ids = [hit.id for hit in hits]
    trace = Trace(
        tick=graph.tick,
        seq=state.seq,
        queries=reading.query.plan.queries,
        anchors=anchor_ids,
        hits=tuple(traces),
        chain=ranking.walk.chain,
        clusters=units.clusters(graph, ids),
        as_of=reading.as_of,
        recorded_as_of=reading.recorded_as_of,
    )
    for match in ranking.found.matches:
        state.lexicon.reuse(match)
    return Found(hits=tuple(hits), trace=trace, units=units.group(graph, hits))


def _rounded(
    columns: Mapping[str, NDArray[np.float32]], at: NDArray[np.int64]
) -> list[dict[str, float]]:
    """The columns at some places, one dictionary a place, to five decimals."""
    table = np.array(list(columns.values()))[:, at].astype(np.float64)
    return [dict(zip(columns, row, strict=True)) for row in np.round(table, 5).T.tolist()]


def _paths(
    state: State,
    reading: Reading,
    ranking: Ranking,
    settings: RecallSettings,
    wanted: NDArray[np.int64],
) -> spread.Paths:
    if not (settings.traces and len(ranking.anchor_rows) and len(wanted)):
        return spread.Paths(value={}, before={}, slot={})
    moment = reading.now_s if reading.as_of is None else reading.as_of
    return spread.paths(state.graph, ranking.anchor_rows, moment, settings, wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What the ranking says of a hit's row; `joined`: rows that came out as one with it;
    `stale`: all its facts are superseded; `anchors`: the anchors' ids; `scores`: of all
    candidates, by row.
    """

    row: int
    joined: list[int]
    score: float
    stale: bool
    anchors: tuple[int, ...]
    scores: Mapping[int, float]


def hit_of(state: State, reading: Reading, place: Place, content: Content) -> Hit:
    """One row in words."""
    row, joined = place.row, place.joined
    nodes = state.graph.nodes
    node_id, kind = int(nodes["id"][row]), NodeKind(int(nodes["kind"][row]))
    moment = reading.now_s if reading.as_of is None else reading.as_of
    ends = float(valid_to(nodes[row : row + 1], reading)[0])
    at = float(nodes["valid_from"][row])
    return Hit(
        id=node_id,
        text=content.text,
        score=place.score,
        kind=kind.name.lower(),
        episode_ids=tuple(_episodes(state.graph, [row, *joined], place.scores)),
        fact=fact_view(state, node_id, ends) if kind == NodeKind.FACT else None,
        speaker=str(content.meta.get("speaker", "")),
        session=str(content.meta.get("session", "")),
        at=at if isfinite(at) else float(nodes["recorded_at"][row]),
        current=ends > moment and not place.stale,
        members=tuple(nodes["id"][joined].tolist()) if joined else (),
        anchor=node_id in place.anchors,
    )


def _episodes(graph: Graph, rows: list[int], scores: Mapping[int, float]) -> list[int]:
    """Ids of the episodes among rows, and of those that the others came from, best first.

    What is no candidate comes last, the oldest first.
    """
    kinds = graph.nodes["kind"]
    found: set[int] = set()
    for row in rows:
        if kinds[row] == units.EPISODE:
            found.add(row)
        else:
            found.update(spread.peers(graph, row, int(ArcKind.SOURCE)).tolist())
    if len(found) > 1:
        best = sorted(found, key=lambda r: (-scores.get(r, -np.inf), r))
    else:
        best = list(found)
    ids: list[int] = graph.nodes["id"][best].tolist()
    return ids


def sources(graph: Graph, node_id: int) -> list[int]:
    """Episodes a fact or a note came from, oldest first."""
    rows = spread.peers(graph, graph.row(node_id), int(ArcKind.SOURCE))
    return sorted(graph.nodes["id"][rows].tolist())


def fact_view(state: State, node_id: int, ends: float | None = None) -> FactView:
    """A FACT node in words; `ends` overrides its valid_to (record time in the past)."""
    node = state.graph.node(node_id)
    content = state.content(node_id)
    meta = content.meta
    stated = bool(int(node["flags"][0]) & NodeFlag.STATED)
    closes = float(node["valid_to"][0]) if ends is None else ends
    return FactView(
        id=node_id,
        subject=str(meta.get("subject", "")),
        relation=str(meta.get("relation", "")),
        object=str(meta.get("object", "")),
        valid_from=moment_of(float(node["valid_from"][0])),
        valid_to=None if closes == NEVER else moment_of(closes),
        confidence=round(float(node["confidence"][0]), 4),
        qualifiers=tuple(sorted(dict(meta.get("qualifiers", {})).items())),
        stated=stated,
        text=content.text,
    )


def _hit_trace(
    graph: Graph,
    row: int,
    hit: Hit,
    best: spread.Paths,
    values: dict[str, float],
    parts: dict[str, float],
) -> HitTrace:
    path: list[Step] = []
    here = row
    while best.before.get(here, -1) >= 0:
        path.append(step_of(graph, best.before[here], here, best.slot[here]))
        here = best.before[here]
    return HitTrace(
        id=hit.id,
        score=hit.score,
        anchor=int(graph.nodes["id"][here]) if here in best.value else 0,
        path=tuple(reversed(path)),
        features=values,
        shares=parts,
        sources=tuple(sources(graph, hit.id)) if hit.kind != "episode" else (hit.id,),
        valid_from=float(graph.nodes["valid_from"][row]),
        valid_to=float(graph.nodes["valid_to"][row]),
    )


def step_of(graph: Graph, src: int, dst: int, slot: int) -> Step:
    """One walked adjacency entry as a step of a trace; `src`, `dst` are rows."""
    columns = graph.adjacency.columns
    code = int(columns["kind"][slot])
    weight = float(
        charge_of(
            columns["w"][slot],
            columns["t0"][slot],
            columns["uses"][slot],
            columns["support"][slot],
            columns["flags"][slot] | (code != ArcKind.ASSOCIATION),
            graph.tick,
        )
    )
    return Step(
        src=int(graph.nodes["id"][src]),
        dst=int(graph.nodes["id"][dst]),
        kind=code & (REVERSE - 1),
        forward=code < REVERSE,
        weight=round(weight, 5),
    )
