"""Prune: associations that are worth next to nothing go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.delta import Delta
from mags.plasticity.still import Still, removed


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    """Remove associations under `floor`, except solid ones and those inside a dense core."""

    floor: float = 0.02

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Removed associations."""
        faint = still.liquid & (still.charge < self.floor) & ~still.solid
        if faint.any():
            faint &= ~still.core_arcs
        gone = still.arcs[faint]
        return still.delta("prune", arcs=removed(gone), pruned=len(gone))
