"""Anchors that span a convex hull: `anchor_choice = "hull"`, off, as it was found to buy nothing.

In the two leading principal components of the candidates' vectors the hull grows by the
candidate with the greatest gain in area times relevance; the best match is always in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SWEEPS = 12
"""Sweeps of the subspace iteration: hull areas need no more digits than these give."""


def spanning(vectors: NDArray[np.float32], fused: NDArray[np.float32], m: int) -> NDArray[np.int64]:
    """Indexes of m of the n rows, best first as they come, whose hull covers the most.

    vectors: (n, dimension); fused: (n,). Where m is under 3 there is no hull: the first m.
    """
    if len(vectors) <= m or m < 3:
        return np.arange(min(m, len(vectors)))
    above = (fused - fused.min()).astype(np.float64)
    relevance = above / max(float(above.max()), 1e-9)
    points = _leading_plane(vectors)
    chosen = [0]
    while len(chosen) < m:
        gain = (gains(points[chosen], points) + 1e-9) * relevance
        gain[chosen] = -1.0
        chosen.append(int(gain.argmax()))
    return np.array(chosen)


def _leading_plane(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Coordinates in the two leading principal components, shape (n, 2)."""
    centred = vectors - vectors.mean(axis=0)
    gram = (centred @ centred.T).astype(np.float64)
    basis = gram[:, [0, -1]]
    for _ in range(SWEEPS):
        basis = gram @ np.linalg.qr(basis)[0]
    axes, sizes = np.linalg.qr(basis)
    return np.asarray(axes * np.sqrt(np.abs(np.diag(sizes))), np.float64)


def gains(held: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much the convex hull of some points grows by each of others, shape (n,).

    held: (k, 2); points: (n, 2). The gain in area, or the distance where one point is held.
    """
    if len(held) == 1:
        return np.asarray(np.hypot(*(points - held[0]).T))
    hull = held[_around(held)]
    edges = np.roll(hull, -1, axis=0) - hull
    to = points[:, None] - hull
    # What lies outside an edge forms a triangle with it, of half this area.
    outside = edges[:, 1] * to[..., 0] - edges[:, 0] * to[..., 1]
    return np.asarray(np.maximum(outside, 0.0).sum(axis=1) / 2.0)


def _around(points: NDArray[np.float64]) -> list[int]:
    """The corners of a convex hull, counter-clockwise (Andrew's monotone chain)."""
    corners: list[int] = []
    order = np.lexsort((points[:, 1], points[:, 0])).tolist()
    for side in (order, order[::-1]):
        chain: list[int] = []
        for i in side:
            while len(chain) >= 2:
                a, b = points[chain[-2]], points[chain[-1]]
                if (b[0] - a[0]) * (points[i][1] - a[1]) > (b[1] - a[1]) * (points[i][0] - a[0]):
                    break
                chain.pop()
            chain.append(i)
        corners += chain[:-1]
    return corners
