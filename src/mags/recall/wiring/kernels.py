"""Numba kernels of wiring: what the best matches were cited together with."""

from __future__ import annotations

import numpy as np

from mags.compiling import kernel
from mags.graph.charge import charge_of
from mags.graph.records import ArcKind

ASSOCIATION = int(ArcKind.ASSOCIATION)


@kernel
def lifted(rows, best, pool, tick, rate, added):
    """Into `added`, by candidate: the strongest wire that use drew to it from a best match.

    rows: all candidates; best: places of the matches; pool: (start, length, peer, kind, flags,
    support, w, t0, uses). A wire counts its charge, and no more than its uses could have made
    of nothing, 1 - (1 - rate)^uses: what it was born with says that two are alike, no more.
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    for place in best:
        row = rows[place]
        for e in range(start[row], start[row] + length[row]):
            if kind[e] != ASSOCIATION or uses[e] <= 0:
                continue
            charge = charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
            charge = min(charge, 1.0 - (1.0 - rate) ** uses[e])
            for i in range(len(rows)):
                if rows[i] == peer[e]:
                    added[i] = max(added[i], np.float32(charge))
                    break
