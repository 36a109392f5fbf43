"""Numba kernels of recall; each is pure, frees the GIL and is compiled once per machine."""

from __future__ import annotations

import numpy as np
from numba import njit

from mags.graph.charge import charge_of
from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NodeFlag, NodeKind

NEXT = int(ArcKind.NEXT)
MENTIONS = int(ArcKind.MENTIONS)
SUBJECT = int(ArcKind.SUBJECT)
OBJECT = int(ArcKind.OBJECT)
SOURCE_OF = int(ArcKind.SOURCE) | REVERSE
ASSOCIATION = int(ArcKind.ASSOCIATION)
FACT = int(NodeKind.FACT)
COLD = int(NodeFlag.COLD)


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


@njit(cache=True, nogil=True)
def _transition(peer, kind, flags, support, w, t0, uses, slot, row, length, size, tick, weights):
    """Unnormalised weight of one adjacency entry of `row` (`mentions` times idf)."""
    code = kind[slot]
    value = weights[code]
    if code == ASSOCIATION:
        value *= charge_of(w[slot], t0[slot], uses[slot], support[slot], flags[slot], tick)
    elif code == MENTIONS:
        value *= np.log1p(size / max(1, length[peer[slot]]))
    elif code == MENTIONS | REVERSE:
        value *= np.log1p(size / max(1, length[row]))
    return value


@njit(cache=True, nogil=True)
def _passable(row, alive, node_kind, node_flags, valid_to, moment):
    """Whether activation may enter: alive, warm, and no superseded fact."""
    if not alive[row] or node_flags[row] & COLD:
        return False
    return node_kind[row] != FACT or valid_to[row] > moment


@njit(cache=True, nogil=True)
def push(pool, nodes, seeds, mass, clock, numbers, weights):
    """Forward push. Returns (rows, p) of what was reached.

    pool: (start, length, peer, kind, flags, support, w, t0, uses); nodes: (alive, kind,
    flags, valid_to); seeds, mass: (m,); clock: (tick, moment); numbers: (alpha, eps,
    max_pushes, hub_degree). p is within eps x sum(degree) of exact personalised PageRank.
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    alive, node_kind, node_flags, valid_to = nodes
    tick, moment = clock
    alpha, eps, max_pushes, hub = numbers
    size = len(alive)
    p, r = np.zeros(size), np.zeros(size)
    waiting = np.zeros(size, np.bool_)
    queue = np.empty(size + 1, np.int64)
    reached = np.empty(size, np.int64)
    n = head = tail = 0
    for i in range(len(seeds)):
        s = seeds[i]
        if r[s] == 0.0:
            queue[tail] = s
            tail += 1
            waiting[s] = True
        r[s] += mass[i]
    pushes = 0
    while head != tail and pushes < max_pushes:
        u = queue[head]
        head = head + 1 if head < size else 0
        waiting[u] = False
        rest = r[u]
        r[u] = 0.0
        if p[u] == 0.0:
            reached[n] = u
            n += 1
        pushes += 1
        first, last = start[u], start[u] + length[u]
        total = 0.0
        if length[u] <= hub:
            for e in range(first, last):
                if _passable(peer[e], alive, node_kind, node_flags, valid_to, moment):
                    total += _transition(
                        peer, kind, flags, support, w, t0, uses, e, u, length, size, tick, weights
                    )
        if total <= 0.0:
            p[u] += rest
            continue
        p[u] += alpha * rest
        for e in range(first, last):
            v = peer[e]
            if not _passable(v, alive, node_kind, node_flags, valid_to, moment):
                continue
            share = _transition(
                peer, kind, flags, support, w, t0, uses, e, u, length, size, tick, weights
            )
            r[v] += (1.0 - alpha) * rest * share / total
            if not waiting[v] and r[v] > eps * max(1, length[v]):
                waiting[v] = True
                queue[tail] = v
                tail = tail + 1 if tail < size else 0
    return reached[:n].copy(), p[reached[:n]]


@njit(cache=True, nogil=True)
def _sift(keys, items, size, at, value, item, down):
    """Place (value, item) in a binary max-heap, moving down from the root or up from `at`."""
    if down:
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            if child + 1 < size and keys[child + 1] > keys[child]:
                child += 1
            if keys[child] <= value:
                break
            keys[at], items[at] = keys[child], items[child]
            at = child
    else:
        while at > 0 and keys[(at - 1) // 2] < value:
            keys[at], items[at] = keys[(at - 1) // 2], items[(at - 1) // 2]
            at = (at - 1) // 2
    keys[at], items[at] = value, item


@njit(cache=True, nogil=True)
def best_paths(pool, nodes, seeds, mass, clock, numbers, weights):
    """Greatest product of transitions (weight x degree^-1/2) from the seeds, best first.

    Arguments as in `push`, numbers: (threshold, max_nodes, hub_degree). Returns rows, values,
    the row each was reached from (-1 for a seed) and the adjacency slot of that step.
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    alive, node_kind, node_flags, valid_to = nodes
    tick, moment = clock
    threshold, max_nodes, hub = numbers
    size = len(alive)
    best = np.zeros(size)
    parent = np.full(size, -1, np.int64)
    via = np.full(size, -1, np.int64)
    done = np.zeros(size, np.bool_)
    keys, items = np.empty(1024), np.empty(1024, np.int64)
    held = 0
    for i in range(len(seeds)):
        if mass[i] > best[seeds[i]]:
            best[seeds[i]] = mass[i]
            held += 1
            _sift(keys, items, held, held - 1, mass[i], seeds[i], False)
    order = np.empty(max_nodes, np.int64)
    n = 0
    while held and n < max_nodes:
        value, u = keys[0], items[0]
        held -= 1
        if held:
            _sift(keys, items, held, 0, keys[held], items[held], True)
        if done[u] or value < best[u]:
            continue
        done[u] = True
        order[n] = u
        n += 1
        if length[u] > hub:
            continue
        scale = value / np.sqrt(max(1, length[u]))
        for e in range(start[u], start[u] + length[u]):
            v = peer[e]
            if done[v] or not _passable(v, alive, node_kind, node_flags, valid_to, moment):
                continue
            step = weights[kind[e]]
            if kind[e] == ASSOCIATION:
                step *= charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
            reach = scale * step
            if reach < threshold or reach <= best[v]:
                continue
            best[v], parent[v], via[v] = reach, u, e
            if held == len(keys):
                keys = np.concatenate((keys, np.empty(held)))
                items = np.concatenate((items, np.empty(held, np.int64)))
            held += 1
            _sift(keys, items, held, held - 1, reach, v, False)
    rows = order[:n].copy()
    return rows, best[rows], parent[rows], via[rows]
