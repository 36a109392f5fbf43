"""Algorithms over undirected simple graphs: cores, components, communities, triangles.

Graphs come in CSR form: `indptr` (n + 1,) and `indices` (entries,) hold each node's neighbours,
every edge at both its ends, no loops; for triangles in ascending order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graspologic_native import leiden_csr
from numpy.typing import NDArray

from mags.compiling import kernel

OUTSIDE = -1
"""Label of a node that is in no core of the kind asked for."""


@kernel
def core_numbers(indptr: NDArray[np.int32], indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """The largest k for which each node is in the k-core, shape (n,); O(edges).

    Batagelj and Zaversnik, "An O(m) Algorithm for Cores Decomposition of Networks" (2003).
    """
    n = len(indptr) - 1
    degree = np.empty(n, np.int32)
    most = 0
    for v in range(n):
        degree[v] = indptr[v + 1] - indptr[v]
        most = max(most, degree[v])
    # A counting sort by degree: `order` holds the nodes, `place` is its inverse, and `start[d]` is
    # where the nodes of degree d begin.
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
                # Swap u with the first node of its degree and move the border past it: u now
                # counts as one degree lower, and the order is kept in constant time.
                first = start[d]
                w = order[first]
                if u != w:
                    order[place[u]], order[first] = w, u
                    place[w], place[u] = place[u], first
                start[d] += 1
                degree[u] -= 1
    return degree


def innermost_cores(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    core: NDArray[np.int32],
    least: int,
) -> NDArray[np.int32]:
    """Label of the innermost core each node is in, or OUTSIDE; shape (n,).

    An innermost core is a connected set of nodes of one core number k >= `least`, of which
    fewer than half have a neighbour of a higher core number. Otherwise it is only the rim of a
    denser core.
    """
    from scipy.sparse import csr_array  # takes 0.4 s, and only a sleep needs it
    from scipy.sparse.csgraph import connected_components

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
    """`label` where each member of a core is a neighbour of at least `share` of it, else OUTSIDE.

    `label`: of innermost cores; a core of n nodes and core number k is dense if
    k >= share (n - 1).
    """
    size = np.bincount(label + 1)[label + 1]
    return np.where((label >= 0) & (core >= share * (size - 1)), label, OUTSIDE).astype(np.int32)


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

    Leiden by modularity (Traag, Waltman and van Eck, 2019). `weights`: positive, one for each
    entry, symmetric. A node without neighbours is a community of its own. `sweeps`: in the local
    moving of each phase a node is visited at most that often. The same graph and seed give the
    same communities.
    """
    n = len(indptr) - 1
    joined = np.flatnonzero(np.diff(indptr))
    label = np.arange(n, dtype=np.int64)
    if len(joined):
        # Nodes without neighbours are left out, so that they cannot change the others' communities.
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
    # Leiden's own numbers mean nothing. Number by size, and ties by the first member, so that
    # equal graphs get equal labels.
    _, first, inverse, size = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(size), np.int32)
    rank[np.lexsort([first, -size])] = np.arange(len(size))
    return rank[inverse]


@kernel
def common_neighbours(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
) -> NDArray[np.int32]:
    """How many neighbours each pair (a[i], b[i]) has in common, shape (pairs,).

    For the ends of an edge this is the number of triangles the edge is part of. Each entry of the
    shorter list is looked up in the longer one by bisection.
    """
    counts = np.zeros(len(a), np.int32)
    for i in range(len(a)):
        few, many = a[i], b[i]
        if indptr[few + 1] - indptr[few] > indptr[many + 1] - indptr[many]:
            few, many = many, few
        low, end = indptr[many], indptr[many + 1]
        for slot in range(indptr[few], indptr[few + 1]):
            wanted = indices[slot]
            # Both lists ascend, so `low` never goes back.
            high = end
            while low < high:
                middle = (low + high) // 2
                if indices[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low == end:
                break
            if indices[low] == wanted:
                counts[i] += 1
                low += 1
    return counts


def open_pairs(
    graph: tuple[NDArray[np.int32], NDArray[np.int32]],
    links: tuple[NDArray[np.int32], NDArray[np.int32]],
    *,
    least: int,
    hub: int,
    most: int,
) -> NDArray[np.int32]:
    """Pairs without a link that have at least `least` common neighbours: rows (a, b, count).

    `graph`, `links`: (indptr, indices) of the neighbours, and of the directed arcs (repeats
    allowed), of which one either way is a link. Nodes of degree over `hub` are neither ends nor
    common neighbours. Where there are more than `most` such pairs, those of the highest counts are
    returned: at least `most`, ties at the lowest count included. Ascending by a, then b.
    """
    from scipy.sparse import csr_array

    n, degree = len(graph[0]) - 1, np.diff(graph[0])
    source = np.repeat(np.arange(n), degree)
    small = (degree <= hub)[source] & (degree <= hub)[graph[1]]
    ends = source[small], graph[1][small]
    near = csr_array((np.ones(len(ends[0]), np.int32), ends), (n, n))
    common = near @ near
    a, count = np.repeat(np.arange(n), np.diff(common.indptr)), common.data
    # Most pairs have one neighbour in common: they go before anything is asked about the rest.
    enough = (count >= least) & (a < common.indices)
    a, b, count = a[enough], common.indices[enough].astype(np.int64), count[enough]
    tail = np.repeat(np.arange(n), np.diff(links[0]))
    linked = np.concatenate([tail * n + links[1], links[1].astype(np.int64) * n + tail])
    open_ = ~np.isin(a * n + b, linked)
    pairs = np.stack([a, b, count], axis=1)[open_].astype(np.int32)
    if len(pairs) > most:
        pairs = pairs[pairs[:, 2] >= np.partition(pairs[:, 2], -most)[-most]]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
