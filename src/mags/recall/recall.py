"""One recall, from a query with its vectors to hits, units and their trace.

`rank` collects candidates, lets activation spread from the best of them and gives every one a
score. `recall` takes the best, joins what belongs together and says why each came back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import NEVER, NOBODY, ArcKind, Content, NodeFlag, NodeKind, grade_in
from mags.index.state import State
from mags.index.tokens import stem, words
from mags.ports.english import TO_TWELVE, word_set
from mags.ports.policy import ASSISTANTS, Link, Members, Turn
from mags.recall import spread
from mags.recall.candidates import (
    Candidates,
    RecallRequest,
    SameRelation,
    Walk,
    best_documents,
    bridges,
    documents,
    facts_of,
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
from mags.recall.kernels import EPISODE, cycles, foremost, places_of, runs, worth
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

STEPS = ("block", "wired", "look", "read", "feedback", "newer", "bygone")
"""What is added to a score after the features."""

CONSIDERED = 64
"""Best-fused candidates that anchors are chosen among."""

LIVE = 0.2
"""Charge above which an association ties hits into a cluster."""

AT_ONCE = 32
"""Rows whose partners are looked up together: hits are seldom more."""

PARTNERED = np.full(256, -1)
"""By kind, the arc that joins it to what it comes out as one with, as it is stored; -1: none."""
PARTNERED[[NodeKind.FACT, NodeKind.NOTE]] = int(ArcKind.SOURCE)
PARTNERED[NodeKind.EPISODE] = int(ArcKind.SOURCE) | REVERSE

KIND_NAMES = {int(kind): kind.name.lower() for kind in NodeKind}

# As plain numbers: an `IntFlag` takes ten times as long to test.
DISPUTED, GUESS, STATED = int(NodeFlag.DISPUTED), int(NodeFlag.GUESS), int(NodeFlag.STATED)

Thing = TypeVar("Thing")


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
    provenances = [
        (min(own, default=0), every) for own, every in zip(came_from, episodes, strict=True)
    ]
    hits = _hits(state, request, ranking, merged, at, provenances)
    trace = Trace(
        tick=graph.tick,
        seq=state.seq,
        queries=request.query.plan.queries,
        anchors=tuple(graph.nodes["id"][ranking.anchor_rows].tolist()),
        hits=_hit_traces(graph, ranking, best, came_from, at, hits),
        chain=ranking.walk.chain,
        members=ranking.walk.members,
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
    _, episodes = provenance(state.graph, merged, ranking.found.rows, ranking.scores)
    ids = tuple(dict.fromkeys(episode for some in episodes for episode in some[:1]))
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
    if settings.walk:
        walked = with_members(state, request, walked)
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
        best = foremost(found.fused, settings.bridging)
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
    read = reread(state, request, found.rows, scores, settings)
    scores = scores + read
    fed = np.zeros_like(scores)
    if settings.tier != "fast" and not request.query.statement:
        fed = relevance_feedback(state, request, found, scores, settings.feedback)
    scores = scores + fed
    newer = recency_reranking(state, request, found, scores, settings.renewal)
    scores = scores + newer
    superseded = superseded_penalty(state, request, found.rows, scores, values[AT["stale"]])
    return Ranking(
        found=found,
        scores=scores + superseded,
        columns=values,
        added=(*names, *STEPS),
        parts=np.vstack([parts, balance, boost, looked, read, fed, newer, superseded]),
        anchor_rows=anchor_rows,
        walk=walked,
    )


def _anchors(state: State, found: Candidates, settings: RecallSettings) -> NDArray[np.int64]:
    """Rows of the anchors, the best match first."""
    if not len(found.rows):
        return found.rows
    if settings.anchor_choice != "hull":
        return np.asarray(found.rows[foremost(found.fused, settings.anchors)])
    order = foremost(found.fused, CONSIDERED)
    rows = found.rows[order]
    return np.asarray(rows[spanning(state.vectors.get(rows), found.fused[order], settings.anchors)])


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
        kinds = graph.kinds[some]
        partners = spread.peers_each(graph, some, PARTNERED[kinds])
        yield from zip(some.tolist(), kinds.tolist(), partners, strict=True)


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
    codes = np.where(graph.kinds[rows] == EPISODE, -1, int(ArcKind.SOURCE))
    came_from = spread.peers_each(graph, rows, codes)
    each = zip(rows.tolist(), codes.tolist(), came_from, strict=True)
    turns = [led if code >= 0 else [row] for row, code, led in each]
    own: list[list[int]] = []
    every: list[set[int]] = []
    at = 0
    for _, joined in merged:
        own.append(came_from[at])
        every.append(set().union(*turns[at : at + 1 + len(joined)]))
        at += 1 + len(joined)
    episodes = np.array(sorted(set().union(*every)), np.int64)
    place = places_of(candidates, episodes)
    worths = np.where(place < 0, -np.inf, scores[place]).tolist()
    rank_of = {r: (-w, r) for r, w in zip(episodes.tolist(), worths, strict=True)}
    ids = dict(zip(rank_of, graph.nodes["id"][episodes].tolist(), strict=True))
    return (
        [tuple(sorted(ids[row] for row in rows)) for rows in own],
        [tuple(ids[row] for row in sorted(rows, key=rank_of.__getitem__)) for rows in every],
    )


def group(graph: Graph, hits: Sequence[Hit]) -> tuple[Unit, ...]:
    """Runs of adjacent episodes (gap at most 1) become one unit, in time order.

    A unit counts by its best member; units come best first.
    """
    rows = [graph.row_of[hit.id] if hit.kind == "episode" else -1 for hit in hits]
    first = runs(np.array(rows, np.int64), spread.links_of(graph), graph.alive)
    units = [
        Unit(
            hits=tuple(sorted(members, key=lambda h: (h.at, h.id))),
            score=max(h.score for h in members),
        )
        for members in _together(hits, first)
    ]
    return tuple(sorted(units, key=lambda unit: -unit.score))


def clusters(graph: Graph, ids: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Strongly connected components of two hits or more over live directed associations."""
    first = cycles(graph.rows(ids), spread.pool_of(graph), graph.tick, LIVE)
    return tuple(tuple(one) for one in _together(ids, first) if len(one) > 1)


def _together(things: Sequence[Thing], first: NDArray[np.int64]) -> Iterable[list[Thing]]:
    """Those that share the place of their first one, in order; without those whose place is -1."""
    found: dict[int, list[Thing]] = {}
    for thing, place in zip(things, first.tolist(), strict=True):
        if place >= 0:
            found.setdefault(place, []).append(thing)
    return found.values()


# -- hits in words, and why they came back ---------------------------------------------------


def _hits(
    state: State,
    request: RecallRequest,
    ranking: Ranking,
    merged: Sequence[tuple[int, list[int]]],
    at: NDArray[np.int64],
    provenances: Sequence[tuple[int, tuple[int, ...]]],
) -> tuple[Hit, ...]:
    """The merged rows in words; `at`: their places among the candidates.

    `provenances`: the first episode that each came from, 0 for none, and all that belong to it.
    """
    nodes, ids = state.graph.nodes, state.graph.nodes["id"]
    records = nodes[ranking.found.rows[at]]
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
        kind, joined = kinds[i], merged[i][1]
        first, episodes = provenances[i]
        by, fact = state.content(first) if first else content, None
        disputed = bool(flags[i] & DISPUTED and state.slots.outranked(node_ids[i], *known))
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
    first = min(state.graph.targets(node_id, ArcKind.SOURCE), default=0)
    return replace(
        _fact_of(state.content(node_id), begins, closes, sure, flags),
        disputed=bool(
            closes > begins and state.slots.outranked(node_id, max(begins, state.latest_s))
        ),
        **_first_said(state.content(first) if first else None),
    )


def _first_said(source: Content | None) -> dict[str, Any]:
    """Who said a fact, and when, from the first of its episodes."""
    if source is None:
        return {}
    at = source.meta.get("at")
    return {
        "speaker": str(source.meta.get("speaker", "")),
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
        stated=bool(flags & STATED),
        text=content.text,
        tentative=bool(flags & GUESS),
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
    # Paths to several hits share steps.
    walked = list(dict.fromkeys(step for trail in trails for step in trail))
    steps = dict(zip(walked, steps_of(graph, walked), strict=True))
    nodes = graph.nodes
    anchors = nodes["id"][first].tolist()
    values = rounded(NAMES, ranking.columns, at)
    parts = rounded(ranking.added, ranking.parts, at)
    since, until = nodes["valid_from"][rows].tolist(), nodes["valid_to"][rows].tolist()
    return tuple(
        HitTrace(
            id=hit.id,
            score=hit.score,
            anchor=anchors[i] if first[i] in best.value else 0,
            path=tuple(steps[step] for step in trails[i]),
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


# -- who of a class --------------------------------------------------------------

# Of a class of things, those of whom something is told: "which of my friends live in Norway". Who
# belongs to the class is held as facts, and so is what is asked of each. Only open facts count that
# are surely held: no guess, and nothing that who it is of tells otherwise. What nobody told is no
# answer: that somebody does not eat meat has to be told, too.

MOST_MEMBERS = 64
"""Members at most of a class that is gone through."""

_NONE = word_set("no none not never nothing nobody neither without zero 0")
_BESIDE = word_set("a an the some one two three four five six several many my his her their our")
_LOOSE = word_set("has owns is works drives plays occupation")
"""First words of relations to things that modifiers leave what they are: "has" an old car."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tie:
    """A fact of a thing, and what it ties it to: an id, or `NOBODY` where it is only words."""

    fact: int
    other: int
    text: str


def with_members(state: State, request: RecallRequest, walked: Walk) -> Walk:
    """The walk with the facts by which a class is answered, in place of hops; as is without."""
    asked = request.query.plan.members
    found = members_of(state, request, asked) if asked is not None else ()
    if not found:
        return walked
    facts = state.graph.rows(fact for _, *facts in found for fact in facts)
    value = {**walked.value, **dict.fromkeys(facts.tolist(), 2.0)}
    return replace(walked, value=value, chain=(), members=found)


def members_of(state: State, request: RecallRequest, asked: Members) -> tuple[tuple[int, ...], ...]:
    """Those of the class that are told of, each an entity and its facts; () where none is."""
    shared = _shared(state, request, asked) if asked.like else {}
    found: dict[int, tuple[int, ...]] = {}
    for entity, own in _class(state, request, asked, shared).items():
        ties = [
            tie
            for tie in _ties(state, request, entity, asked.told)
            if not asked.like or tie.other in shared
        ]
        if ties:
            same = (shared[tie.other] for tie in ties if tie.other in shared)
            facts = (*own, *(tie.fact for tie in ties), *same)
            found[entity] = tuple(dict.fromkeys(facts))
        elif asked.every and not _is_group(state.content(entity).text):
            return ()
    return tuple((entity, *facts) for entity, facts in found.items())


def _class(
    state: State, request: RecallRequest, asked: Members, shared: dict[int, int]
) -> dict[int, tuple[int, ...]]:
    """Who may be meant, each with the facts that tell so; nobody where that is not clear."""
    found: dict[int, tuple[int, ...]] = {}
    if asked.owner:
        for owner in _only(state, asked.owner):
            for tie in _ties(state, request, owner, asked.links):
                if tie.other not in (NOBODY, owner):
                    found[tie.other] = (*found.get(tie.other, ()), tie.fact)
    elif asked.names:
        found = {one: () for name in asked.names for one in _only(state, name)}
        found = found if len(found) == len(asked.names) else {}
    elif asked.anybody:
        back = [Link(relations=link.inverse, inverse=link.relations) for link in asked.told]
        found = {tie.other: () for end in shared for tie in _ties(state, request, end, back)}
    else:
        heard = {i: state.content(i).text for i in state.speakers}
        found = {i: () for i, name in heard.items() if name.casefold() not in ASSISTANTS}
        found = found if len(found) > 1 else {}  # "us" is more than who asks
    for entity in (NOBODY, *state.names.find(asked.like)):
        found.pop(entity, None)
    return found if len(found) <= MOST_MEMBERS else {}


def _is_group(name: str) -> bool:
    """Whether a thing is several of its kind, "two brothers", of which nothing need be told."""
    first = name.partition(" ")[0].casefold()
    return first.isdigit() or first in TO_TWELVE.split("|")


def _only(state: State, name: str) -> list[int]:
    """The one thing of a name; none where several have it."""
    found = state.names.find(name)
    return found if len(found) == 1 else []


def _shared(state: State, request: RecallRequest, asked: Members) -> dict[int, int]:
    """The ends that the facts of the one to be like lead to, each with its fact."""
    return {
        tie.other: tie.fact
        for entity in _only(state, asked.like)
        for tie in _ties(state, request, entity, asked.told)
        if tie.other != NOBODY
    }


def _ties(state: State, request: RecallRequest, entity: int, links: Sequence[Link]) -> list[_Tie]:
    """The sure open facts of a thing that are of one of the links."""
    found: list[_Tie] = []
    for inverse in (False, True):
        names = frozenset().union(*(link.inverse if inverse else link.relations for link in links))
        if not names:
            continue
        for fact, content in _sure(state, request, entity, inverse=inverse):
            relation = str(content.meta.get("relation", ""))
            if relation not in names:
                continue
            node = state.graph.view(fact)[0]
            tie = _Tie(
                fact=fact,
                other=int(node["subject" if inverse else "object"]),
                text=str(content.meta.get("subject" if inverse else "object", "")),
            )
            for link in links:
                of = link.inverse if inverse else link.relations
                if relation in of and _is_one(state, tie, relation, link.objects):
                    found.append(tie)
                    break
    return found


def _sure(
    state: State, request: RecallRequest, entity: int, *, inverse: bool
) -> Iterator[tuple[int, Content]]:
    """Facts that hold and are surely held, by id, with their words."""
    rows = facts_of(state, request, entity, inverse=inverse)
    nodes = state.graph.nodes[rows]
    holds = (nodes["valid_from"] <= request.moment) | ~np.isfinite(nodes["valid_from"])
    holds &= (valid_to(nodes, request) > request.moment) & (nodes["flags"] & NodeFlag.GUESS == 0)
    ids: list[int] = nodes["id"][holds].tolist()
    for fact, content in zip(ids, state.words(ids), strict=True):
        conditional = "condition" in dict(content.meta.get("qualifiers", {}))
        if not (conditional or state.slots.outranked(fact, request.moment, request.recorded_as_of)):
            yield fact, content


def _is_one(state: State, tie: _Tie, relation: str, objects: Sequence[str]) -> bool:
    """Whether a fact leads to one of the things asked for, by name or by its words."""
    said = words(tie.text)
    if _NONE.intersection(said):
        return False
    if not objects:
        return True
    held = [stem(word) for word in said if word not in _BESIDE]
    loose = relation.partition(" ")[0] in _LOOSE
    for one in objects:
        if tie.other != NOBODY and tie.other in state.names.find(one):
            return True
        asked = [stem(word) for word in words(one) if word not in _BESIDE]
        last = held[-len(asked) :] if loose and one.islower() else held
        if asked and asked == last:
            return True
    return False
