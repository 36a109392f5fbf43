"""How things hang together: the best path between nodes, what is around one, ways to memories."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mags.graph.records import NOBODY, ArcKind, NodeKind, arc_charge
from mags.index.state import State
from mags.recall import spread
from mags.recall.candidates import between
from mags.recall.found import Step
from mags.recall.recall import steps_of
from mags.recall.settings import RecallSettings

FAR = 2_000
"""Things at most that a walk comes by: beyond them a memory is not within reach."""

Way = tuple[int, ...]
"""Facts by id, the first one from what the question names."""


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
    """How any of `starts` hangs together with any of `ends` (node ids), or None.

    The shortest chain of facts that hold, where there is one, as strong as the product of their
    confidences; else the strongest path over arcs of any kind.
    """
    steps = between(starts, ends, lambda one: _facts(state, one, moment), settings.linking)
    if steps:
        return _chained(state, steps)
    rows = np.array([state.graph.row(i) for i in starts], np.int64)
    best = spread.paths(state.graph, rows, moment, settings)
    reached = [(best.value[r], r) for r in map(state.graph.row, ends) if r in best.value]
    if not reached:
        return None
    strength, end = max(reached)
    trail = best.trail(end)
    ids = state.graph.nodes["id"]
    return Connection(
        start=int(ids[trail[0][0] if trail else end]),
        end=int(ids[end]),
        path=steps_of(state.graph, trail),
        strength=strength,
    )


def _chained(state: State, steps: Sequence[tuple[int, int, int]]) -> Connection:
    nodes = state.graph.nodes
    path: list[Step] = []
    strength = 1.0
    for start, fact, end in steps:
        known = nodes[state.graph.row(fact)]
        told = int(known["subject"]) == start
        into, out = ArcKind.SUBJECT, ArcKind.OBJECT
        first, second = (into, out) if told else (out, into)
        path.append(Step(src=start, dst=fact, kind=int(first), forward=False, weight=1.0))
        path.append(Step(src=fact, dst=end, kind=int(second), forward=True, weight=1.0))
        strength *= float(known["confidence"])
    return Connection(start=steps[0][0], end=steps[-1][2], path=tuple(path), strength=strength)


def neighbours(state: State, node_id: int) -> list[Neighbour]:
    """Every node one arc away, strongest first."""
    graph = state.graph
    out, into = graph.arcs_from(node_id), graph.arcs_to(node_id)
    found = [
        Neighbour(
            id=int(arc["dst" if outgoing else "src"]),
            kind=ArcKind(int(arc["kind"])),
            weight=float(weight),
            outgoing=outgoing,
        )
        for arcs, outgoing in ((out, True), (into, False))
        for arc, weight in zip(arcs, arc_charge(arcs, graph.tick), strict=True)
    ]
    return sorted(found, key=lambda n: (-n.weight, n.id))


def ways(
    state: State, question: str, ids: Sequence[int], *, moment: float
) -> tuple[Way | None, ...]:
    """By memory the fewest facts that lead to it from what the question names.

    () where the question names what it is about, None where no way leads there. Facts that hold
    are walked whichever way they are told, nearer things first (breadth first: Moore 1959).
    `ids`: of episodes or facts. `moment`: seconds of event time at which facts are to hold.
    """
    led: dict[int, Way] = {one: () for one in state.names.scan(question)}
    queue = deque(led)
    while queue and len(led) < FAR:
        here = queue.popleft()
        for fact, other in _facts(state, here, moment):
            if other not in led:
                led[other] = (*led[here], fact)
                queue.append(other)
    every = ([led[one] for one in _things(state, node) if one in led] for node in ids)
    return tuple(min(found, key=len, default=None) for found in every)


def _things(state: State, node: int) -> list[int]:
    """What a memory is about."""
    if state.kind(node) is NodeKind.FACT:
        ends = state.graph.node(node)[0]
        return [int(end) for end in (ends["subject"], ends["object"]) if int(end) != NOBODY]
    return [int(one) for one in state.graph.targets(node, ArcKind.MENTIONS)]


def _facts(state: State, thing: int, moment: float) -> list[tuple[int, int]]:
    """The facts of a thing that hold, each with the thing at its other end."""
    ids = [*state.slots.of(thing), *state.slots.about(thing)]
    nodes = state.graph.nodes[state.graph.rows(ids)]
    holding = nodes[(nodes["valid_from"] <= moment) & (nodes["valid_to"] > moment)]
    starts, ends = holding["subject"], holding["object"]
    others = np.where(starts == thing, ends, starts)
    pairs = zip(holding["id"].tolist(), others.tolist(), strict=True)
    return [(fact, other) for fact, other in pairs if other != NOBODY]
