"""How two things hang together: the best path between nodes, and what is around one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.charge import arc_charge
from mags.graph.records import ArcKind
from mags.index.state import State
from mags.recall import spread
from mags.recall.recall import step_of
from mags.recall.settings import RecallSettings
from mags.recall.trace import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The path of greatest product between two nodes; `strength` is that product in [0, 1]."""

    start: int
    end: int
    path: tuple[Step, ...]
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """One node beside another: the arc between, its charge, and which way it points."""

    id: int
    kind: ArcKind
    weight: float
    outgoing: bool


def connect(
    state: State,
    starts: list[int],
    ends: list[int],
    *,
    moment: float,
    settings: RecallSettings,
) -> Connection | None:
    """The strongest path from any of `starts` to any of `ends` (node ids), or None."""
    rows = np.array([state.graph.row(i) for i in starts], np.int64)
    best = spread.paths(state.graph, rows, moment, settings)
    reached = [(best.value[r], r) for r in map(state.graph.row, ends) if r in best.value]
    if not reached:
        return None
    strength, here = max(reached)
    end = here
    steps: list[Step] = []
    while best.before[here] >= 0:
        steps.append(step_of(state.graph, best.before[here], here, best.slot[here]))
        here = best.before[here]
    ids = state.graph.nodes["id"]
    return Connection(
        start=int(ids[here]), end=int(ids[end]), path=tuple(reversed(steps)), strength=strength
    )


def neighbours(state: State, node_id: int) -> list[Neighbour]:
    """Every node one arc away, strongest first."""
    graph = state.graph
    out = graph.arcs_from(node_id)
    into = graph.arcs_to(node_id)
    found = [
        Neighbour(id=int(a["dst"]), kind=ArcKind(int(a["kind"])), weight=float(w), outgoing=True)
        for a, w in zip(out, arc_charge(out, graph.tick), strict=True)
    ]
    found += [
        Neighbour(id=int(a["src"]), kind=ArcKind(int(a["kind"])), weight=float(w), outgoing=False)
        for a, w in zip(into, arc_charge(into, graph.tick), strict=True)
    ]
    return sorted(found, key=lambda n: (-n.weight, n.id))
