"""Cold: what leaves spread and sleep when the memory is full. Nothing is ever removed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.graph import ADJACENCY
from mags.graph.records import ARC, NODE, ArcKind, NodeFlag
from mags.plasticity.still import Still, altered, removed

ENTRY_BYTES = sum(np.dtype(kind).itemsize for kind in ADJACENCY.values())
"""Bytes of one entry in a node's block."""

LONG_TICKS = 200
"""Spans of low degree are told apart in doublings of this many ticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LowDegree:
    """Keep the tick since which a node has had fewer than `least` live associations.

    Neighbours count once, whichever way the association goes; structure does not count.
    """

    least: int = 2

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Changes of `low_degree_since_tick` of warm nodes; -1 while a node has enough."""
        low = still.net.degree < self.least
        since = still.nodes["low_degree_since_tick"]
        changed = (low == (since < 0)) & ~still.cold
        before = still.nodes[changed]
        after = before.copy()
        after["low_degree_since_tick"] = np.where(low[changed], still.tick, -1)
        return still.delta(
            "low_degree",
            nodes=altered(before, after),
            loosened=int(np.count_nonzero(low[changed])),
            held=int(np.count_nonzero(~low[changed])),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Keep the memory within its limits; None is no limit.

    `max_nodes`: warm nodes. Over it, nodes go cold: isolated ones first, then by how long
    they have been of low degree, how unused (least strength) and how unimportant; members
    of a dense core last, pinned ones never.
    `max_edges`: arcs of all kinds; `max_bytes`: the graph's nodes and arcs in memory, without
    words and vectors. Over either, the weakest associations go, never solid ones, those of
    a dense core, or structure. (The journal's bytes are the store's to compact.)
    """

    max_nodes: int | None = None
    max_edges: int | None = None
    max_bytes: int | None = None

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Nodes marked COLD and associations removed."""
        cooled = self._cool(still)
        trimmed = self._trim(still)
        return still.delta(
            "capacity", nodes=cooled, arcs=trimmed, cooled=len(cooled), trimmed=len(trimmed)
        )

    def _cool(self, still: Still) -> Changes:
        if self.max_nodes is None:
            return Changes.none(NODE)
        excess = int(np.count_nonzero(~still.cold)) - self.max_nodes
        if excess <= 0:
            return Changes.none(NODE)
        first = coldest_first(still)[:excess]
        before = still.nodes[first]
        after = before.copy()
        after["flags"] |= int(NodeFlag.COLD)
        return altered(before, after)

    def _trim(self, still: Still) -> Changes:
        over = [0]
        if self.max_edges is not None:
            over.append(len(still.arcs) - self.max_edges)
        if self.max_bytes is not None:
            over.append(-((self.max_bytes - graph_bytes(still)) // ENTRY_BYTES))
        excess = max(over)
        if not excess:
            return Changes.none(ARC)
        loose = still.arcs["kind"] == ArcKind.ASSOCIATION
        spare = np.flatnonzero(loose & ~still.solid & ~still.core_arcs)
        weakest = np.argsort(still.charge[spare], kind="stable")[:excess]
        return removed(still.arcs[np.sort(spare[weakest])])


def coldest_first(still: Still) -> NDArray[np.int64]:
    """Positions of the nodes that may go cold, the first to go first."""
    nodes, net = still.nodes, still.net
    may = np.flatnonzero(~still.cold & ((nodes["flags"] & NodeFlag.PINNED) == 0))
    since = nodes["low_degree_since_tick"][may]
    span = np.where(since < 0, 0, still.tick - since)
    long_low = np.floor(np.log2(1 + np.maximum(span, 0) / LONG_TICKS))
    order = np.lexsort(
        [
            nodes["importance"][may],
            still.strength[may],
            -long_low,
            net.degree[may] > 0,
            net.dense[may] >= 0,
        ]
    )
    return np.asarray(may[order])


def graph_bytes(still: Still) -> int:
    """Bytes of the graph's nodes and arcs in memory; structure is held at both its ends."""
    associations = int(np.count_nonzero(still.arcs["kind"] == ArcKind.ASSOCIATION))
    entries = 2 * len(still.arcs) - associations
    return len(still.nodes) * NODE.itemsize + entries * ENTRY_BYTES
