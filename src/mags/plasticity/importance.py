"""Importance: a node that much is connected to gains importance in sleep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta
from mags.graph.records import ArcKind
from mags.plasticity.frozen import FrozenGraph, altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Importance:
    """Raise the importance of warm nodes to `weight` times their standing in the graph.

    The greater of the two counts, not their sum: a node has one number, which does not say what
    an earlier sleep added, so a sum would grow with every sleep. For the same reason it never
    falls. Raises of less than `step` wait, so that a sleep does not rewrite every node.
    """

    weight: float = 0.15
    step: float = 0.02

    def __call__(self, frozen: FrozenGraph, rng: np.random.Generator) -> Delta:
        """Changes of `importance`."""
        worth = np.clip(self.weight * standing(frozen), 0.0, 1.0).astype(np.float32)
        raised = ~frozen.cold & (worth >= frozen.nodes["importance"] + np.float32(self.step))
        nodes = altered(frozen.nodes[raised], importance=worth[raised])
        return frozen.delta("importance", nodes=nodes, raised=int(np.count_nonzero(raised)))


def standing(frozen: FrozenGraph) -> NDArray[np.float64]:
    """Weighted degree x out-degree of each node, scaled to [0, 1]; shape (n,).

    A structural arc counts 1 and a live association its charge, in both directions for the
    weighted degree; other associations count nothing. The scale is logarithmic, log(1 + x)
    divided by the greatest, since a product of degrees is heavy-tailed.
    """
    counted = frozen.live | (frozen.arcs["kind"] != ArcKind.ASSOCIATION)
    src, dst = frozen.src[counted], frozen.dst[counted]
    weight = np.where(frozen.live[counted], frozen.charge[counted], 1.0)
    n = len(frozen.nodes)
    degree = np.bincount(src, weight, n) + np.bincount(dst, weight, n)
    product = np.log1p(degree * np.bincount(src, minlength=n))
    most = float(product.max(initial=0.0))
    return np.asarray(product / most if most > 0.0 else product, np.float64)
