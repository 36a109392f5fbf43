"""Explaining: a trace in words."""

from __future__ import annotations

from mags.errors import NotFound
from mags.graph.records import ArcKind
from mags.index.state import State
from mags.memory.given import whole
from mags.memory.views import Explanation
from mags.recall.found import HitTrace, Step, Trace, date_of

SHORT = 90
NAMED = 5
"""Features named per hit, the weightiest first."""


def explain(state: State, trace: Trace, limit: int | None = None) -> Explanation:
    """Why each hit came back: anchor, path with weights, shares of the score, sources."""
    limit = None if limit is None else whole(limit, "limit is how many hits to explain")
    lines = [f"Asked: {' | '.join(trace.queries)}"] if trace.queries else []
    if trace.again:
        lines.append(f"Recalled again: {' | '.join(trace.again)}")
    lines.append(f"Read at tick {trace.tick}, journal entry {trace.seq}.")
    lines.append("Anchors: " + (", ".join(f"m{i}" for i in trace.anchors) or "none"))
    if trace.chain:
        lines.append("Chain: " + " -> ".join(_short(state, i) for i in trace.chain))
    for rank, hit in enumerate(trace.hits[:limit], 1):
        lines.extend(_hit(state, trace, hit, rank))
    for cluster in trace.clusters:
        lines.append("Associated: " + ", ".join(f"m{i}" for i in cluster))
    return Explanation(queries=trace.queries, lines=tuple(lines))


def _hit(state: State, trace: Trace, hit: HitTrace, rank: int) -> list[str]:
    mark = " *cited*" if hit.id in trace.cited else ""
    lines = [f"{rank}. [m{hit.id}] {_short(state, hit.id)} (score {hit.score:.2f}){mark}"]
    parts = sorted(hit.shares.items(), key=lambda item: -abs(item[1]))[:NAMED]
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
    kind = ArcKind(step.kind).name.lower()
    arrow = (
        f" --{kind} {step.weight:.2f}--> " if step.forward else f" <--{kind} {step.weight:.2f}-- "
    )
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
