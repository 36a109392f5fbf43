"""Looking things up: nodes, facts, paths, profiles, counts and explanations in words, and search.

Every function takes a state that nobody changes meanwhile, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import NotFound
from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, ArcKind, Content, NodeFlag, NodeKind, arc_charge, node_charge
from mags.index.state import State
from mags.index.tokens import terms
from mags.memory import views
from mags.memory.inputs import whole
from mags.memory.live import Live
from mags.memory.reading import ReadOptions
from mags.memory.settings import Parts
from mags.memory.weights import taught_now
from mags.recall.candidates import outdated
from mags.recall.connect import connect
from mags.recall.found import FactView, Found, HitTrace, Step, Trace, date_of, moment_of
from mags.recall.recall import fact_view, sources
from mags.recall.settings import RecallSettings

LOOSE = 20_000
"""Nodes that a search for a path may visit, at least."""
LABEL = 160
"""Characters of a node's text in a list."""
SHORT = 90
"""Characters of a node's text in an explanation."""
NAMED = 5
"""Features named per hit, the weightiest first."""
LIKE = 0.3
"""Cosine from which a memory that shares no word with the query is found. Measured with the shipped
embedder: "pets" and a dog have 0.35, texts that have nothing in common up to 0.24."""
WORTH = 0.5
"""Share of the best score from which a hit is found."""
WORDED = ("cover", "lexical", "lexical_reworded", "walk", "chain")
"""Features of recall that rest on words and names, which count more than likeness."""
_ORDER = (NodeKind.ENTITY, NodeKind.FACT, NodeKind.NOTE, NodeKind.THEME, NodeKind.EPISODE)


def resolve(state: State, thing: int | str) -> int:
    """A node id, or the entity of that name; raises NotFound."""
    if isinstance(thing, int):
        state.graph.row(thing)
        return thing
    found = state.names.find(thing)
    if not found:
        raise NotFound(f"nothing named {thing!r} is in this memory", name=thing)
    return found[0]


def node_view(state: State, node_id: int) -> views.NodeView:
    """One node in words; raises NotFound."""
    record = state.graph.node(node_id)
    node = record[0]
    content = state.content(node_id)
    kind = NodeKind(int(node["kind"]))
    flags = int(node["flags"])
    ends = float(node["valid_to"])
    return views.NodeView(
        id=node_id,
        kind=kind.name.lower(),
        text=content.text,
        meta=dict(content.meta),
        strength=round(float(node_charge(record, state.graph.tick)[0]), 4),
        importance=round(float(node["importance"]), 4),
        confidence=round(float(node["confidence"]), 4),
        valid_from=moment_of(float(node["valid_from"])),
        valid_to=None if ends == NEVER else moment_of(ends),
        recorded_at=moment_of(float(node["recorded_at"])),
        uses=int(node["uses"]),
        pinned=bool(flags & NodeFlag.PINNED),
        cold=bool(flags & NodeFlag.COLD),
        sources=tuple(sources(state.graph, node_id)),
        fact=fact_view(state, node_id) if kind == NodeKind.FACT else None,
    )


def facts(state: State, subject: int | str | None, options: ReadOptions) -> list[FactView]:
    """Facts (of a subject, or all) in order of validity; those true at `options.as_of`, or all."""
    if subject is None:
        ids = state.graph.ids(NodeKind.FACT).tolist()
    else:
        named = [subject] if isinstance(subject, int) else state.names.find(subject)
        ids = [i for entity in named for i in state.slots.of(entity)]
    found = [view for i in ids if (view := fact_at(state, i, options)) is not None]
    return sorted(found, key=lambda f: (f.valid_from.timestamp() if f.valid_from else -NEVER, f.id))


def fact_at(state: State, fact: int, options: ReadOptions) -> FactView | None:
    """A fact as it was known and true then; None where it was not."""
    node = state.graph.node(fact)[0]
    ends = float(node["valid_to"])
    if options.recorded_as_of is not None:
        if float(node["recorded_at"]) > options.recorded_as_of:
            return None
        if float(node["closed_at"]) > options.recorded_as_of:
            ends = NEVER
    if options.as_of is not None:
        denied = int(node["flags"]) & NodeFlag.RETRACTED and ends < NEVER
        if denied or not float(node["valid_from"]) <= options.as_of < ends:
            return None
    return fact_view(state, fact, ends)


def neighbour_views(state: State, node_id: int) -> list[views.NeighbourView]:
    """Everything one arc away, strongest first."""
    graph = state.graph
    beside = [
        (float(weight), int(arc["dst" if outgoing else "src"]), int(arc["kind"]), outgoing)
        for arcs, outgoing in ((graph.arcs_from(node_id), True), (graph.arcs_to(node_id), False))
        for arc, weight in zip(arcs, arc_charge(arcs, graph.tick), strict=True)
    ]
    return [
        views.NeighbourView(
            id=other,
            kind=state.kind(other).name.lower(),
            text=state.content(other).text,
            arc=ArcKind(kind).name.lower(),
            weight=round(weight, 4),
            outgoing=outgoing,
        )
        for weight, other, kind, outgoing in sorted(beside, key=lambda one: (-one[0], one[1]))
    ]


def path(
    state: State, start: int, end: int, *, now_s: float, settings: RecallSettings
) -> views.PathView | None:
    """The strongest path between two nodes; None where there is none."""
    loose = replace(settings, threshold=0.0, max_nodes=max(settings.max_nodes, LOOSE))
    found = connect(state, start, end, moment=now_s, settings=loose)
    if found is None:
        return None
    steps, strength = found
    ids = [start, *(step.dst for step in steps)]
    return views.PathView(
        strength=strength,
        nodes=tuple(ids),
        texts=tuple(content.text for content in state.words(ids)),
        arcs=tuple(ArcKind(step.kind).name.lower() for step in steps),
    )


def profile(state: State, entity: int, *, now_s: float) -> views.Profile:
    """What is known about an entity."""
    content = state.content(entity)
    everything = [fact_view(state, i) for i in state.slots.of(entity)]
    ends = {v.id: float(state.graph.node(v.id)["valid_to"][0]) for v in everything}
    spoken = state.graph.nodes["subject"][state.graph.where(NodeKind.EPISODE)] == entity
    return views.Profile(
        id=entity,
        name=content.text,
        aliases=tuple(str(a) for a in content.meta.get("aliases", ())),
        facts=tuple(v for v in everything if ends[v.id] > now_s),
        past=tuple(v for v in everything if ends[v.id] <= now_s),
        about=tuple(fact_view(state, i) for i in state.slots.about(entity)),
        episodes=int(spoken.sum()) + len(state.graph.origins(entity, ArcKind.MENTIONS)),
    )


def search(
    state: State, words: str, found: Found, options: ReadOptions, vector: NDArray[Any] | None
) -> list[views.NamedView]:
    """At most `options.k` memories: literal matches by kind, then recalled ones that are near.

    Literal matches are the entity of that name, its facts, and every node that holds all the words.
    They come in the order of `_ORDER`; within a kind what holds comes before what is over,
    statements before questions. The memory's own answers come last. `found`: the recall of the
    words; `vector`: theirs, shape (dimension,).
    """
    # As keys of dicts, so that each node counts once, at its first place.
    named = state.names.find(words)
    facts = [i for one in named for i in (*state.slots.of(one), *state.slots.about(one))]
    literal = dict.fromkeys((*named, *facts, *_holding(state, words)))
    near = [i for i in _near(state, found, vector) if i not in literal]
    seen = {i: view for i in (*literal, *near) if (view := _view(state, i, options)) is not None}
    first = [i for i in literal if i in seen]
    first.sort(key=lambda i: (i not in named, *_place(state, seen[i])))
    ids = [*first, *(i for i in near if i in seen)]
    ids.sort(key=lambda i: bool(int(state.graph.view(i)["flags"][0]) & NodeFlag.RECALLED))
    return [seen[i] for i in ids[: options.k]]


def _holding(state: State, words: str) -> list[int]:
    """Nodes that hold every word that counts."""
    wanted = list(dict.fromkeys(terms(words)))
    if not wanted:
        return []
    rows = state.lexicon.holding(wanted[0])
    for term in wanted[1:]:
        rows = rows[np.isin(rows, state.lexicon.holding(term))]
    graph = state.graph
    ids: list[int] = graph.nodes["id"][rows[graph.alive[rows]]].tolist()
    return ids


def _near(state: State, found: Found, vector: NDArray[Any] | None) -> Iterator[int]:
    """Hits whose score is near the best, if they share a word with the query or are like it."""
    best = max((hit.score for hit in found.hits), default=0.0)
    why = {one.id: dict(one.shares) for one in found.trace.hits}
    for hit in found.hits:
        if hit.id not in state.graph or hit.score <= 0.0 or hit.score < WORTH * best:
            continue
        worded = any(why.get(hit.id, {}).get(name, 0.0) > 0.0 for name in WORDED)
        if worded or _cosine(state, hit.id, vector) >= LIKE:
            yield hit.id


def _cosine(state: State, node_id: int, vector: NDArray[Any] | None) -> float:
    if vector is None:
        return 0.0
    own = state.vectors.get(state.graph.rows([node_id]))[0]
    return float(np.asarray(own, np.float32) @ np.asarray(vector, np.float32))


def _view(state: State, node_id: int, options: ReadOptions) -> views.NamedView | None:
    """A node at the time of `options`; None where it was not there yet, or no more."""
    node = state.graph.view(node_id)[0]
    kind = NodeKind(int(node["kind"]))
    known = options.recorded_as_of
    if known is not None and float(node["recorded_at"]) > known:
        return None
    content = state.content(node_id)
    current = bool(node["valid_to"] == NEVER)
    if kind == NodeKind.FACT and options.of_the_past:
        view = fact_at(state, node_id, options)
        if view is None:
            return None
        current = options.as_of is not None or view.valid_to is None
    if kind == NodeKind.EPISODE and options.as_of is not None:
        if float(node["valid_from"]) > options.as_of:
            return None
    elif kind == NodeKind.THEME:
        # Without a time: what tells of something that has an end at all.
        moment = float(np.nextafter(NEVER, 0.0)) if options.as_of is None else options.as_of
        if outdated(state.graph, state.graph.rows([node_id]), moment)[0]:
            return None
    return named(state, content, current=current)


def _place(state: State, view: views.NamedView) -> tuple[int, bool, bool, float]:
    """Sort key of a literal match: kind, then what holds, then statements, the newest first."""
    node = state.graph.view(view.id)[0]
    kind = _ORDER.index(NodeKind(int(node["kind"])))
    asks = bool(int(node["flags"]) & NodeFlag.QUESTION)
    return kind, not view.current, asks, -float(node["recorded_at"])


def named(state: State, content: Content, *, current: bool) -> views.NamedView:
    """A node in its present words."""
    node = state.graph.view(content.node)[0]
    moment = max(float(node["valid_from"]), state.latest_s)
    return views.NamedView(
        id=content.node,
        kind=NodeKind(int(node["kind"])).name.lower(),
        text=content.text[:LABEL],
        current=current,
        tentative=bool(int(node["flags"]) & NodeFlag.GUESS),
        disputed=current and bool(state.slots.outranked(content.node, moment)),
    )


def explain(state: State, trace: Trace, limit: int | None = None) -> views.Explanation:
    """Why each hit came back: anchor, path with weights, shares of the score, sources."""
    limit = None if limit is None else whole(limit, "limit is how many hits to explain")
    lines = [f"Asked: {' | '.join(trace.queries)}"] if trace.queries else []
    if trace.again:
        lines.append(f"Recalled again: {' | '.join(trace.again)}")
    if (taught := trace.weights) is not None:
        at = date_of(taught.made_at)
        lines.append(
            f"From weights: {taught.version}, taught {at} from journal entry {taught.seq}, "
            f"recited {', '.join(f'm{i} {_short(state, i)}' for i in taught.facts)}"
        )
    lines.append(f"Read at tick {trace.tick}, journal entry {trace.seq}.")
    lines.append("Anchors: " + (", ".join(f"m{i}" for i in trace.anchors) or "none"))
    if trace.chain:
        lines.append("Chain: " + " -> ".join(_short(state, i) for i in trace.chain))
    for rank, hit in enumerate(trace.hits[:limit], 1):
        lines.extend(_hit(state, trace, hit, rank))
    for cluster in trace.clusters:
        lines.append("Associated: " + ", ".join(f"m{i}" for i in cluster))
    return views.Explanation(queries=trace.queries, lines=tuple(lines))


def _hit(state: State, trace: Trace, hit: HitTrace, rank: int) -> list[str]:
    mark = " *cited*" if hit.id in trace.cited else ""
    lines = [f"{rank}. [m{hit.id}] {_short(state, hit.id)} (score {hit.score:.2f}){mark}"]
    parts = sorted(hit.shares.items(), key=lambda item: -abs(item[1]))[:NAMED]
    if parts:
        lines.append("   because " + ", ".join(f"{name} {value:+.2f}" for name, value in parts))
    if hit.path:
        steps = "".join(_step(state, step) for step in hit.path)
        lines.append(f"   path from anchor {_short(state, hit.anchor)}{steps}")
    elif hit.anchor == hit.id:
        lines.append("   an anchor itself")
    if hit.sources and hit.sources != (hit.id,):
        lines.append("   said in " + ", ".join(_source(state, i) for i in hit.sources))
    start, end = date_of(hit.valid_from), date_of(hit.valid_to)
    if end:
        lines.append(f"   true {f'from {start} ' if start else ''}until {end}")
    return lines


def _step(state: State, step: Step) -> str:
    arc = f"{ArcKind(step.kind).name.lower()} {step.weight:.2f}"
    arrow = f" --{arc}--> " if step.forward else f" <--{arc}-- "
    return arrow + _short(state, step.dst)


def _source(state: State, node_id: int) -> str:
    if node_id not in state.graph:
        return f"m{node_id} (forgotten)"
    node = state.graph.node(node_id)[0]
    return f"m{node_id} ({date_of(float(node['valid_from'])) or 'undated'})"


def _short(state: State, node_id: int) -> str:
    try:
        text = state.content(node_id).text
    except NotFound:
        return "(forgotten)"
    text = " ".join(text.split())
    return f"“{text[: SHORT - 1]}…”" if len(text) > SHORT else f"“{text}”"


def held_bytes(state: State) -> int:
    """Bytes of RAM that the graph, vectors and words of a memory take."""
    held = (state.graph.nodes, state.graph.adjacency, state.vectors, state.lexicon)
    return int(sum(part.nbytes for part in held))


def stats(live: Live, parts: Parts) -> views.Stats:
    """Counts by kind, open and closed facts, bytes."""
    store = live.store
    # Before the state is held: the store reads the disk for it.
    size = dict(store.facts.size())
    marks, branches = store.points.marks(), store.facts.branches()
    taught = taught_now(live, parts.artifacts)
    with live.reading() as state:
        graph = state.graph
        nodes = graph.nodes[graph.where()]
        facts = nodes[nodes["kind"] == NodeKind.FACT]
        kinds = graph.adjacency.columns["kind"][graph.adjacency.positions()[1]]
        arcs = np.bincount(kinds[kinds < REVERSE], minlength=max(ArcKind) + 1)
        return views.Stats(
            nodes={k.name.lower(): int((nodes["kind"] == k).sum()) for k in NodeKind},
            arcs={k.name.lower(): int(arcs[k]) for k in ArcKind},
            open_facts=int((facts["valid_to"] == NEVER).sum()),
            closed_facts=int((facts["valid_to"] != NEVER).sum()),
            tick=graph.tick,
            seq=state.seq,
            branch=store.branch,
            embedder=live.embedder.name,
            policy=parts.policy.name,
            answerer=parts.answerer.name,
            bytes_on_disk=int(size.get("bytes", 0)),
            bytes_in_memory=held_bytes(state),
            snapshots=tuple(mark.name for mark in marks),
            branches=tuple(mark.name for mark in branches),
            parts=size,
            weights=taught,
        )
