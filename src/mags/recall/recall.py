"""Recall: steps 2 to 9, from a query with its vectors to hits and their trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import NEVER, ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.recall import anchors, features, spread, units
from mags.recall.bridge import best_documents, bridges, documents
from mags.recall.bygone import behind
from mags.recall.candidates import Candidates, gather, softmax, valid_to, widen
from mags.recall.features import Reach
from mags.recall.found import FactView, Found, Hit, moment_of
from mags.recall.kernels import places_of, worth
from mags.recall.query import Reading
from mags.recall.renewal import renewed
from mags.recall.settings import RecallSettings
from mags.recall.summing import summaries
from mags.recall.told import Told
from mags.recall.trace import HitTrace, Step, Trace, rounded
from mags.recall.walk import Walk, walk
from mags.recall.wired import wired

EPISODE, ENTITY = np.uint8(NodeKind.EPISODE), np.uint8(NodeKind.ENTITY)
DOCUMENT, STALE = features.AT["document"], features.AT["stale"]
SameRelation = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Candidates with everything that ordered them; arrays of shape (n,).

    columns: every feature of `features.NAMES`, shape (features, n). parts: what each of the names
    in `added` adds to the scores, shape (names, n).
    """

    found: Candidates
    scores: NDArray[np.float32]
    columns: NDArray[np.float32]
    added: tuple[str, ...]
    parts: NDArray[np.float32]
    anchor_rows: NDArray[np.int64]
    walk: Walk

    @property
    def values(self) -> dict[str, NDArray[np.float32]]:
        """The features by name."""
        return dict(zip(features.NAMES, self.columns, strict=True))


def rank(
    state: State, reading: Reading, settings: RecallSettings, same_relation: SameRelation
) -> Ranking:
    """Candidates, anchors, spread, walk and the one score."""
    moment = reading.now_s if reading.as_of is None else reading.as_of
    walked = walk(state, reading, settings, same_relation)
    extra = np.array(sorted({*walked.value, *summaries(state, reading)}), np.int64)
    found = gather(state, reading, settings, extra)
    anchor_rows = choose_anchors(state, found, settings)
    reached = spread.NOTHING
    if settings.spread and len(anchor_rows):
        rows, p = spread.activation(
            state.graph,
            *seeds(state, reading, found, anchor_rows, settings),
            moment,
            settings,
            spread.OVERVIEW_WEIGHTS if reading.query.overview else spread.KIND_WEIGHTS,
        )
        by_row = np.argsort(rows)
        reached = rows[by_row], p[by_row]
        best = rows[np.argsort(-p, kind="stable")]
        best = best[state.graph.kinds[best] != ENTITY][: settings.reached]
        found = widen(state, found, reading, best)
    reach = Reach(spread=reached, walk=walked.value)
    if settings.bridges and len(anchor_rows) and documents(state):
        fused = found.fused
        best = np.argsort(-fused, kind="stable")[: settings.bridging]
        rows, mass = found.rows[best], softmax(fused[best])
        reach.bridges = bridges(state, reading.query.entities, rows, mass)
        found = widen(state, found, reading, reach.bridges.rows(settings.reached))
    values, names, parts, total = _scored(state, reading, found, reach, settings)
    if settings.bridges and len(best := best_documents(values[DOCUMENT], total, settings.crossing)):
        mass = softmax(total[best] / settings.mellow)
        more = bridges(state, reading.query.entities, found.rows[best], mass)
        if reach.bridges.join(more, settings.second):
            found = widen(state, found, reading, reach.bridges.rows(settings.reached))
            values, names, parts, total = _scored(state, reading, found, reach, settings)
    block = _block(state, found, reading)
    tied = wired(state.graph, found.rows, total, settings.wired)
    scores = total + block + tied
    newer = renewed(state, reading, found, scores, settings.renewal)
    scores = scores + newer
    bygone = behind(state, reading, found.rows, scores, values[STALE])
    return Ranking(
        found=found,
        scores=scores + bygone,
        columns=values,
        added=(*names, *STEPS),
        parts=np.vstack([parts, block, tied, newer, bygone]),
        anchor_rows=anchor_rows,
        walk=walked,
    )


STEPS = ("block", "wired", "newer", "bygone")
"""What is added to a score after the features."""
Scored = tuple[NDArray[np.float32], tuple[str, ...], NDArray[np.float32], NDArray[np.float32]]
"""Features (features, n), those that add to a score, what they add, and the sums (n,)."""


def _scored(
    state: State, reading: Reading, found: Candidates, reach: Reach, settings: RecallSettings
) -> Scored:
    values = features.columns(state, reading, found, reach)
    weights = dict(settings.weights)
    if not settings.spread:
        weights["spread"] = 0.0
    return values, *features.shares(values, weights)


def _block(state: State, found: Candidates, reading: Reading) -> NDArray[np.float32]:
    """The router's balance: the logarithm of the block's weight."""
    plan = reading.query.plan
    episodic = state.graph.kinds[found.rows] == EPISODE
    weight = np.where(episodic, max(plan.episodic, 1e-6), max(plan.semantic, 1e-6))
    return np.asarray(np.log(weight), np.float32)


def choose_anchors(state: State, found: Candidates, settings: RecallSettings) -> NDArray[np.int64]:
    """Rows of the anchors, the best match first."""
    if not len(found.rows):
        return found.rows
    fused = found.fused
    order = anchors.considered(fused)
    rows = found.rows[order]
    if settings.anchor_choice != "hull":
        return rows[: settings.anchors]
    return rows[anchors.spanning(state.vectors.get(rows), fused[order], settings.anchors)]


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
    mass = softmax(found.fused[np.searchsorted(found.rows, anchor_rows)])
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
    at = places_of(ranking.found.rows, rows)
    anchor_ids = tuple(graph.nodes["id"][ranking.anchor_rows].tolist())
    told = Told(graph, merged)
    hits = _hits(state, reading, ranking, told, at)
    trace = Trace(
        tick=graph.tick,
        seq=state.seq,
        queries=reading.query.plan.queries,
        anchors=anchor_ids,
        hits=_hit_traces(
            graph, ranking, told, at, hits, _paths(state, reading, ranking, settings, rows)
        ),
        chain=ranking.walk.chain,
        clusters=units.clusters(graph, [hit.id for hit in hits]),
        as_of=reading.as_of,
        recorded_as_of=reading.recorded_as_of,
    )
    for match in ranking.found.matches:
        state.lexicon.reuse(match)
    return Found(hits=hits, trace=trace, units=units.group(graph, hits))


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


def _hits(
    state: State, reading: Reading, ranking: Ranking, told: Told, at: NDArray[np.int64]
) -> tuple[Hit, ...]:
    """The rows in words."""
    records, ids = told.records, state.graph.nodes["id"]
    moment = reading.now_s if reading.as_of is None else reading.as_of
    # Where every fact it gave has been superseded, it is no more current than they are.
    stale = (ranking.columns[STALE][at] >= 1.0).tolist()
    scores, ends = ranking.scores[at].tolist(), valid_to(records, reading).tolist()
    said, noted = records["valid_from"].tolist(), records["recorded_at"].tolist()
    kinds, node_ids = records["kind"].tolist(), records["id"].tolist()
    sure, flags = records["confidence"].tolist(), records["flags"].tolist()
    anchors_ = set(ids[ranking.anchor_rows].tolist())
    episodes = told.episodes(ranking.found.rows, ranking.scores)
    hits = []
    for i, content in enumerate(state.words(node_ids)):
        kind, joined = NodeKind(kinds[i]), told.joined[i]
        hits.append(
            Hit(
                id=node_ids[i],
                text=content.text,
                score=scores[i],
                kind=KIND_NAMES[kind],
                episode_ids=episodes[i],
                fact=_fact_of(content, said[i], ends[i], sure[i], flags[i])
                if kind == NodeKind.FACT
                else None,
                speaker=str(content.meta.get("speaker", "")),
                session=str(content.meta.get("session", "")),
                at=_told_at(kind, said[i], noted[i]),
                current=ends[i] > moment and not stale[i],
                members=tuple(ids[joined].tolist()) if joined else (),
                anchor=node_ids[i] in anchors_,
            )
        )
    return tuple(hits)


def _told_at(kind: NodeKind, said: float, noted: float) -> float:
    """When something was said or began, else when it was learned; a theme is no news ever."""
    if kind == NodeKind.THEME:
        return -NEVER
    return said if isfinite(said) else noted


KIND_NAMES = {kind: kind.name.lower() for kind in NodeKind}


def sources(graph: Graph, node_id: int) -> list[int]:
    """Episodes a fact or a note came from, oldest first."""
    rows = spread.peers(graph, graph.row(node_id), int(ArcKind.SOURCE))
    return sorted(graph.nodes["id"][rows].tolist())


def fact_view(state: State, node_id: int, ends: float | None = None) -> FactView:
    """A FACT node in words; `ends` overrides its valid_to (record time in the past)."""
    node = state.graph.view(node_id)[0]
    closes = float(node["valid_to"]) if ends is None else ends
    begins, sure, flags = (node[name].item() for name in ("valid_from", "confidence", "flags"))
    return _fact_of(state.content(node_id), begins, closes, sure, flags)


def _fact_of(
    content: Content, begins: float, ends: float, confidence: float, flags: int
) -> FactView:
    """A fact in words, by fields of its NODE record."""
    meta = content.meta
    return FactView(
        id=content.node,
        subject=str(meta.get("subject", "")),
        relation=str(meta.get("relation", "")),
        object=str(meta.get("object", "")),
        valid_from=moment_of(begins),
        valid_to=None if ends == NEVER else moment_of(ends),
        confidence=round(confidence, 4),
        qualifiers=tuple(sorted(dict(meta.get("qualifiers", {})).items())),
        stated=bool(flags & NodeFlag.STATED),
        text=content.text,
        tentative=bool(flags & NodeFlag.GUESS),
    )


def _hit_traces(
    graph: Graph,
    ranking: Ranking,
    told: Told,
    at: NDArray[np.int64],
    hits: Sequence[Hit],
    best: spread.Paths,
) -> tuple[HitTrace, ...]:
    """Why each hit came back."""
    ids, records, came_from = graph.nodes["id"], told.records, told.sources()
    values = rounded(features.NAMES, ranking.columns, at)
    parts = rounded(ranking.added, ranking.parts, at)
    since, until = records["valid_from"].tolist(), records["valid_to"].tolist()
    walked: list[tuple[int, int, int]] = []
    cuts, heads = [0], []
    for here in ranking.found.rows[at].tolist():
        path = []
        while (before := best.before.get(here, -1)) >= 0:
            path.append((before, here, best.slot[here]))
            here = before
        walked += reversed(path)
        cuts.append(len(walked))
        heads.append(here)
    steps = _steps(graph, walked)
    first: list[int] = ids[heads].tolist() if heads else []
    return tuple(
        HitTrace(
            id=hit.id,
            score=hit.score,
            anchor=first[i] if heads[i] in best.value else 0,
            path=steps[cuts[i] : cuts[i + 1]],
            features=values[i],
            shares=parts[i],
            sources=(hit.id,) if hit.kind == "episode" else came_from[i],
            valid_from=since[i],
            valid_to=until[i],
        )
        for i, hit in enumerate(hits)
    )


def step_of(graph: Graph, src: int, dst: int, slot: int) -> Step:
    """One walked adjacency entry as a step of a trace; `src`, `dst` are rows."""
    return _steps(graph, [(src, dst, slot)])[0]


def _steps(graph: Graph, walked: Sequence[tuple[int, int, int]]) -> tuple[Step, ...]:
    """Walked adjacency entries, each (row before, row, slot), as steps."""
    if not walked:
        return ()
    src, dst, slots = np.array(walked, np.int64).T
    ids = graph.nodes["id"]
    weights = worth(slots, spread.pool_of(graph), graph.tick)
    entries = zip(
        ids[src].tolist(),
        ids[dst].tolist(),
        graph.adjacency.columns["kind"][slots].tolist(),
        weights.tolist(),
        strict=True,
    )
    return tuple(
        Step(
            src=tail,
            dst=head,
            kind=code & (REVERSE - 1),
            forward=code < REVERSE,
            weight=round(weight, 5),
        )
        for tail, head, code, weight in entries
    )
