"""Numba kernels that let activation flow: forward push, and best-first paths.

Both number the rows they meet as they meet them, in an open-addressed table, so that neither
time nor memory grows with the graph.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from mags.graph.charge import charge_of
from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE
from mags.graph.node import NodeFlag, NodeKind

MENTIONS = int(ArcKind.MENTIONS)
ASSOCIATION = int(ArcKind.ASSOCIATION)
FACT = int(NodeKind.FACT)
COLD = int(NodeFlag.COLD)

FIRST = 1024
"""Rows there is room for at first."""


@njit(cache=True, nogil=True)
def _place(table, keys, row):
    """Where in the table the number of a row stands, or is to stand (a negative entry)."""
    mask = len(table) - 1
    at = ((row * 2654435761) >> 13) & mask
    while table[at] >= 0 and keys[table[at]] != row:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _longer(array, size):
    """A copy of a one-dimensional array with room for `size` entries, the new ones zero."""
    out = np.zeros(size, array.dtype)
    for i in range(len(array)):  # a slice would take seconds to compile
        out[i] = array[i]
    return out


@njit(cache=True, nogil=True)
def _table(keys, n, size):
    """A table of the first n keys, with `size` places (a power of two)."""
    table = np.full(size, -1, np.int32)
    for i in range(n):
        table[_place(table, keys, keys[i])] = i
    return table


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
    room = FIRST
    while room < 2 * len(seeds):
        room *= 2
    keys, met = np.empty(room, np.int64), 0
    table = np.full(2 * room, -1, np.int32)
    p, r, total = np.zeros(room), np.zeros(room), np.zeros(room)
    waiting, enters = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    first, count = np.full(room, -1, np.int64), np.zeros(room, np.int64)
    # What a row passes on is worked out at its first push and kept, end to end.
    to, share, used = np.empty(4 * FIRST, np.int32), np.empty(4 * FIRST), 0
    queue = np.empty(max(max_pushes, len(seeds)), np.int64)  # no later entry is ever taken
    reached, n = np.empty(queue.size, np.int64), 0
    head = tail = 0
    for i in range(len(seeds)):
        at = _place(table, keys, seeds[i])
        if table[at] < 0:
            table[at], keys[met] = met, seeds[i]
            enters[met] = _passable(seeds[i], alive, node_kind, node_flags, valid_to, moment)
            met += 1
        s = table[at]
        if r[s] == 0.0:
            queue[tail] = s
            tail += 1
            waiting[s] = True
        r[s] += mass[i]
    while head != tail and head < max_pushes:
        u = queue[head]
        head += 1
        waiting[u] = False
        rest = r[u]
        r[u] = 0.0
        if p[u] == 0.0:
            reached[n] = u
            n += 1
        row = keys[u]
        if first[u] < 0:
            first[u] = used
            if length[row] <= hub:
                if met + length[row] > room:
                    old = room
                    while met + length[row] > room:
                        room *= 2
                    keys, p, r = _longer(keys, room), _longer(p, room), _longer(r, room)
                    total, first = _longer(total, room), _longer(first, room)
                    count = _longer(count, room)
                    waiting, enters = _longer(waiting, room), _longer(enters, room)
                    for i in range(old, room):
                        first[i] = -1
                    table = _table(keys, met, 2 * room)
                if used + length[row] > len(to):
                    to = _longer(to, 2 * (used + length[row]))
                    share = _longer(share, len(to))
                for e in range(start[row], start[row] + length[row]):
                    v = np.int64(peer[e])
                    at = _place(table, keys, v)
                    if table[at] < 0:
                        table[at], keys[met] = met, v
                        enters[met] = _passable(v, alive, node_kind, node_flags, valid_to, moment)
                        met += 1
                    if enters[table[at]]:
                        to[used] = table[at]
                        share[used] = _transition(
                            peer, kind, flags, support, w, t0, uses,
                            e, row, length, size, tick, weights,
                        )  # fmt: skip
                        total[u] += share[used]
                        used += 1
                count[u] = used - first[u]
        if total[u] <= 0.0:
            p[u] += rest
            continue
        p[u] += alpha * rest
        for e in range(first[u], first[u] + count[u]):
            v = to[e]
            r[v] += (1.0 - alpha) * rest * share[e] / total[u]
            if not waiting[v] and r[v] > eps * max(1, length[keys[v]]):
                waiting[v] = True
                if tail < len(queue):
                    queue[tail] = v
                    tail += 1
    return keys[reached[:n]], p[reached[:n]]


@njit(cache=True, nogil=True)
def sift(keys, items, size, at, value, item, down):
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
def best_paths(pool, nodes, seeds, mass, clock, numbers, weights, wanted):
    """Greatest product of transitions (weight x degree^-1/2) from the seeds, best first.

    Arguments as in `push`, numbers: (threshold, max_nodes, hub_degree). Returns rows, values,
    the row each was reached from (-1 for a seed) and the adjacency slot of that step. With
    `wanted` rows it ends once those are reached and returns only what their paths pass.
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    alive, node_kind, node_flags, valid_to = nodes
    tick, moment = clock
    threshold, max_nodes, hub = numbers
    room = FIRST
    while room < 2 * (len(seeds) + len(wanted)):
        room *= 2
    rows, met = np.empty(room, np.int64), 0
    table = np.full(2 * room, -1, np.int32)
    best, done = np.zeros(room), np.zeros(room, np.bool_)
    enters, asked = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    parent, via = np.full(room, -1, np.int64), np.full(room, -1, np.int64)
    keys, items = np.empty(FIRST), np.empty(FIRST, np.int64)
    held = left = 0
    for i in range(len(wanted) + len(seeds)):
        row = wanted[i] if i < len(wanted) else seeds[i - len(wanted)]
        at = _place(table, rows, row)
        if table[at] < 0:
            table[at], rows[met] = met, row
            enters[met] = _passable(row, alive, node_kind, node_flags, valid_to, moment)
            met += 1
        u = table[at]
        if i < len(wanted):
            left += enters[u] and not asked[u]
            asked[u] = True
        elif mass[i - len(wanted)] > best[u]:
            left += asked[u] and not enters[u] and best[u] == 0.0
            best[u] = mass[i - len(wanted)]
            if held == len(keys):
                keys, items = _longer(keys, 2 * held), _longer(items, 2 * held)
            held += 1
            sift(keys, items, held, held - 1, best[u], u, False)
    order = np.empty(max_nodes, np.int64)
    n = 0
    while held and n < max_nodes and (left or not len(wanted)):
        value, u = keys[0], items[0]
        held -= 1
        if held:
            sift(keys, items, held, 0, keys[held], items[held], True)
        if done[u] or value < best[u]:
            continue
        done[u] = True
        left -= asked[u]
        order[n] = u
        n += 1
        row = rows[u]
        if length[row] > hub:
            continue
        if met + length[row] > room:
            old = room
            while met + length[row] > room:
                room *= 2
            rows, best, done = _longer(rows, room), _longer(best, room), _longer(done, room)
            enters, asked = _longer(enters, room), _longer(asked, room)
            parent, via = _longer(parent, room), _longer(via, room)
            for i in range(old, room):
                parent[i] = via[i] = -1
            table = _table(rows, met, 2 * room)
        scale = value / np.sqrt(max(1, length[row]))
        for e in range(start[row], start[row] + length[row]):
            step = weights[kind[e]]
            if scale * step < threshold and w[e] <= 1.0:
                continue
            if kind[e] == ASSOCIATION:
                step *= charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
            reach = scale * step
            if reach < threshold:
                continue
            at = _place(table, rows, np.int64(peer[e]))
            if table[at] < 0:
                table[at], rows[met] = met, peer[e]
                enters[met] = _passable(peer[e], alive, node_kind, node_flags, valid_to, moment)
                met += 1
            v = table[at]
            if done[v] or not enters[v] or reach <= best[v]:
                continue
            best[v], parent[v], via[v] = reach, u, e
            if held == len(keys):
                keys, items = _longer(keys, 2 * held), _longer(items, 2 * held)
            held += 1
            sift(keys, items, held, held - 1, reach, v, False)
    if len(wanted):
        passed = np.zeros(room, np.bool_)
        for i in range(len(wanted)):
            u = np.int64(table[_place(table, rows, wanted[i])])
            while u >= 0 and done[u] and not passed[u]:
                passed[u] = True
                u = parent[u]
        order = order[:n][passed[order[:n]]]
    else:
        order = order[:n]
    before = parent[order]
    for i in range(len(before)):
        if before[i] >= 0:
            before[i] = rows[before[i]]
    return rows[order], best[order], before, via[order]
