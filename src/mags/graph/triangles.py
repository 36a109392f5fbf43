"""Triangles and common neighbours of an undirected simple graph in CSR form.

Everywhere `indptr` (n + 1,) and `indices` (entries,) hold each node's neighbours in
ascending order, every edge at both its ends, no loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.compiling import kernel


@kernel
def _common(indptr, indices, a, b):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Count common neighbours of each pair: the shorter list is looked up in the longer."""
    counts = np.zeros(len(a), np.int32)
    for i in range(len(a)):
        few, many = a[i], b[i]
        if indptr[few + 1] - indptr[few] > indptr[many + 1] - indptr[many]:
            few, many = many, few
        low, end = indptr[many], indptr[many + 1]
        for slot in range(indptr[few], indptr[few + 1]):
            wanted = indices[slot]
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


@kernel
def _meet(a, indptr, indices, hub, linked, seen, touched):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202, PLR0913
    """Count in `seen` how often each unlinked b > a is met over one neighbour; list them."""
    found = 0
    for slot in range(indptr[a], indptr[a + 1]):
        middle = indices[slot]
        if indptr[middle + 1] - indptr[middle] > hub:
            continue
        for far in range(indptr[middle + 1] - 1, indptr[middle] - 1, -1):
            b = indices[far]
            if b <= a:
                break
            if linked[b] == a:
                continue
            if seen[b] == 0:
                touched[found] = b
                found += 1
            seen[b] += 1
    return found


@kernel
def _holds(indptr, indices, row, wanted):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    low, high = indptr[row], indptr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < indptr[row + 1] and indices[low] == wanted


@kernel
def _open_pairs(graph, links, least, hub, out):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Tally unlinked pairs by common neighbours; write as many as `out` holds: a, b, count."""
    indptr, indices = graph
    link_indptr, link_indices = links
    n = len(indptr) - 1
    seen = np.zeros(n, np.int32)
    linked = np.full(n, -1, np.int32)
    touched = np.empty(n, np.int32)
    tally = np.zeros(hub + 1, np.int64)
    written = 0
    for a in range(n):
        degree = indptr[a + 1] - indptr[a]
        if degree < least or degree > hub:
            continue
        for slot in range(link_indptr[a], link_indptr[a + 1]):
            linked[link_indices[slot]] = a
        for i in range(_meet(a, indptr, indices, hub, linked, seen, touched)):
            b = touched[i]
            count = seen[b]
            seen[b] = 0
            if count < least or indptr[b + 1] - indptr[b] > hub:
                continue
            if not _holds(link_indptr, link_indices, b, a):
                tally[count] += 1
                if written < len(out):
                    out[written, 0], out[written, 1], out[written, 2] = a, b, count
                    written += 1
    return tally


def common_neighbours(
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
) -> NDArray[np.int32]:
    """How many neighbours each pair (a[i], b[i]) has in common, shape (pairs,).

    For the ends of an edge this is the number of triangles the edge is part of.
    """
    counts: NDArray[np.int32] = _common(indptr, indices, a, b)
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

    `graph`, `links`: (indptr, indices) of the neighbours, and of the directed arcs, targets
    ascending (repeats allowed), of which one either way is a link. Nodes of degree over
    `hub` are neither ends nor common neighbours. Where there are more than `most` such
    pairs, those of the highest counts are returned: at least `most`, ties at the lowest
    count included. Ascending by a.
    """
    nothing = np.empty((0, 3), np.int32)
    tally = _open_pairs(graph, links, least, hub, nothing)
    at_least = np.cumsum(tally[::-1])[::-1]
    enough = np.flatnonzero(at_least >= max(most, 1))
    cut = max(int(enough[-1]), least) if len(enough) else least
    pairs = np.empty((int(at_least[cut]) if cut < len(at_least) else 0, 3), np.int32)
    _open_pairs(graph, links, cut, hub, pairs)
    return pairs
