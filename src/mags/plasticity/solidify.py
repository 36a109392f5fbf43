"""Solidify: what is strong and was used again and again stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mags.graph.charge import stored
from mags.graph.delta import Delta
from mags.graph.records import ArcFlag
from mags.plasticity.still import Still, altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Solidify:
    """An association of charge `weight`, used `uses` times on `days` days, stops decaying.

    Different sessions count as different days.
    """

    weight: float = 0.6
    uses: int = 12
    days: int = 6

    def __call__(self, still: Still, rng: np.random.Generator) -> Delta:
        """Associations marked SOLID, stored with their charge of now."""
        arcs = still.arcs
        proven = still.liquid & ~still.solid & (still.charge >= self.weight)
        proven &= (arcs["uses"] >= self.uses) & (arcs["days"] >= self.days)
        before = arcs[proven]
        after = before.copy()
        after["flags"] |= int(ArcFlag.SOLID)
        after["w"] = stored(still.charge[proven])
        after["t0"] = still.tick
        return still.delta("solidify", arcs=altered(before, after), solid=len(after))
