"""Spreading activation over both blocks: one measure for the ranking, one for explanations.

`activation`: forward-push personalised PageRank (Andersen, Chung and Lang, 2006).
`paths`: greatest product of transitions along a path, best first.
The functions that pass the graph to kernels are here, too; all of recall uses them.
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
"""How much of the activation each kind of arc passes on, in both directions for structure."""
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
"""The same for an overview: only then do the members of a theme activate each other through it."""
OVERVIEW_WEIGHTS[[int(ArcKind.MEMBER), int(ArcKind.MEMBER) | REVERSE]] = 0.2

NOTHING = (np.zeros(0, np.int64), np.zeros(0))
"""An activation that reached nothing."""

EVERYWHERE = np.zeros(0, np.int64)
"""The `wanted` rows of `paths` if everything that can be reached is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Best paths from the seeds, by row: value, row before (-1: none), adjacency slot between."""

    value: dict[int, float]
    before: dict[int, int]
    slot: dict[int, int]

    def trail(self, row: int) -> list[tuple[int, int, int]]:
        """The steps from a seed to a row, each (row before, row, slot); empty for a seed."""
        # `before` leads back to the seed, so the steps are collected backwards.
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
    """Rows reached from the seeds and their activation, each of shape (reached,)."""
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
    """Best paths from the seeds, each of value 1, to everything or to the wanted rows."""
    numbers = (settings.threshold, settings.max_nodes, settings.hub_degree)
    clock = (graph.tick, moment)
    # An explanation asks how a row is reached from a seed, not how good the seed was.
    mass = np.ones(len(seeds))
    rows, *found = best_paths(
        pool_of(graph), nodes_of(graph), seeds, mass, clock, numbers, KIND_WEIGHTS, wanted
    )
    keys = rows.tolist()
    value, before, slot = (dict(zip(keys, column.tolist(), strict=True)) for column in found)
    return Paths(value=value, before=before, slot=slot)


def peers(graph: Graph, row: int, code: int) -> NDArray[np.int64]:
    """Living rows that are one arc of a kind away (with REVERSE: arcs to the row), shape (n,)."""
    found, _ = peers_of_each(links_of(graph), graph.alive, np.array([row]), np.array([code]))
    return np.asarray(found)


def peers_each(graph: Graph, rows: NDArray[np.int64], codes: NDArray[np.int64]) -> list[list[int]]:
    """The `peers` of each row by its own code; none if the code is negative."""
    # One call for all rows, as entering a kernel has a cost of its own.
    found, ends = peers_of_each(links_of(graph), graph.alive, rows, codes)
    every, cuts = found.tolist(), ends.tolist()
    return [every[a:b] for a, b in pairwise((0, *cuts))]


def links_of(graph: Graph) -> Arrays:
    """The adjacency's layout, peers and kinds, in the form that kernels take."""
    pool = graph.adjacency
    return pool.start, pool.length, pool.columns["peer"], pool.columns["kind"]


def pool_of(graph: Graph) -> Arrays:
    """The whole adjacency in the form that kernels take."""
    columns = graph.adjacency.columns
    return *links_of(graph), *(columns[n] for n in ("flags", "support", "w", "t0", "uses"))


def nodes_of(graph: Graph) -> Arrays:
    """Node fields in the form that kernels take."""
    nodes = graph.nodes[: graph.size]
    return graph.alive[: graph.size], nodes["kind"], nodes["flags"], nodes["valid_to"]
