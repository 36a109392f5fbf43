"""The rules of sleep that are on by default: solidify, decay, prune, low degree, capacity.

Each takes a frozen graph and returns a Delta.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.graph import ADJACENCY
from mags.graph.records import ARC, NODE, SUPPORT_COUNTED, ArcFlag, ArcKind, NodeFlag, stored
from mags.plasticity.frozen import FrozenGraph, altered, removed

ENTRY_BYTES = sum(np.dtype(kind).itemsize for kind in ADJACENCY.values())
"""Bytes of one entry in a node's block."""

LONG_TICKS = 200
"""Spans of low degree are compared in doublings of this many ticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solidify:
    """Make strong associations permanent once they have been used often, on different days.

    An association of at least charge `weight`, used `uses` times on `days` days, stops decaying.
    Different sessions count as different days.
    """

    weight: float = 0.6
    uses: int = 12
    days: int = 6

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Associations marked SOLID, stored with their present charge."""
        # Solid arcs do not decay from `w`, so `w` has to become what is left of it now.
        arcs = frozen.arcs
        proven = frozen.liquid & ~frozen.solid & (frozen.charge >= self.weight)
        proven &= (arcs["uses"] >= self.uses) & (arcs["days"] >= self.days)
        flags = arcs["flags"][proven] | int(ArcFlag.SOLID)
        w = stored(frozen.charge[proven])
        solid = altered(arcs[proven], flags=flags, w=w, t0=frozen.tick)
        return frozen.delta("solidify", arcs=solid, solid=len(flags))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """Refresh the support of associations: their live triangles, counted up to four.

    Decay itself is lazy (see `mags.graph.records`): an unused association fades, more slowly if
    it is part of triangles. This rule only counts the triangles again.

    An association whose support changes is stored anew with its present charge, so that the
    new half-life begins now and no charge ever rises. All others stay as they are.
    `lonely_under`: fewer live triangles than this count as none (loneliness: plain decay);
    0 switches that off. With `fades` False nothing fades, and what was lost since the last sleep
    comes back (an ablation).
    """

    lonely_under: int = 2
    fades: bool = True

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Changes of `support`, with `w` and `t0`, where the half-life changes."""
        if not self.fades:
            return _unfaded(frozen)
        loose = np.flatnonzero(frozen.liquid & ~frozen.solid)
        support = frozen.net.support(frozen.src[loose], frozen.dst[loose])
        support = np.where(support < self.lonely_under, 0, np.minimum(support, SUPPORT_COUNTED))
        changed = support != frozen.arcs["support"][loose]
        loose, support = loose[changed], support[changed]
        before = frozen.arcs[loose]
        arcs = altered(before, support=support, w=stored(frozen.charge[loose]), t0=frozen.tick)
        gained = int(np.count_nonzero(support > before["support"]))
        return frozen.delta("decay", arcs=arcs, steadier=gained, lonelier=len(loose) - gained)


def _unfaded(frozen: FrozenGraph) -> Delta:
    """Weights and strengths as they are stored, dated now, as if no time had passed."""
    arcs = frozen.arcs[frozen.liquid & ~frozen.solid]
    nodes = frozen.nodes
    arcs, nodes = arcs[arcs["t0"] < frozen.tick], nodes[nodes["strength_tick"] < frozen.tick]
    fresh, strong = altered(arcs, t0=frozen.tick), altered(nodes, strength_tick=frozen.tick)
    return frozen.delta("decay", arcs=fresh, nodes=strong)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    """Remove associations under `floor`, except solid ones and those inside a dense core."""

    floor: float = 0.02

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Removed associations."""
        faint = frozen.liquid & (frozen.charge < self.floor) & ~frozen.solid
        # Dense cores are not looked for where nothing is faint.
        if faint.any():
            faint &= ~frozen.core_arcs
        gone = frozen.arcs[faint]
        return frozen.delta("prune", arcs=removed(gone), pruned=len(gone))


@dataclass(frozen=True, slots=True, kw_only=True)
class LowDegree:
    """Record the tick since which a node has had fewer than `least` live associations.

    A neighbour counts once, whatever the direction of the association; structure does not count.
    """

    least: int = 2

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Changes of `low_degree_since_tick` of warm nodes; -1 while a node has enough."""
        low = frozen.net.degree < self.least
        since = frozen.nodes["low_degree_since_tick"]
        # -1 says "not low": only nodes that cross the limit change, so the first tick is kept.
        changed = (low == (since < 0)) & ~frozen.cold
        low = low[changed]
        nodes = altered(frozen.nodes[changed], low_degree_since_tick=np.where(low, frozen.tick, -1))
        loosened = int(np.count_nonzero(low))
        return frozen.delta("low_degree", nodes=nodes, loosened=loosened, held=len(low) - loosened)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Keep the memory within its limits; None is no limit. Nodes go cold and are never removed.

    `max_nodes`: warm nodes. Over it, nodes go cold: isolated ones first, then those of low degree
    for longest, of least strength and of least importance. Members of a dense core go last,
    pinned nodes never.
    `max_edges`: arcs of all kinds; `max_bytes`: the graph's nodes and arcs in memory, without
    words and vectors. Over either, the weakest associations are removed, but no solid ones, none
    inside a dense core, and no structure. (The journal's bytes are for the store to compact.)
    """

    max_nodes: int | None = None
    max_edges: int | None = None
    max_bytes: int | None = None

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Nodes marked COLD and associations removed."""
        cooled = self._cool(frozen)
        trimmed = self._trim(frozen)
        return frozen.delta(
            "capacity", nodes=cooled, arcs=trimmed, cooled=len(cooled), trimmed=len(trimmed)
        )

    def _cool(self, frozen: FrozenGraph) -> Changes:
        if self.max_nodes is None:
            return Changes.none(NODE)
        excess = int(np.count_nonzero(~frozen.cold)) - self.max_nodes
        if excess <= 0:
            return Changes.none(NODE)
        first = coldest_first(frozen)[:excess]
        before = frozen.nodes[first]
        return altered(before, flags=before["flags"] | int(NodeFlag.COLD))

    def _trim(self, frozen: FrozenGraph) -> Changes:
        over = [0]
        if self.max_edges is not None:
            over.append(len(frozen.arcs) - self.max_edges)
        if self.max_bytes is not None:
            # Rounded up. An association has one entry, so each one removed frees ENTRY_BYTES.
            over.append(-((self.max_bytes - graph_bytes(frozen)) // ENTRY_BYTES))
        excess = max(over)
        if not excess:
            return Changes.none(ARC)
        loose = frozen.arcs["kind"] == ArcKind.ASSOCIATION
        spare = np.flatnonzero(loose & ~frozen.solid & ~frozen.core_arcs)
        weakest = np.argsort(frozen.charge[spare], kind="stable")[:excess]
        return removed(frozen.arcs[np.sort(spare[weakest])])


def coldest_first(frozen: FrozenGraph) -> NDArray[np.int64]:
    """Positions of the nodes that may go cold, in the order in which they go."""
    nodes, net = frozen.nodes, frozen.net
    may = np.flatnonzero(~frozen.cold & ((nodes["flags"] & NodeFlag.PINNED) == 0))
    since = nodes["low_degree_since_tick"][may]
    span = np.where(since < 0, 0, frozen.tick - since)
    long_low = np.floor(np.log2(1 + np.maximum(span, 0) / LONG_TICKS))
    # `lexsort` sorts by its last key first, so read this from the bottom up.
    order = np.lexsort(
        [
            nodes["importance"][may],
            frozen.strength[may],
            -long_low,
            net.degree[may] > 0,
            net.dense[may] >= 0,
        ]
    )
    return np.asarray(may[order])


def graph_bytes(frozen: FrozenGraph) -> int:
    """Bytes of the graph's nodes and arcs in memory; structure has an entry at both ends."""
    associations = int(np.count_nonzero(frozen.arcs["kind"] == ArcKind.ASSOCIATION))
    entries = 2 * len(frozen.arcs) - associations
    return len(frozen.nodes) * NODE.itemsize + entries * ENTRY_BYTES
