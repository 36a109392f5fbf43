"""Anchors that span a hull, for who asks for them; the default is the best matches.

In the two leading principal components of the candidates' vectors the convex hull grows by
the candidate with the greatest gain in area times relevance; the best match is always in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.recall.plane.kernels import grow_hull, leading_plane

CONSIDERED = 64
"""Best-fused candidates the hull chooses among (a 64 x 64 Gram matrix)."""

SWEEPS = 12
"""Sweeps of the subspace iteration."""


def principal_plane(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Coordinates of the rows in their two leading principal components, shape (n, 2).

    By subspace iteration on the Gram matrix: hull areas need no more digits than it gives,
    and a LAPACK eigensolver costs 1 to 100 ms here, by how busy its threads find the machine.
    """
    centred = vectors - vectors.mean(axis=0)
    return np.asarray(leading_plane((centred @ centred.T).astype(np.float64), SWEEPS), np.float64)


def spanning(vectors: NDArray[np.float32], fused: NDArray[np.float32], m: int) -> NDArray[np.int64]:
    """Indexes of m of the n rows, best first as they come, whose hull covers the most.

    vectors: (n, dimension); fused: (n,). Where m is under 3 there is no hull: the first m.
    """
    if len(vectors) <= m or m < 3:
        return np.arange(min(m, len(vectors)))
    chosen = np.zeros(m, np.int64)
    count = grow_hull(principal_plane(vectors), relevance(fused), chosen, m)
    return chosen[:count]


def considered(fused: NDArray[np.float32]) -> NDArray[np.int64]:
    """Indexes of the candidates anchors are chosen among, best fused first."""
    return np.argsort(-fused, kind="stable")[:CONSIDERED]


def relevance(fused: NDArray[np.float32]) -> NDArray[np.float64]:
    """Fused scores moved into [0, 1]."""
    above = (fused - fused.min()).astype(np.float64)
    return np.asarray(above / max(float(above.max()), 1e-9), np.float64)
