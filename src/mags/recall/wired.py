"""Wired: what an answer cited together with a good match comes up with it.

Spreading activation says where the graph leads, over every kind of arc; this feature says what
use has taught, over the associations that Hebb drew, from the best matches alone. A memory that
nothing was ever cited of ranks as without it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Graph
from mags.recall.settings import WiredSettings
from mags.recall.spread import pool_of
from mags.recall.wiring.kernels import lifted


def wired(
    graph: Graph, rows: NDArray[np.int64], scores: NDArray[np.float32], settings: WiredSettings
) -> NDArray[np.float32]:
    """What is added to the score of each of the rows, shape (n,)."""
    added = np.zeros(len(rows), np.float32)
    if settings.matches and settings.weight and len(rows):
        best = np.argsort(-scores, kind="stable")[: settings.matches]
        lifted(rows, best, pool_of(graph), graph.tick, settings.rate, added)
    return np.asarray(added * np.float32(settings.weight), np.float32)
