"""Life: crowding and birth, after Conway's game, on live associations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.algorithms import open_pairs
from mags.graph.charge import SUPPORT_COUNTED, stored
from mags.graph.delta import Delta
from mags.graph.records import ARC, ArcKind
from mags.plasticity.still import Still, altered, created


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowding:
    """A node keeps its `keeps` strongest live associations; the others weaken by `factor`.

    Spared are solid ones, and those used in the last `rest_ticks` (stored anew since then).
    Of equal charges the one to the lower id is kept.
    """

    keeps: int = 24
    factor: float = 0.8
    rest_ticks: int = 50

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Changes of `w` and `t0` of what is crowded out."""
        live = np.flatnonzero(still.live)
        count = np.bincount(still.src[live], minlength=len(still.nodes))
        live = live[count[still.src[live]] > self.keeps]
        live = live[np.lexsort((still.dst[live], -still.charge[live], still.src[live]))]
        src = still.src[live]
        rank = np.arange(len(live)) - np.searchsorted(src, src)
        idle = still.tick - still.arcs["t0"][live] >= self.rest_ticks
        weak = live[(rank >= self.keeps) & idle & ~still.solid[live]]
        before = still.arcs[weak]
        after = before.copy()
        after["w"] = stored(self.factor * still.charge[weak])
        after["t0"] = still.tick
        return still.delta("crowding", arcs=altered(before, after), weakened=len(weak))


@dataclass(frozen=True, slots=True, kw_only=True)
class Birth:
    """Two unlinked nodes with `common` or more live neighbours in common become associated.

    Both ways, at `weight`; the best supported pairs first, chance between equals; at most
    `share` of the live edges (one pair at least), less what was born at this very tick: an
    idle memory that sleeps again bears no more. Hubs, of more than `hub` live neighbours,
    neither take part nor count as common neighbours.
    """

    common: int = 3
    weight: float = 0.25
    share: float = 0.01
    hub: int = 64

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """New associations."""
        net = still.net
        most = max(1, int(self.share * len(net.indices) / 2)) - self._born(still)
        if most <= 0:
            return still.delta("birth")
        pairs = open_pairs(
            (net.indptr, net.indices), still.links, least=self.common, hub=self.hub, most=most
        )
        pairs = pairs[np.lexsort((rng.random(len(pairs)), -pairs[:, 2]))[:most]]
        arcs = np.zeros(2 * len(pairs), ARC)
        arcs["src"] = still.ids[pairs[:, [0, 1]].ravel()]
        arcs["dst"] = still.ids[pairs[:, [1, 0]].ravel()]
        arcs["kind"] = ArcKind.ASSOCIATION
        arcs["w"] = self.weight
        arcs["t0"] = still.tick
        arcs["support"] = np.repeat(np.minimum(pairs[:, 2], SUPPORT_COUNTED), 2)
        return still.delta("birth", arcs=created(arcs), pairs=len(pairs))

    def _born(self, still: Still) -> int:
        """Pairs born at this very tick, told by their weight."""
        arcs = still.arcs
        fresh = still.live & (arcs["t0"] == still.tick) & (arcs["uses"] == 0)
        return int(np.count_nonzero(fresh & (arcs["w"] == np.float32(self.weight)))) // 2
