"""Crowding and birth of live associations, after Conway's Game of Life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.algorithms import open_pairs
from mags.graph.delta import Delta
from mags.graph.records import ARC, SUPPORT_COUNTED, ArcKind, stored
from mags.plasticity.frozen import FrozenGraph, altered, created


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowding:
    """A node keeps its `keeps` strongest live associations; the others weaken by `factor`.

    Solid associations are spared, and so are those that were stored in the last `rest_ticks`,
    as each use does. Of equal charges the one to the lower id is kept.
    """

    keeps: int = 24
    factor: float = 0.8
    rest_ticks: int = 50

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Changes of `w` and `t0` of what is crowded out."""
        live = np.flatnonzero(frozen.live)
        count = np.bincount(frozen.src[live], minlength=len(frozen.nodes))
        live = live[count[frozen.src[live]] > self.keeps]
        live = live[np.lexsort((frozen.dst[live], -frozen.charge[live], frozen.src[live]))]
        src = frozen.src[live]
        # The place of each association among those of its source, the strongest at 0.
        rank = np.arange(len(live)) - np.searchsorted(src, src)
        idle = frozen.tick - frozen.arcs["t0"][live] >= self.rest_ticks
        weak = live[(rank >= self.keeps) & idle & ~frozen.solid[live]]
        fainter = stored(self.factor * frozen.charge[weak])
        arcs = altered(frozen.arcs[weak], w=fainter, t0=frozen.tick)
        return frozen.delta("crowding", arcs=arcs, weakened=len(weak))


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Two unlinked nodes with `common` or more live neighbours in common become associated.

    Both ways, at `weight`; the pairs with most common neighbours first, at random between
    equals. At most `share` of the live edges are born (at least one pair), less those born at
    this same tick, so that an idle memory that sleeps again gets no more. Hubs, nodes of more
    than `hub` live neighbours, neither take part nor count as common neighbours.
    """

    common: int = 3
    weight: float = 0.25
    share: float = 0.01
    hub: int = 64

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """New associations."""
        net = frozen.net
        most = max(1, int(self.share * len(net.indices) / 2)) - self._born(frozen)
        if most <= 0:
            return frozen.delta("birth")
        pairs = open_pairs(
            (net.indptr, net.indices), frozen.links, least=self.common, hub=self.hub, most=most
        )
        # Ties at the lowest count may be more than `most`: the random key chooses among them.
        pairs = pairs[np.lexsort((rng.random(len(pairs)), -pairs[:, 2]))[:most]]
        arcs = np.zeros(2 * len(pairs), ARC)
        arcs["src"] = frozen.ids[pairs[:, [0, 1]].ravel()]
        arcs["dst"] = frozen.ids[pairs[:, [1, 0]].ravel()]
        arcs["kind"] = ArcKind.ASSOCIATION
        arcs["w"] = self.weight
        arcs["t0"] = frozen.tick
        arcs["support"] = np.repeat(np.minimum(pairs[:, 2], SUPPORT_COUNTED), 2)
        return frozen.delta("birth", arcs=created(arcs), pairs=len(pairs))

    def _born(self, frozen: FrozenGraph) -> int:
        """How many pairs were born at this tick."""
        # A birth leaves no mark of its own. Unused, stored now and of exactly this weight is one.
        arcs = frozen.arcs
        fresh = frozen.live & (arcs["t0"] == frozen.tick) & (arcs["uses"] == 0)
        return int(np.count_nonzero(fresh & (arcs["w"] == np.float32(self.weight)))) // 2
