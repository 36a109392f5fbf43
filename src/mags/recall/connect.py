"""How things hang together: the best path between two, and the ways to memories."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from mags.graph.records import NOBODY, ArcKind, NodeKind
from mags.index.state import State
from mags.recall import spread
from mags.recall.candidates import FAR, between
from mags.recall.found import Step
from mags.recall.recall import steps_of
from mags.recall.settings import RecallSettings

Way = tuple[int, ...]
"""Facts by id, the first one from what the question names."""


def connect(
    state: State, start: int, end: int, *, moment: float, settings: RecallSettings
) -> tuple[tuple[Step, ...], float] | None:
    """How two nodes hang together, and how strongly, in [0, 1]; None where they do not.

    The shortest chain of facts that hold, where there is one, as strong as the product of their
    confidences; else the path of greatest product over arcs of any kind.
    """
    told = between([start], [end], lambda one: _facts(state, one, moment), settings.linking)
    if told:
        return _chained(state, told)
    graph, goal = state.graph, state.graph.row(end)
    best = spread.paths(graph, np.array([graph.row(start)], np.int64), moment, settings)
    if goal not in best.value:
        return None
    return steps_of(graph, best.trail(goal)), best.value[goal]


def _chained(state: State, steps: Sequence[tuple[int, int, int]]) -> tuple[tuple[Step, ...], float]:
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
    return tuple(path), strength


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
