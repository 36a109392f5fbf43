"""Spreading activation over both blocks: one measure to rank by, one to explain by.

`activation`: forward-push personalised PageRank (Andersen, Chung and Lang, 2006).
`paths`: greatest product of transitions along a path, best first.
The functions that hand the graph to kernels stand here too; all of recall uses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import ArcKind
from mags.recall.kernels import peers_of_each
from mags.recall.settings import RecallSettings
from mags.recall.spread_kernels import best_paths, push

Arrays = tuple[NDArray[np.generic], ...]

KIND_WEIGHTS = np.zeros(256, np.float64)
"""How readily each kind of arc passes activation on, both ways where it is structure."""
for _kind, _weight in (
    (ArcKind.NEXT, 0.3),
    (ArcKind.MENTIONS, 1.0),
    (ArcKind.SUBJECT, 1.0),
    (ArcKind.OBJECT, 1.0),
    (ArcKind.SOURCE, 1.0),
    (ArcKind.SUPERSEDES, 0.1),
    (ArcKind.DISPUTES, 0.1),
    (ArcKind.ASSOCIATION, 0.5),
):
    KIND_WEIGHTS[_kind] = KIND_WEIGHTS[_kind | REVERSE] = _weight

OVERVIEW_WEIGHTS = KIND_WEIGHTS.copy()
"""The same where an overview is asked for: only then does a theme join what it sums up."""
OVERVIEW_WEIGHTS[[int(ArcKind.MEMBER), int(ArcKind.MEMBER) | REVERSE]] = 0.2

NOTHING = (np.zeros(0, np.int64), np.zeros(0))
"""An activation that reached nothing."""

EVERYWHERE = np.zeros(0, np.int64)
"""Wanted rows of `paths` where all that can be reached is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Best paths from the seeds: by row, the value, the row before (-1: none), the slot between."""

    value: dict[int, float]
    before: dict[int, int]
    slot: dict[int, int]

    def trail(self, row: int) -> list[tuple[int, int, int]]:
        """The steps from a seed to a row, each (row before, row, slot); none to a seed."""
        steps = []
        while (before := self.before.get(row, -1)) >= 0:
            steps.append((before, row, self.slot[row]))
            row = before
        return steps[::-1]


NO_PATHS = Paths(value={}, before={}, slot={})


def activation(
    graph: Graph,
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    moment: float,
    settings: RecallSettings,
    weights: NDArray[np.float64] = KIND_WEIGHTS,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows reached from the seeds and their push value, each of shape (reached,)."""
    numbers = (settings.alpha, settings.eps, settings.max_pushes, settings.hub_degree)
    clock = (graph.tick, moment)
    rows, p = push(pool_of(graph), nodes_of(graph), seeds, mass, clock, numbers, weights)
    return rows, p


def paths(
    graph: Graph,
    seeds: NDArray[np.int64],
    moment: float,
    settings: RecallSettings,
    wanted: NDArray[np.int64] = EVERYWHERE,
) -> Paths:
    """Best paths from the seeds, each seed worth 1: to everything, or to the wanted rows."""
    numbers = (settings.threshold, settings.max_nodes, settings.hub_degree)
    clock = (graph.tick, moment)
    mass = np.ones(len(seeds))
    rows, *found = best_paths(
        pool_of(graph), nodes_of(graph), seeds, mass, clock, numbers, KIND_WEIGHTS, wanted
    )
    keys = rows.tolist()
    value, before, slot = (dict(zip(keys, column.tolist(), strict=True)) for column in found)
    return Paths(value=value, before=before, slot=slot)


def peers(graph: Graph, row: int, code: int) -> NDArray[np.int64]:
    """Living rows one arc of that kind away (with REVERSE: towards the row), shape (n,)."""
    found, _ = peers_of_each(links_of(graph), graph.alive, np.array([row]), np.array([code]))
    return np.asarray(found)


def peers_each(graph: Graph, rows: NDArray[np.int64], codes: NDArray[np.int64]) -> list[list[int]]:
    """`peers` of each of some rows, by a code each (none where it is negative)."""
    found, ends = peers_of_each(links_of(graph), graph.alive, rows, codes)
    every, cuts = found.tolist(), ends.tolist()
    return [every[a:b] for a, b in pairwise((0, *cuts))]


def links_of(graph: Graph) -> Arrays:
    """Where each row's adjacency is and what it joins, as the kernels take it."""
    pool = graph.adjacency
    return pool.start, pool.length, pool.columns["peer"], pool.columns["kind"]


def pool_of(graph: Graph) -> Arrays:
    """The whole adjacency as the kernels take it."""
    columns = graph.adjacency.columns
    return *links_of(graph), *(columns[n] for n in ("flags", "support", "w", "t0", "uses"))


def nodes_of(graph: Graph) -> Arrays:
    """The node fields as the kernels take them."""
    nodes = graph.nodes[: graph.size]
    return graph.alive[: graph.size], nodes["kind"], nodes["flags"], nodes["valid_to"]
