"""The walk over current facts from the entities a question names.

Two readings of the same graph: the hops the plan names, followed slot by slot (after
KEDKG's decomposition), and the ball of facts round the entity, which needs no plan. A
fact's walk value is 1 on a followed hop; in the ball it falls with the number of facts
that compete at each entity on the way, so that a hub's facts weigh little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NOBODY
from mags.index.state import State
from mags.ports.policy import Hop
from mags.recall.candidates import visible
from mags.recall.query import Reading
from mags.recall.settings import RecallSettings

FAN = 24
"""Facts of one entity that the ball considers, the most similar first."""

SameRelation = Callable[[str, str], bool]


@dataclass(slots=True, kw_only=True)
class Walk:
    """What a walk found: `value` by fact row, and the `chain` of followed hops (fact ids)."""

    value: dict[int, float] = field(default_factory=dict)
    chain: tuple[int, ...] = ()


def walk(
    state: State, reading: Reading, settings: RecallSettings, same_relation: SameRelation
) -> Walk:
    """Follow the plan's hops and fill the ball round the question's entities."""
    found = Walk()
    if not settings.walk:
        return found
    _ball(state, reading, settings, found)
    if reading.query.plan.hops:
        _follow(state, reading, same_relation, found)
    return found


def _facts(
    state: State, reading: Reading, entity: int, *, inverse: bool = False
) -> NDArray[np.int64]:
    ids = state.slots.about(entity) if inverse else state.slots.of(entity)
    rows = state.graph.rows(ids)
    if not len(rows):
        return rows
    rows = rows[visible(state, rows, reading)]
    moment = reading.now_s if reading.as_of is None else reading.as_of
    known = reading.recorded_as_of
    return rows[[not state.slots.outdone(row, moment, known) for row in rows.tolist()]]


def _ball(state: State, reading: Reading, settings: RecallSettings, found: Walk) -> None:
    frontier = {entity: 1.0 for entity in reading.query.entities}
    met = set(frontier)
    for _ in range(settings.hops):
        following: dict[int, float] = {}
        for entity, value in frontier.items():
            for row, reach in _fan(state, reading, entity, value):
                if len(found.value) >= settings.ball and row not in found.value:
                    return
                if reach > found.value.get(row, 0.0):
                    found.value[row] = reach
                target = int(state.graph.nodes["object"][row])
                if target != NOBODY and target not in met:
                    following[target] = max(following.get(target, 0.0), reach)
        met.update(following)
        frontier = dict(sorted(following.items(), key=lambda item: -item[1]))


def _fan(state: State, reading: Reading, entity: int, value: float) -> list[tuple[int, float]]:
    rows = _facts(state, reading, entity)
    if not len(rows):
        return []
    reach = value * 0.95 / np.sqrt(max(1.0, len(rows) / 4))
    if len(rows) > FAN:
        cosines = (state.vectors.get(rows) @ reading.vectors.T).max(axis=1)
        rows = rows[np.argsort(-cosines, kind="stable")[:FAN]]
    return [(int(row), float(reach)) for row in rows]


def _follow(state: State, reading: Reading, same_relation: SameRelation, found: Walk) -> None:
    here: tuple[int, ...] = ()
    chain: list[int] = []
    for hop in reading.query.plan.hops:
        starts = tuple(state.names.find(hop.subject)) if hop.subject else here
        steps = _hop(state, reading, starts, hop, same_relation)
        if not steps:
            break
        end = "subject" if hop.inverse else "object"
        here = tuple(dict.fromkeys(int(state.graph.nodes[end][row]) for row in steps))
        for row in steps:
            found.value[row] = 2.0
            chain.append(int(state.graph.nodes["id"][row]))
    if len(chain) and here:
        found.chain = tuple(dict.fromkeys(chain))


def _hop(
    state: State,
    reading: Reading,
    starts: Sequence[int],
    hop: Hop,
    same_relation: SameRelation,
) -> list[int]:
    steps: list[int] = []
    for entity in starts:
        rows = _facts(state, reading, entity, inverse=hop.inverse)
        ids = [int(i) for i in state.graph.nodes["id"][rows]]
        for row, content in zip(rows, state.words(ids) if ids else [], strict=True):
            if same_relation(hop.relation, str(content.meta.get("relation", ""))):
                steps.append(int(row))
    return steps
