"""How one comes from what a question names to a memory: the fewest facts that lead there.

Facts that hold are walked from thing to thing, whichever way they are told, nearer things first
(breadth first: Moore 1959), so the ways to all of them are one tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mags.graph.records import NOBODY, ArcKind, NodeKind
from mags.index.state import State

FAR = 2_000
"""Things at most that a walk comes by: beyond them a memory is not within reach."""

Way = tuple[int, ...]
"""Facts by id, the first one from what the question names."""


def ways(
    state: State, question: str, ids: Sequence[int], *, moment: float
) -> tuple[Way | None, ...]:
    """By memory the way to it; () where the question names what it is about, None where none leads.

    `ids`: of episodes or facts. `moment`: seconds of event time at which facts are to hold.
    """
    led = _tree(state, state.names.scan(question), moment)
    return tuple(_nearest(led, _things(state, one)) for one in ids)


def _things(state: State, node: int) -> list[int]:
    """What a memory is about."""
    if state.kind(node) is NodeKind.FACT:
        ends = state.graph.node(node)[0]
        return [int(end) for end in (ends["subject"], ends["object"]) if int(end) != NOBODY]
    return [int(one) for one in state.graph.targets(node, ArcKind.MENTIONS)]


def _nearest(led: Mapping[int, Way], things: Iterable[int]) -> Way | None:
    return min((led[one] for one in things if one in led), key=len, default=None)


def _tree(state: State, starts: Iterable[int], moment: float) -> dict[int, Way]:
    """By thing the facts that lead to it."""
    led: dict[int, Way] = {one: () for one in starts}
    queue = deque(led)
    while queue and len(led) < FAR:
        here = queue.popleft()
        for fact, other in _facts(state, here, moment):
            if other not in led:
                led[other] = (*led[here], fact)
                queue.append(other)
    return led


def _facts(state: State, thing: int, moment: float) -> list[tuple[int, int]]:
    """The facts of a thing that hold, each with the thing at its other end."""
    ids = [*state.slots.of(thing), *state.slots.about(thing)]
    nodes = state.graph.nodes[state.graph.rows(ids)]
    holding = nodes[(nodes["valid_from"] <= moment) & (nodes["valid_to"] > moment)]
    starts, ends = holding["subject"], holding["object"]
    others = np.where(starts == thing, ends, starts)
    pairs = zip(holding["id"].tolist(), others.tolist(), strict=True)
    return [(fact, other) for fact, other in pairs if other != NOBODY]
