"""Numba kernels of the plane: two principal components, and convex hulls."""

from __future__ import annotations

import numpy as np

from mags.compiling import kernel


@kernel
def hull_area(points):
    """Area of the convex hull of points, shape (n, 2) (Andrew's monotone chain)."""
    n = len(points)
    return _hull_area(points, n, np.empty(n, np.int64), np.empty((2 * n + 1, 2)))


@kernel
def _hull_area(points, n, order, chain):
    """The same of the first n points; `order` (>= n,) and `chain` (>= 2n, 2) are lent."""
    if n < 3:
        return 0.0
    for i in range(n):
        at = i
        while at > 0 and (
            points[order[at - 1], 0] > points[i, 0]
            or (
                points[order[at - 1], 0] == points[i, 0] and points[order[at - 1], 1] > points[i, 1]
            )
        ):
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    area = 0.0
    for side in range(2):
        size = 0
        for i in range(n):
            p = order[i] if side == 0 else order[n - 1 - i]
            x, y = points[p, 0], points[p, 1]
            while size >= 2:
                a, b = chain[size - 2], chain[size - 1]
                turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
                if turn > 0:
                    break
                size -= 1
            chain[size, 0], chain[size, 1] = x, y
            size += 1
        for i in range(size - 1):
            area += chain[i, 0] * chain[i + 1, 1] - chain[i + 1, 0] * chain[i, 1]
    return abs(area) / 2.0


@kernel
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
        for j in range(n):  # row by row, the matrix being symmetric: nothing waits for a sum
            for i in range(n):
                moved[i] += gram[j, i] * first[j]
                turned[i] += gram[j, i] * second[j]
        first, second = moved, turned
    size = np.sqrt((first * first).sum())
    out[:, 0] = first / np.sqrt(max(size, 1e-12))
    second -= first * (first * second).sum() / max(size * size, 1e-12)
    size = np.sqrt((second * second).sum())
    out[:, 1] = second / np.sqrt(max(size, 1e-12))
    return out


@kernel
def grow_hull(points, relevance, chosen, m):
    """Extend `chosen` (first entry given) to m indexes; returns how many there are."""
    n = len(points)
    count = 1
    used = np.zeros(n, np.bool_)
    used[chosen[0]] = True
    buffer = np.empty((m, 2))
    order, chain = np.empty(m, np.int64), np.empty((2 * m + 1, 2))
    buffer[0] = points[chosen[0]]
    while count < min(m, n):
        held = _hull_area(buffer, count, order, chain)
        best, best_gain = -1, -1.0
        for i in range(n):
            if used[i]:
                continue
            buffer[count] = points[i]
            if count == 1:
                step = points[i] - buffer[0]
                gain = np.sqrt(step[0] ** 2 + step[1] ** 2)
            else:
                gain = _hull_area(buffer, count + 1, order, chain) - held
            gain = (gain + 1e-9) * relevance[i]
            if gain > best_gain:
                best, best_gain = i, gain
        used[best] = True
        chosen[count] = best
        buffer[count] = points[best]
        count += 1
    return count
