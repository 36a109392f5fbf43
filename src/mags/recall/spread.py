"""Spreading activation over both blocks: one measure for the ranking, one for explanations.

`activation`: forward-push personalised PageRank (Andersen, Chung and Lang, 2006).
`paths`: greatest product of transitions along a path, best first.
The functions that pass the graph to kernels are here, too; all of recall uses them. The kernels
number the rows they meet in the order they meet them, in an open-addressed hash table, so that
neither time nor memory grows with the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.compiling import kernel
from mags.graph.graph import REVERSE, Graph
from mags.graph.records import ArcKind, NodeFlag, NodeKind, charge_of
from mags.index.kernels import rise, sink
from mags.recall.kernels import peers_of_each
from mags.recall.settings import RecallSettings

# -- kernels: forward push, and best-first paths -------------------------------

MENTIONS = int(ArcKind.MENTIONS)
ASSOCIATION = int(ArcKind.ASSOCIATION)
FACT = int(NodeKind.FACT)
COLD = int(NodeFlag.COLD)

PLAIN: dict[str, Any] = {"_nrt": False}
"""Options for small kernels that make no arrays. Without these, numba counts the references to each
array argument, with two atomic steps for each at every arc: most of the time of `push`."""

FIRST = 1024
"""Rows for which there is room at first."""


@kernel(**PLAIN)
def _place(table, keys, row):
    """The place in the table for a row. Its entry is the row's number plus 1, or 0 if it is new."""
    # Knuth's multiplicative hash, since rows are small and close together; then linear probing.
    mask = len(table) - 1
    at = ((row * 2654435761) >> 13) & mask
    while table[at] > 0 and keys[table[at] - 1] != row:
        at = (at + 1) & mask
    return at


@kernel
def _longer(array, size):
    """A copy of a one-dimensional array with room for `size` entries, the new ones 0."""
    out = np.zeros(size, array.dtype)
    for i in range(len(array)):  # numba would compile a slice for seconds
        out[i] = array[i]
    return out


@kernel
def _table(keys, n, size):
    """A hash table of the first n keys, with `size` places (a power of two)."""
    table = np.zeros(size, np.int64)
    for i in range(n):
        table[_place(table, keys, keys[i])] = i + 1
    return table


@kernel
def _room(least):
    """Room for at least so many rows: a power of two, which the hash table needs."""
    room = FIRST
    while room < least:
        room *= 2
    return room


@kernel(**PLAIN)
def _transition(peer, kind, flags, support, w, t0, uses, slot, row, length, size, tick, weights):
    """Unnormalised weight of one adjacency entry of `row`; `mentions` is weighed by idf."""
    code = kind[slot]
    value = weights[code]
    if code == ASSOCIATION:
        value *= charge_of(w[slot], t0[slot], uses[slot], support[slot], flags[slot], tick)
    # The entity is the peer in one direction and the row itself in the other. Its number of
    # entries stands for how many texts mention it.
    elif code == MENTIONS:
        value *= np.log1p(size / max(1, length[peer[slot]]))
    elif code == MENTIONS | REVERSE:
        value *= np.log1p(size / max(1, length[row]))
    return value


@kernel(**PLAIN)
def _passable(row, alive, node_kind, node_flags, valid_to, moment):
    """Whether activation may enter a row: alive, warm, and not a fact that is over."""
    if not alive[row] or node_flags[row] & COLD:
        return False
    return node_kind[row] != FACT or valid_to[row] > moment


@kernel(**PLAIN)
def _meet(table, keys, enters, met, row, alive, node_kind, node_flags, valid_to, moment):
    """The number of a row; a new row gets the number `met`. There must be room for it."""
    at = _place(table, keys, row)
    if table[at] == 0:
        table[at], keys[met] = met + 1, row
        enters[met] = _passable(row, alive, node_kind, node_flags, valid_to, moment)
    return table[at] - 1


@kernel
def _sown(seeds, mass, nodes, moment, queue):
    """The arrays that push starts with, by number of row, with the mass on the queued seeds.

    Returns (table, keys, enters, waiting, p, r, total, first, end), rows met, queue's end.
    """
    alive, node_kind, node_flags, valid_to = nodes
    room = _room(2 * len(seeds))
    keys, table = np.zeros(room, np.int64), np.zeros(2 * room, np.int64)
    enters, waiting = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    p, r, total = np.zeros(room), np.zeros(room), np.zeros(room)
    first, end = np.zeros(room, np.int64), np.zeros(room, np.int64)
    # Typed: with a literal numba would compile the kernels that it is passed to once more.
    met = tail = np.int64(0)
    for i in range(len(seeds)):
        s = _meet(
            table, keys, enters, met, seeds[i], alive, node_kind, node_flags, valid_to, moment
        )
        met += s == met
        if r[s] == 0.0:
            queue[tail] = s
            tail += 1
            waiting[s] = True
        r[s] += mass[i]
    return (table, keys, enters, waiting, p, r, total, first, end), met, tail


@kernel
def _wider(known, met, more):
    """The arrays of push with room for more rows."""
    _, keys, enters, waiting, p, r, total, first, end = known
    room = _room(met + more)
    keys = _longer(keys, room)
    return (
        _table(keys, met, 2 * room),
        keys,
        _longer(enters, room),
        _longer(waiting, room),
        _longer(p, room),
        _longer(r, room),
        _longer(total, room),
        _longer(first, room),
        _longer(end, room),
    )


@kernel(**PLAIN)
def _pass_on(rest, total, to, share, first, end, keys, length, eps, r, waiting, queue, tail):
    """Pass activation on to the ends of a row's arcs by their shares. Returns the queue's end."""
    for e in range(first, end):
        v = to[e]
        r[v] += rest * share[e] / total
        # The condition of Andersen, Chung and Lang: a remainder is pushed only while it is large
        # for its row's degree, which bounds the work without regard to the size of the graph.
        if not waiting[v] and r[v] > eps * max(1, length[keys[v]]):
            waiting[v] = True
            if tail < len(queue):
                queue[tail] = v
                tail += 1
    return tail


@kernel
def _reached(keys, p, reached, n):
    """The rows of the first n numbers that were reached, and their p."""
    rows, mass = np.empty(n, np.int64), np.empty(n)
    for i in range(n):  # numba would compile an index by an array for seconds
        rows[i], mass[i] = keys[reached[i]], p[reached[i]]
    return rows, mass


@kernel
def push(pool, nodes, seeds, mass, clock, numbers, weights):
    """Forward push. Returns (rows, p) of the rows that were reached.

    pool: (start, length, peer, kind, flags, support, w, t0, uses); nodes: (alive, kind,
    flags, valid_to); seeds, mass: (m,); clock: (tick, moment); numbers: (alpha, eps,
    max_pushes, hub_degree). p is within eps x sum(degree) of exact personalised PageRank.
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    alive, node_kind, node_flags, valid_to = nodes
    tick, moment = clock
    alpha, eps, max_pushes, hub = numbers
    queue = np.empty(max(max_pushes, len(seeds)), np.int64)  # no later entry is ever taken
    known, met, tail = _sown(seeds, mass, nodes, moment, queue)
    table, keys, enters, waiting, p, r, total, first, end = known
    # The arcs by which a row passes on are worked out at its first push and kept, one row after
    # another. They begin at 1, since a `first` of 0 says that a row was not pushed yet.
    to, share, used = np.zeros(4 * FIRST, np.int64), np.zeros(4 * FIRST), 1
    reached, n, head = np.empty(queue.size, np.int64), 0, 0
    while head != tail and head < max_pushes:
        u = queue[head]
        head += 1
        waiting[u] = False
        rest, r[u] = r[u], 0.0
        if p[u] == 0.0:
            reached[n] = u
            n += 1
        row = keys[u]
        if first[u] == 0:
            first[u] = end[u] = used
            # A hub receives activation and passes none on.
            degree = length[row] if length[row] <= hub else 0
            if met + degree > len(keys):
                known = (table, keys, enters, waiting, p, r, total, first, end)
                table, keys, enters, waiting, p, r, total, first, end = _wider(known, met, degree)
            if used + degree > len(to):
                to = _longer(to, 2 * (used + degree))
                share = _longer(share, len(to))
            for e in range(start[row], start[row] + degree):
                v = np.int64(peer[e])
                at = _place(table, keys, v)
                if table[at] == 0:
                    table[at], keys[met] = met + 1, v
                    enters[met] = _passable(v, alive, node_kind, node_flags, valid_to, moment)
                    met += 1
                if enters[table[at] - 1]:
                    to[used], share[used] = table[at] - 1, _transition(
                        peer, kind, flags, support, w, t0, uses,
                        e, row, length, len(alive), tick, weights,
                    )  # fmt: skip
                    total[u] += share[used]
                    used += 1
            end[u] = used
        # A dead end keeps everything, so that no activation is lost.
        if total[u] <= 0.0:
            p[u] += rest
            continue
        p[u] += alpha * rest
        rest = (1.0 - alpha) * rest
        tail = _pass_on(
            rest, total[u], to, share, first[u], end[u], keys, length, eps, r, waiting, queue, tail
        )
    return _reached(keys, p, reached, n)


@kernel
def _set_out(seeds, mass, wanted, nodes, moment):
    """The arrays that the best-first search starts with: wanted rows, and the values of seeds.

    Returns (table, rows, enters, asked, done, best, parent, via), the heap's values and
    numbers, and how many rows were met, are on the heap, and are still to be reached.
    """
    alive, kind, flags, valid_to = nodes
    room = _room(2 * (len(seeds) + len(wanted)))
    table, rows = np.zeros(2 * room, np.int64), np.zeros(room, np.int64)
    enters, asked = np.zeros(room, np.bool_), np.zeros(room, np.bool_)
    best, parent, via = np.zeros(room), np.zeros(room, np.int64), np.zeros(room, np.int64)
    keys, items = np.zeros(room), np.zeros(room, np.int64)
    met = held = left = np.int64(0)
    for row in wanted:
        u = _meet(table, rows, enters, met, row, alive, kind, flags, valid_to, moment)
        met += u == met
        left += enters[u] and not asked[u]
        asked[u] = True
    for i in range(len(seeds)):
        u = _meet(table, rows, enters, met, seeds[i], alive, kind, flags, valid_to, moment)
        met += u == met
        if mass[i] > best[u]:
            # A wanted row that nothing may enter is reached only if it is a seed itself.
            left += asked[u] and not enters[u] and best[u] == 0.0
            best[u], parent[u], via[u] = mass[i], -1, -1
            held += 1
            rise(keys, items, held - 1, best[u], u)
    done = np.zeros(room, np.bool_)
    return (table, rows, enters, asked, done, best, parent, via), keys, items, met, held, left


@kernel
def _further(known, met, more):
    """The arrays of the best-first search with room for more rows."""
    _, rows, enters, asked, done, best, parent, via = known
    room = _room(met + more)
    rows = _longer(rows, room)
    return (
        _table(rows, met, 2 * room),
        rows,
        _longer(enters, room),
        _longer(asked, room),
        _longer(done, room),
        _longer(best, room),
        _longer(parent, room),
        _longer(via, room),
    )


@kernel
def _towards(wanted, table, rows, parent, done, order, n):
    """Of the first n of an order keep those on paths to wanted rows; returns how many."""
    if not len(wanted):
        return n
    passed = np.zeros(len(rows), np.bool_)
    for row in wanted:
        u = table[_place(table, rows, row)] - 1
        while u >= 0 and done[u] and not passed[u]:
            passed[u] = True
            u = parent[u]
    kept = 0
    for i in range(n):
        order[kept] = order[i]
        kept += passed[order[i]]
    return kept


@kernel
def _steps(rows, best, parent, via, order, n):
    """The first n of an order as rows, with value, row before (-1: none) and slot of each."""
    ends, values = np.empty(n, np.int64), np.empty(n)
    before, slots = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        u = order[i]
        ends[i], values[i], slots[i] = rows[u], best[u], via[u]
        before[i] = rows[parent[u]] if parent[u] >= 0 else -1
    return ends, values, before, slots


@kernel(**PLAIN)
def _any_above_one(w, first, last):
    """Whether a weight is above 1. The loop has no early exit, so that it can be vectorised."""
    n = 0
    for e in range(first, last):
        n += w[e] > 1.0
    return n > 0


@kernel
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
    known, keys, items, met, held, left = _set_out(seeds, mass, wanted, nodes, moment)
    table, rows, enters, asked, done, best, parent, via = known
    order, n, most = np.empty(max_nodes, np.int64), 0, weights.max()
    while held and n < max_nodes and (left or not len(wanted)):
        value, u = keys[0], items[0]
        held -= 1
        if held:
            sink(keys, items, held, keys[held], items[held])
        # The heap has no way to raise an entry: a better one was added, and this one is old.
        if done[u] or value < best[u]:
            continue
        done[u] = True
        left -= asked[u]
        order[n] = u
        n += 1
        row = rows[u]
        if length[row] > hub:
            continue
        if met + length[row] > len(rows):
            known = (table, rows, enters, asked, done, best, parent, via)
            table, rows, enters, asked, done, best, parent, via = _further(known, met, length[row])
        scale = value / np.sqrt(max(1, length[row]))
        # No arc of this row can reach the threshold, unless one has a weight above 1. In a
        # measured recall 94% of all arcs were in such rows.
        if scale * most < threshold and not _any_above_one(w, start[row], start[row] + length[row]):
            continue
        for e in range(start[row], start[row] + length[row]):
            step = weights[kind[e]]
            if scale * step < threshold and w[e] <= 1.0:
                continue
            if kind[e] == ASSOCIATION:
                step *= charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
            reach = scale * step
            if reach < threshold:
                continue
            to = np.int64(peer[e])
            at = _place(table, rows, to)
            if table[at] == 0:
                table[at], rows[met] = met + 1, to
                enters[met] = _passable(to, alive, node_kind, node_flags, valid_to, moment)
                met += 1
            v = table[at] - 1
            if done[v] or not enters[v] or reach <= best[v]:
                continue
            best[v], parent[v], via[v] = reach, u, e
            if held == len(keys):
                keys, items = _longer(keys, 2 * held), _longer(items, 2 * held)
            held += 1
            rise(keys, items, held - 1, reach, v)
    n = _towards(wanted, table, rows, parent, done, order, n)
    return _steps(rows, best, parent, via, order, n)


# -- over a graph --------------------------------------------------------------

Arrays = tuple[NDArray[np.generic], ...]

KIND_WEIGHTS = np.zeros(256, np.float64)
"""How much of the activation each kind of arc passes on, in both directions for structure."""
for _kind, _weight in (
    (ArcKind.NEXT, 0.3),
    (ArcKind.MENTIONS, 1.0),
    (ArcKind.SUBJECT, 1.0),
    (ArcKind.OBJECT, 1.0),
    (ArcKind.SOURCE, 1.0),
    (ArcKind.SUPERSEDES, 0.1),
    (ArcKind.DISPUTES, 0.1),
    (ArcKind.ASSOCIATION, 0.5),
):
    KIND_WEIGHTS[_kind] = KIND_WEIGHTS[_kind | REVERSE] = _weight

OVERVIEW_WEIGHTS = KIND_WEIGHTS.copy()
"""The same for an overview: only then do the members of a theme activate each other through it."""
OVERVIEW_WEIGHTS[[int(ArcKind.MEMBER), int(ArcKind.MEMBER) | REVERSE]] = 0.2

NOTHING = (np.zeros(0, np.int64), np.zeros(0))
"""An activation that reached nothing."""

EVERYWHERE = np.zeros(0, np.int64)
"""The `wanted` rows of `paths` if everything that can be reached is wanted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Best paths from the seeds, by row: value, row before (-1: none), adjacency slot between."""

    value: dict[int, float]
    before: dict[int, int]
    slot: dict[int, int]

    def trail(self, row: int) -> list[tuple[int, int, int]]:
        """The steps from a seed to a row, each (row before, row, slot); empty for a seed."""
        # `before` leads back to the seed, so the steps are collected backwards.
        steps = []
        while (before := self.before.get(row, -1)) >= 0:
            steps.append((before, row, self.slot[row]))
            row = before
        return steps[::-1]


NO_PATHS = Paths(value={}, before={}, slot={})


def activation(
    graph: Graph,
    seeds: NDArray[np.int64],
    mass: NDArray[np.float64],
    moment: float,
    settings: RecallSettings,
    weights: NDArray[np.float64] = KIND_WEIGHTS,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows reached from the seeds and their activation, each of shape (reached,)."""
    numbers = (settings.alpha, settings.eps, settings.max_pushes, settings.hub_degree)
    clock = (graph.tick, moment)
    rows, p = push(pool_of(graph), nodes_of(graph), seeds, mass, clock, numbers, weights)
    return rows, p


def paths(
    graph: Graph,
    seeds: NDArray[np.int64],
    moment: float,
    settings: RecallSettings,
    wanted: NDArray[np.int64] = EVERYWHERE,
) -> Paths:
    """Best paths from the seeds, each of value 1, to everything or to the wanted rows."""
    numbers = (settings.threshold, settings.max_nodes, settings.hub_degree)
    clock = (graph.tick, moment)
    # An explanation asks how a row is reached from a seed, not how good the seed was.
    mass = np.ones(len(seeds))
    rows, *found = best_paths(
        pool_of(graph), nodes_of(graph), seeds, mass, clock, numbers, KIND_WEIGHTS, wanted
    )
    keys = rows.tolist()
    value, before, slot = (dict(zip(keys, column.tolist(), strict=True)) for column in found)
    return Paths(value=value, before=before, slot=slot)


def peers(graph: Graph, row: int, code: int) -> NDArray[np.int64]:
    """Living rows that are one arc of a kind away (with REVERSE: arcs to the row), shape (n,)."""
    found, _ = peers_of_each(links_of(graph), graph.alive, np.array([row]), np.array([code]))
    return np.asarray(found)


def peers_each(
    graph: Graph, rows: NDArray[np.int64], codes: NDArray[np.int64] | int
) -> list[list[int]]:
    """The `peers` of each row by its own code, or one for all; none if the code is negative."""
    every = np.full(len(rows), codes) if isinstance(codes, int) else codes
    # One call for all rows, as entering a kernel has a cost of its own.
    found, ends = peers_of_each(links_of(graph), graph.alive, rows, every)
    ids, cuts = found.tolist(), ends.tolist()
    return [ids[a:b] for a, b in pairwise((0, *cuts))]


def links_of(graph: Graph) -> Arrays:
    """The adjacency's layout, peers and kinds, in the form that kernels take."""
    pool = graph.adjacency
    return pool.start, pool.length, pool.columns["peer"], pool.columns["kind"]


def pool_of(graph: Graph) -> Arrays:
    """The whole adjacency in the form that kernels take."""
    columns = graph.adjacency.columns
    return *links_of(graph), *(columns[n] for n in ("flags", "support", "w", "t0", "uses"))


def nodes_of(graph: Graph) -> Arrays:
    """Node fields in the form that kernels take."""
    nodes = graph.nodes[: graph.size]
    return graph.alive[: graph.size], nodes["kind"], nodes["flags"], nodes["valid_to"]
