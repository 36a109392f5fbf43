"""One recall, from a query with its vectors to hits, units and their trace.

`rank` collects candidates, lets activation spread from the best of them and gives every one a
score. `recall` takes the best, joins what belongs together and says why each came back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import isfinite
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import NEVER, ArcKind, Content, NodeFlag, NodeKind, grade_in
from mags.index.state import State
from mags.ports.policy import Turn
from mags.recall import spread
from mags.recall.candidates import (
    Candidates,
    RecallRequest,
    SameRelation,
    Walk,
    best_documents,
    bridges,
    documents,
    gather,
    softmax,
    standing,
    summaries,
    valid_to,
    walk,
    widen,
)
from mags.recall.found import FactView, Found, Hit, HitTrace, Step, Trace, Unit, moment_of, rounded
from mags.recall.hull import spanning
from mags.recall.kernels import EPISODE, live_ties, places_of, worth
from mags.recall.ranking import (
    AT,
    NAMES,
    Reach,
    association_boost,
    block,
    recency_reranking,
    relevance_feedback,
    reread,
    scored,
    second_look,
    superseded_penalty,
)
from mags.recall.settings import RecallSettings

STEPS = ("block", "wired", "look", "feedback", "read", "newer", "bygone")
"""What is added to a score after the features."""

CONSIDERED = 64
"""Best-fused candidates that anchors are chosen among."""

LIVE = 0.2
"""Charge above which an association ties hits into a cluster."""

AT_ONCE = 32
"""Rows whose partners are looked up together: hits are seldom more."""

PARTNERED = {
    int(NodeKind.EPISODE): int(ArcKind.SOURCE) | REVERSE,
    int(NodeKind.FACT): int(ArcKind.SOURCE),
    int(NodeKind.NOTE): int(ArcKind.SOURCE),
}
"""Kinds that come out as one with what a SOURCE arc joins them to, and how that is stored."""

KIND_NAMES = {kind: kind.name.lower() for kind in NodeKind}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Candidates with everything that ordered them; arrays of shape (n,).

    columns: every feature of `ranking.NAMES`, shape (features, n). parts: what each of the names
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
        return dict(zip(NAMES, self.columns, strict=True))


def recall(
    state: State, request: RecallRequest, settings: RecallSettings, same_relation: SameRelation
) -> Found:
    """The k best units' leading members, best first, with their trace."""
    graph = state.graph
    ranking = rank(state, request, settings, same_relation)
    steps = frozenset(graph.rows(ranking.walk.chain).tolist())
    merged = merge(graph, ranking.found.rows, ranking.scores, request.k, steps)
    rows = np.array([row for row, _ in merged], np.int64)
    at = places_of(ranking.found.rows, rows)
    best = spread.NO_PATHS
    if settings.traces and len(ranking.anchor_rows) and len(rows):
        best = spread.paths(graph, ranking.anchor_rows, request.moment, settings, rows)
    came_from, episodes = provenance(graph, merged, ranking.found.rows, ranking.scores)
    told = [(min(own, default=0), every) for own, every in zip(came_from, episodes, strict=True)]
    hits = _hits(state, request, ranking, merged, at, told)
    trace = Trace(
        tick=graph.tick,
        seq=state.seq,
        queries=request.query.plan.queries,
        anchors=tuple(graph.nodes["id"][ranking.anchor_rows].tolist()),
        hits=_hit_traces(graph, ranking, best, came_from, at, hits),
        chain=ranking.walk.chain,
        clusters=clusters(graph, [hit.id for hit in hits]),
        as_of=request.as_of,
        recorded_as_of=request.recorded_as_of,
    )
    for match in ranking.found.matches:
        state.lexicon.reuse(match)
    return Found(hits=hits, trace=trace, units=group(graph, hits))


def first_turns(
    state: State, request: RecallRequest, settings: RecallSettings, same_relation: SameRelation
) -> dict[int, Turn]:
    """The turns to be read with the question, best first, by id: one of each of the first units."""
    ranking = rank(state, request, settings, same_relation)
    merged = merge(state.graph, ranking.found.rows, ranking.scores, settings.reread.first)
    _, told = provenance(state.graph, merged, ranking.found.rows, ranking.scores)
    ids = tuple(dict.fromkeys(episode for some in told for episode in some[:1]))
    times = state.graph.nodes["valid_from"][state.graph.rows(ids)].tolist()
    return {
        i: Turn(text=words.text, speaker=str(words.meta.get("speaker", "")), at=at)
        for i, words, at in zip(ids, state.words(ids), times, strict=True)
    }


# -- ranking ---------------------------------------------------------------------------------


def rank(
    state: State, request: RecallRequest, settings: RecallSettings, same_relation: SameRelation
) -> Ranking:
    """Candidates, anchors, spread, walk and the one score."""
    walked = walk(state, request, settings, same_relation)
    kept_to = standing(state, request)
    extra = np.array(sorted({*walked.value, *summaries(state, request), *kept_to}), np.int64)
    found = gather(state, request, settings, extra)
    anchor_rows = _anchors(state, found, settings)
    reach = Reach(spread=spread.NOTHING, walk=walked.value, standing=kept_to)
    if settings.spread and len(anchor_rows):
        seeds, mass = _seeds(state, request, found, anchor_rows, settings)
        weights = spread.OVERVIEW_WEIGHTS if request.query.overview else spread.KIND_WEIGHTS
        rows, p = spread.activation(state.graph, seeds, mass, request.moment, settings, weights)
        by_row = np.argsort(rows)
        reach.spread = rows[by_row], p[by_row]
        best = rows[np.argsort(-p, kind="stable")]
        best = best[state.graph.kinds[best] != NodeKind.ENTITY][: settings.reached]
        found = widen(state, found, request, best)
    if settings.bridges and len(anchor_rows) and documents(state):
        best = np.argsort(-found.fused, kind="stable")[: settings.bridging]
        mass = softmax(found.fused[best])
        reach.bridges = bridges(state, request.query.entities, found.rows[best], mass)
        found = widen(state, found, request, reach.bridges.rows(settings.reached))
    values, names, parts, total = scored(state, request, found, reach, settings)
    if settings.bridges:
        best = best_documents(values[AT["document"]], total, settings.crossing)
        if len(best):
            mass = softmax(total[best] / settings.mellow)
            more = bridges(state, request.query.entities, found.rows[best], mass)
            if reach.bridges.join(more, settings.second):
                found = widen(state, found, request, reach.bridges.rows(settings.reached))
                values, names, parts, total = scored(state, request, found, reach, settings)
    balance = block(state, request, found)
    boost = association_boost(state.graph, found.rows, total, settings.wired)
    scores = total + balance + boost
    looked = second_look(state, request, found.rows, scores, settings.look)
    scores = scores + looked
    fed = np.zeros_like(scores)
    if settings.tier != "fast":
        fed = relevance_feedback(state, request, found, scores, settings.feedback)
    scores = scores + fed
    read = reread(state, request, found.rows, scores, settings)
    scores = scores + read
    newer = recency_reranking(state, request, found, scores, settings.renewal)
    scores = scores + newer
    superseded = superseded_penalty(state, request, found.rows, scores, values[AT["stale"]])
    return Ranking(
        found=found,
        scores=scores + superseded,
        columns=values,
        added=(*names, *STEPS),
        parts=np.vstack([parts, balance, boost, looked, fed, read, newer, superseded]),
        anchor_rows=anchor_rows,
        walk=walked,
    )


def _anchors(state: State, found: Candidates, settings: RecallSettings) -> NDArray[np.int64]:
    """Rows of the anchors, the best match first."""
    if not len(found.rows):
        return found.rows
    order = np.argsort(-found.fused, kind="stable")[:CONSIDERED]
    rows = found.rows[order]
    if settings.anchor_choice != "hull":
        return rows[: settings.anchors]
    return rows[spanning(state.vectors.get(rows), found.fused[order], settings.anchors)]


def _seeds(
    state: State,
    request: RecallRequest,
    found: Candidates,
    anchor_rows: NDArray[np.int64],
    settings: RecallSettings,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Seeds of the spread and their mass: anchors by softmax of their fused score.

    `found`: as gathered, its rows in ascending order.
    """
    mass = softmax(found.fused[np.searchsorted(found.rows, anchor_rows)])
    named = state.graph.rows(request.query.entities)
    if settings.entity_seeds > 0 and len(named):
        mass *= 1 - settings.entity_seeds
        share = np.full(len(named), settings.entity_seeds / len(named))
        return np.concatenate([anchor_rows, named]), np.concatenate([mass, share])
    return anchor_rows, mass


# -- what comes out as one -------------------------------------------------------------------


def merge(
    graph: Graph,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    k: int,
    apart: frozenset[int] = frozenset(),
) -> list[tuple[int, list[int]]]:
    """The k best rows, best first, each with the rows that come out as one with it.

    A fact, the episodes it came from and their other facts are one, counted by the best.
    Rows in `apart` (the steps of a chain) have a place each, though one turn may have told
    them all.
    """
    out: list[tuple[int, list[int]]] = []
    taken: dict[int, int] = {}
    for row, kind, partners in _partnered(graph, rows[np.argsort(-scores, kind="stable")]):
        owner = next((taken[p] for p in partners if p in taken), None)
        if owner is not None and row not in apart:
            if owner < len(out):
                out[owner][1].append(row)
            continue
        if len(out) >= k:
            break
        taken[row] = len(out)
        if kind != EPISODE:
            taken.update(dict.fromkeys(partners, len(out)))
        out.append((row, []))
    return out


def _partnered(graph: Graph, rows: NDArray[np.int64]) -> Iterator[tuple[int, int, list[int]]]:
    """Rows with their kind and the rows they come out as one with, some at a time."""
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        kinds = graph.nodes["kind"][some].tolist()
        codes = np.array([PARTNERED.get(kind, -1) for kind in kinds], np.int64)
        yield from zip(some.tolist(), kinds, spread.peers_each(graph, some, codes), strict=True)


def provenance(
    graph: Graph,
    merged: Sequence[tuple[int, list[int]]],
    candidates: NDArray[np.int64],
    scores: NDArray[np.float32],
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Ids of the episodes that merged rows came from; what all came from is looked up together.

    First of each row its own, the oldest first (none of an episode); then of it and of those joined
    to it, the best first. candidates, scores: shape (n,). What is no candidate comes last, the
    oldest first.
    """
    rows = np.array([r for row, joined in merged for r in (row, *joined)], np.int64)
    codes = np.where(graph.nodes["kind"][rows] == EPISODE, -1, int(ArcKind.SOURCE))
    came_from = spread.peers_each(graph, rows, codes)
    origins = zip(rows.tolist(), codes.tolist(), came_from, strict=True)
    own: list[list[int]] = []
    every: list[set[int]] = []
    for _, joined in merged:
        some = list(islice(origins, 1 + len(joined)))
        own.append(some[0][2])
        every.append({e for row, code, led in some for e in (led if code >= 0 else (row,))})
    episodes = np.array(sorted(set().union(*every)), np.int64)
    place = places_of(candidates, episodes)
    order = np.argsort(-np.where(place < 0, -np.inf, scores[place]), kind="stable")
    place_of = {row: i for i, row in enumerate(episodes[order].tolist())}
    ids = dict(zip(episodes.tolist(), graph.nodes["id"][episodes].tolist(), strict=True))
    return (
        [tuple(sorted(ids[row] for row in rows)) for rows in own],
        [tuple(ids[row] for row in sorted(rows, key=place_of.__getitem__)) for rows in every],
    )


def group(graph: Graph, hits: Sequence[Hit]) -> tuple[Unit, ...]:
    """Runs of adjacent episodes (gap at most 1) become one unit, in time order.

    A unit counts by its best member; units come best first.
    """
    owner = {hit.id: hit.id for hit in hits}

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    said = {graph.row_of[hit.id]: hit.id for hit in hits if hit.kind == "episode"}
    after = _next(graph, list(said))
    further = iter(_next(graph, [row for rows in after for row in rows]))
    for (row, hit_id), near in zip(said.items(), after, strict=True):
        for other in (*near, *chain.from_iterable(islice(further, len(near)))):
            if other in said and other != row:
                owner[root(said[other])] = root(hit_id)
    groups: dict[int, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(root(hit.id), []).append(hit)
    units = [
        Unit(
            hits=tuple(sorted(members, key=lambda h: (h.at, h.id))),
            score=max(h.score for h in members),
        )
        for members in groups.values()
    ]
    return tuple(sorted(units, key=lambda unit: -unit.score))


def _next(graph: Graph, rows: list[int]) -> list[list[int]]:
    """The episodes right after each of some rows."""
    codes = np.full(len(rows), int(ArcKind.NEXT))
    return spread.peers_each(graph, np.array(rows, np.int64), codes)


def clusters(graph: Graph, ids: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Strongly connected components of two hits or more over live directed associations."""
    ties = live_ties(graph.rows(ids), spread.pool_of(graph), graph.tick, LIVE)
    tied = nx.DiGraph(ties.tolist())
    found = sorted(sorted(one) for one in nx.strongly_connected_components(tied) if len(one) > 1)
    return tuple(tuple(ids[place] for place in one) for one in found)


# -- hits in words, and why they came back ---------------------------------------------------


def _hits(
    state: State,
    request: RecallRequest,
    ranking: Ranking,
    merged: Sequence[tuple[int, list[int]]],
    at: NDArray[np.int64],
    told: Sequence[tuple[int, tuple[int, ...]]],
) -> tuple[Hit, ...]:
    """The merged rows in words; `at`: their places among the candidates.

    `told`: the first episode that each came from, 0 for none, and all that belong to it.
    """
    nodes = state.graph.nodes
    records, ids = nodes[ranking.found.rows[at]], nodes["id"]
    # Where every fact it gave has been superseded, a turn is no more current than they are.
    stale = (ranking.columns[AT["stale"]][at] >= 1.0).tolist()
    scores, ends = ranking.scores[at].tolist(), valid_to(records, request).tolist()
    said, noted = records["valid_from"].tolist(), records["recorded_at"].tolist()
    kinds, node_ids = records["kind"].tolist(), records["id"].tolist()
    sure, flags = records["confidence"].tolist(), records["flags"].tolist()
    anchors = set(ids[ranking.anchor_rows].tolist())
    hits = []
    known = request.moment, request.recorded_as_of
    for i, content in enumerate(state.words(node_ids)):
        kind, joined = NodeKind(kinds[i]), merged[i][1]
        first, episodes = told[i]
        by, fact = state.content(first) if first else content, None
        disputed = bool(state.slots.outranked(node_ids[i], *known))
        if kind == NodeKind.FACT:
            fact = _fact_of(content, said[i], ends[i], sure[i], flags[i])
            fact = replace(fact, disputed=disputed, **_first_said(by if first else None))
        began = said[i] if isfinite(said[i]) else noted[i]
        hits.append(
            Hit(
                id=node_ids[i],
                text=content.text,
                score=scores[i],
                kind=KIND_NAMES[kind],
                episode_ids=episodes,
                fact=fact,
                speaker=str(by.meta.get("speaker", "")),
                session=str(content.meta.get("session", "")),
                at=-NEVER if kind == NodeKind.THEME else began,  # a theme is never news
                current=ends[i] > request.moment and not stale[i],
                members=tuple(ids[joined].tolist()) if joined else (),
                anchor=node_ids[i] in anchors,
                disputed=disputed,
            )
        )
    return tuple(hits)


def sources(graph: Graph, node_id: int) -> list[int]:
    """Episodes a fact or a note came from, oldest first."""
    rows = spread.peers(graph, graph.row(node_id), int(ArcKind.SOURCE))
    return sorted(graph.nodes["id"][rows].tolist())


def fact_view(state: State, node_id: int, ends: float | None = None) -> FactView:
    """A FACT node in words; `ends` overrides its valid_to (record time in the past)."""
    node = state.graph.view(node_id)[0]
    closes = float(node["valid_to"]) if ends is None else ends
    begins, sure, flags = (node[name].item() for name in ("valid_from", "confidence", "flags"))
    told = min(state.graph.targets(node_id, ArcKind.SOURCE), default=0)
    return replace(
        _fact_of(state.content(node_id), begins, closes, sure, flags),
        disputed=bool(
            closes > begins and state.slots.outranked(node_id, max(begins, state.latest_s))
        ),
        **_first_said(state.content(told) if told else None),
    )


def _first_said(told: Content | None) -> dict[str, Any]:
    """Who said a fact, and when, from the first of its episodes."""
    if told is None:
        return {}
    at = told.meta.get("at")
    return {
        "speaker": str(told.meta.get("speaker", "")),
        "said_at": None if at is None else moment_of(float(at)),
    }


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
        grade=grade_in(flags).name.lower() if grade_in(flags) else "",
    )


def _hit_traces(
    graph: Graph,
    ranking: Ranking,
    best: spread.Paths,
    came_from: Sequence[tuple[int, ...]],
    at: NDArray[np.int64],
    hits: Sequence[Hit],
) -> tuple[HitTrace, ...]:
    rows = ranking.found.rows[at].tolist()
    trails = [best.trail(row) for row in rows]
    first = [trail[0][0] if trail else row for row, trail in zip(rows, trails, strict=True)]
    steps = iter(steps_of(graph, [step for trail in trails for step in trail]))
    ids, records = graph.nodes["id"], graph.nodes[rows]
    values = rounded(NAMES, ranking.columns, at)
    parts = rounded(ranking.added, ranking.parts, at)
    since, until = records["valid_from"].tolist(), records["valid_to"].tolist()
    return tuple(
        HitTrace(
            id=hit.id,
            score=hit.score,
            anchor=int(ids[first[i]]) if first[i] in best.value else 0,
            path=tuple(islice(steps, len(trails[i]))),
            features=values[i],
            shares=parts[i],
            sources=(hit.id,) if hit.kind == "episode" else came_from[i],
            valid_from=since[i],
            valid_to=until[i],
        )
        for i, hit in enumerate(hits)
    )


def steps_of(graph: Graph, walked: Sequence[tuple[int, int, int]]) -> tuple[Step, ...]:
    """Walked adjacency entries, each (row before, row, slot), as steps."""
    if not walked:
        return ()
    src, dst, slots = np.array(walked, np.int64).T
    ids = graph.nodes["id"]
    codes = graph.adjacency.columns["kind"][slots]
    weights = worth(slots, spread.pool_of(graph), graph.tick)
    entries = zip(
        ids[src].tolist(), ids[dst].tolist(), codes.tolist(), weights.tolist(), strict=True
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
