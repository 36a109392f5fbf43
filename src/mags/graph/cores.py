"""Cores and components: where a graph is dense, and what holds together.

Undirected graphs come in CSR form: `indptr` (n + 1,), `indices` (entries,), every edge at
both its ends, no loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mags.compiling import kernel

OUTSIDE = -1
"""Label of a node that belongs to no such core."""


@kernel
def _core_numbers(indptr, indices):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    n = len(indptr) - 1
    degree = np.empty(n, np.int32)
    most = 0
    for v in range(n):
        degree[v] = indptr[v + 1] - indptr[v]
        most = max(most, degree[v])
    start = np.zeros(most + 2, np.int32)
    for v in range(n):
        start[degree[v] + 1] += 1
    for d in range(1, len(start)):
        start[d] += start[d - 1]
    order = np.empty(n, np.int32)
    place = np.empty(n, np.int32)
    fill = start.copy()
    for v in range(n):
        place[v] = fill[degree[v]]
        order[place[v]] = v
        fill[degree[v]] += 1
    for i in range(n):
        v = order[i]
        for slot in range(indptr[v], indptr[v + 1]):
            u = indices[slot]
            d = degree[u]
            if d > degree[v]:
                first = start[d]
                w = order[first]
                if u != w:
                    order[place[u]], order[first] = w, u
                    place[w], place[u] = place[u], first
                start[d] += 1
                degree[u] -= 1
    return degree


def core_numbers(indptr: NDArray[np.int32], indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """The largest k for which each node is in the k-core, shape (n,); O(edges).

    Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
    """
    if len(indptr) < 2:
        return np.zeros(0, np.int32)
    cores: NDArray[np.int32] = _core_numbers(indptr, indices)
    return cores


def innermost_cores(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    core: NDArray[np.int32],
    least: int,
) -> NDArray[np.int32]:
    """Label of the innermost core each node is in, or OUTSIDE; shape (n,).

    An innermost core is a connected set of nodes of one core number k >= `least`, of which
    fewer than half have a neighbour of a higher one: it stands for itself, and is no rim of
    a denser core.
    """
    n = len(core)
    source = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    level = core[source] == core[indices]
    same = csr_array((np.ones(int(level.sum()), np.int8), (source[level], indices[level])), (n, n))
    _, label = connected_components(same, directed=False)
    rim = np.zeros(n, np.bool_)
    rim[source[core[source] < core[indices]]] = True
    size, rims = np.bincount(label), np.bincount(label, weights=rim)
    inner = (core >= least) & (2 * rims < size)[label]
    out = np.full(n, OUTSIDE, np.int32)
    _, out[inner] = np.unique(label[inner], return_inverse=True)
    return out


def dense_cores(
    label: NDArray[np.int32], core: NDArray[np.int32], share: float
) -> NDArray[np.int32]:
    """`label` where each member of a core is next to at least `share` of it, else OUTSIDE.

    `label`: of innermost cores; a core of n nodes and core number k is dense if
    k >= share (n - 1).
    """
    size = np.bincount(label + 1)[label + 1]
    return np.where((label >= 0) & (core >= share * (size - 1)), label, OUTSIDE).astype(np.int32)
