"""Numba kernels of recall; each is pure, frees the GIL and is compiled once per machine."""

from __future__ import annotations

import numpy as np
from numba import njit

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NodeKind

NEXT = int(ArcKind.NEXT)
MENTIONS = int(ArcKind.MENTIONS)
SUBJECT = int(ArcKind.SUBJECT)
OBJECT = int(ArcKind.OBJECT)
SOURCE_OF = int(ArcKind.SOURCE) | REVERSE
FACT = int(NodeKind.FACT)


@njit(cache=True, nogil=True)
def hull_area(points):
    """Area of the convex hull of points, shape (n, 2) (Andrew's monotone chain)."""
    n = len(points)
    if n < 3:
        return 0.0
    order = np.argsort(points[:, 0] * 1e6 + points[:, 1])
    chain = np.empty((2 * n, 2))
    area = 0.0
    for side in range(2):
        size = 0
        for i in range(n):
            p = points[order[i]] if side == 0 else points[order[n - 1 - i]]
            while size >= 2:
                a, b = chain[size - 2], chain[size - 1]
                turn = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
                if turn > 0:
                    break
                size -= 1
            chain[size] = p
            size += 1
        for i in range(size - 1):
            area += chain[i, 0] * chain[i + 1, 1] - chain[i + 1, 0] * chain[i, 1]
    return abs(area) / 2.0


@njit(cache=True, nogil=True)
def leading_plane(gram, sweeps):
    """Two leading eigenvectors of a Gram matrix (n, n), each times its singular value: (n, 2)."""
    n = gram.shape[0]
    first, second = np.empty(n), np.empty(n)
    for i in range(n):
        first[i] = gram[i, 0]
        second[i] = gram[i, n - 1]
    out = np.zeros((n, 2))
    for _ in range(sweeps):
        norm = np.sqrt((first * first).sum())
        if norm < 1e-12:
            return out
        first /= norm
        second -= first * (first * second).sum()
        norm = np.sqrt((second * second).sum())
        if norm > 1e-12:
            second /= norm
        moved, turned = np.zeros(n), np.zeros(n)
        for i in range(n):
            for j in range(n):
                moved[i] += gram[i, j] * first[j]
                turned[i] += gram[i, j] * second[j]
        first, second = moved, turned
    size = np.sqrt((first * first).sum())
    out[:, 0] = first / np.sqrt(max(size, 1e-12))
    second -= first * (first * second).sum() / max(size * size, 1e-12)
    size = np.sqrt((second * second).sum())
    out[:, 1] = second / np.sqrt(max(size, 1e-12))
    return out


@njit(cache=True, nogil=True)
def grow_hull(points, relevance, chosen, m):
    """Extend `chosen` (first entry given) to m indexes; returns how many there are."""
    n = len(points)
    count = 1
    used = np.zeros(n, np.bool_)
    used[chosen[0]] = True
    buffer = np.empty((m, 2))
    buffer[0] = points[chosen[0]]
    while count < min(m, n):
        held = hull_area(buffer[:count])
        best, best_gain = -1, -1.0
        for i in range(n):
            if used[i]:
                continue
            buffer[count] = points[i]
            if count == 1:
                step = points[i] - buffer[0]
                gain = np.sqrt(step[0] ** 2 + step[1] ** 2)
            else:
                gain = hull_area(buffer[: count + 1]) - held
            gain = (gain + 1e-9) * relevance[i]
            if gain > best_gain:
                best, best_gain = i, gain
        used[best] = True
        chosen[count] = best
        buffer[count] = points[best]
        count += 1
    return count


@njit(cache=True, nogil=True)
def surroundings(rows, start, length, peer, kind, node_kind, valid_to, moment, named):
    """What stands around each row, from its own block only.

    Returns before, after (rows of the neighbouring episodes, -1 where none), stale (share
    of an episode's facts that are superseded) and entity (named rows it touches, each by
    its rarity; all the question's names together count 1).
    """
    n, size = len(rows), len(node_kind)
    rarity = np.empty(len(named))
    total = 0.0
    for j in range(len(named)):
        rarity[j] = np.log1p(size / max(1, length[named[j]]))
        total += rarity[j]
    before, after = np.full(n, -1), np.full(n, -1)
    stale, entity = np.zeros(n, np.float32), np.zeros(n, np.float32)
    for i in range(n):
        facts = closed = 0
        for e in range(start[rows[i]], start[rows[i]] + length[rows[i]]):
            code, other = kind[e], peer[e]
            if code == NEXT:
                after[i] = other
            elif code == NEXT | REVERSE:
                before[i] = other
            elif code == SOURCE_OF and node_kind[other] == FACT:
                facts += 1
                closed += valid_to[other] <= moment
            elif code in (MENTIONS, SUBJECT, OBJECT):
                for j in range(len(named)):
                    if other == named[j]:
                        entity[i] += rarity[j] / total
        if facts:
            stale[i] = closed / facts
    return before, after, stale, entity
