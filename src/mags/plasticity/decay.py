"""Decay: what is not used fades; what stands in triangles fades slower.

Decay itself is lazy (see `mags.graph.charge`); this rule only looks again at what lengthens
the half-lives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.charge import SUPPORT_COUNTED, stored
from mags.graph.delta import Delta
from mags.plasticity.still import Still, altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """Refresh the support of associations: their live triangles, counted up to four.

    An association whose support changes is stored anew with its charge of now, so that the
    new half-life begins now and no charge ever rises; all others stay untouched.
    `lonely_under`: fewer live triangles than this count as none (loneliness: plain decay);
    0 switches that off. `fades` False: nothing fades, what was lost since the last sleep comes
    back (an ablation).
    """

    lonely_under: int = 2
    fades: bool = True

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Changes of `support`, with `w` and `t0`, where the half-life changes."""
        if not self.fades:
            return _unfaded(still)
        loose = np.flatnonzero(still.liquid & ~still.solid)
        support = still.net.support(still.src[loose], still.dst[loose])
        support = np.where(support < self.lonely_under, 0, np.minimum(support, SUPPORT_COUNTED))
        changed = support != still.arcs["support"][loose]
        loose, support = loose[changed], support[changed]
        before = still.arcs[loose]
        after = before.copy()
        after["support"] = support
        after["w"] = stored(still.charge[loose])
        after["t0"] = still.tick
        gained = int(np.count_nonzero(support > before["support"]))
        return still.delta(
            "decay", arcs=altered(before, after), steadier=gained, lonelier=len(loose) - gained
        )


def _unfaded(still: Still) -> Delta:
    """Weights and strengths as they were stored, as if they were of now."""
    arcs = still.arcs[still.liquid & ~still.solid]
    nodes = still.nodes
    arcs, nodes = arcs[arcs["t0"] < still.tick], nodes[nodes["strength_tick"] < still.tick]
    fresh, strong = arcs.copy(), nodes.copy()
    fresh["t0"] = strong["strength_tick"] = still.tick
    return still.delta("decay", arcs=altered(arcs, fresh), nodes=altered(nodes, strong))
