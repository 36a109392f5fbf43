"""Communities of an undirected weighted graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from graspologic_native import leiden_csr
from numpy.typing import NDArray


def communities(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    weights: NDArray[np.float64],
    *,
    seed: int = 0,
    resolution: float = 1.0,
    sweeps: int = 2,
) -> NDArray[np.int32]:
    """Label of each node's community, largest community first, shape (n,).

    Leiden by modularity (Traag, Waltman and van Eck, 2019). `weights`: positive, one an
    entry, symmetric; nodes without neighbours are communities of one. `sweeps` bounds the
    local moving of each phase to that many visits a node. The same graph and seed give the
    same communities.
    """
    n = len(indptr) - 1
    joined = np.flatnonzero(np.diff(indptr))
    label = np.arange(n, dtype=np.int64)
    if len(joined):
        # Left out, nodes without neighbours cannot sway the others' communities.
        place = np.cumsum(np.diff(indptr) > 0) - 1
        _, found = leiden_csr(
            np.append(indptr[joined], indptr[-1]).astype(np.int64),
            place[indices].astype(np.int32),
            weights.astype(np.float64),
            len(joined),
            resolution=resolution,
            seed=seed,
            max_local_moving_iterations=sweeps,
        )
        members = joined[np.fromiter(found.keys(), np.int64, len(found))]
        label[members] = n + np.fromiter(found.values(), np.int64, len(found))
    _, first, inverse, size = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(size), np.int32)
    rank[np.lexsort([first, -size])] = np.arange(len(size))
    return rank[inverse]
