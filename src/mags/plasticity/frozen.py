"""A graph frozen at one tick, for rules that read all of it. Nothing in it may be changed.

Sleep works on frozen graphs, so recall and writing go on beside it. Everything is sorted by id:
equal graphs give equal frozen graphs, whatever the order of their rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mags.graph.algorithms import common_neighbours, core_numbers, dense_cores, innermost_cores
from mags.graph.delta import IDENTITY, Changes, Delta, same_bits
from mags.graph.graph import CARRIED, REVERSE, Graph
from mags.graph.records import ARC, NODE, ArcFlag, ArcKind, NodeFlag, arc_charge, node_charge

LIVE_AT = 0.2
"""The charge from which an association is alive."""

CORE_LEAST = 3
"""The smallest k whose k-cores count."""

DENSITY = 0.1
"""A core is dense if every member is a neighbour of at least this share of it."""

KIND_BITS = 4
PLACE_BITS = 28
"""A sorting key holds two positions and a kind: up to 268 million nodes."""


class LiveNet:
    """The live associations between warm nodes, as an undirected simple graph of n nodes.

    `indptr`, `indices`: CSR, int32, neighbours ascending; `weights`: the sum of the charges in
    both directions.
    """

    def __init__(
        self, n: int, ends: tuple[NDArray[Any], NDArray[Any]], charge: NDArray[Any]
    ) -> None:
        from scipy.sparse import csr_array  # takes 0.4 s, and only a sleep needs it

        # Adding the transpose merges a -> b and b -> a into one entry at each end.
        one_way = csr_array((charge, ends), (n, n))
        both = (one_way + one_way.T).tocsr()
        both.sort_indices()
        self.n, self._matrix = n, both
        self.indptr: NDArray[np.int32] = both.indptr.astype(np.int32)
        self.indices: NDArray[np.int32] = both.indices.astype(np.int32)
        self.weights: NDArray[np.float64] = both.data

    @cached_property
    def degree(self) -> NDArray[np.int32]:
        """Live neighbours of each node, shape (n,)."""
        return np.diff(self.indptr)

    @cached_property
    def core(self) -> NDArray[np.int32]:
        """Core number of each node, shape (n,)."""
        return np.asarray(core_numbers(self.indptr, self.indices))

    @cached_property
    def inner(self) -> NDArray[np.int32]:
        """Label of the innermost core of each node, or OUTSIDE; shape (n,)."""
        return innermost_cores(self.indptr, self.indices, self.core, CORE_LEAST)

    @cached_property
    def dense(self) -> NDArray[np.int32]:
        """The same for dense cores only; shape (n,)."""
        return dense_cores(self.inner, self.core, DENSITY)

    def part(
        self, nodes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """CSR (indptr, indices, weights) of the net between some nodes, ascending (k,)."""
        part = self._matrix[nodes][:, nodes]
        return part.indptr.astype(np.int64), part.indices.astype(np.int64), part.data

    def support(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int32]:
        """Live triangles of each pair, shape (pairs,)."""
        return np.asarray(common_neighbours(self.indptr, self.indices, a, b))


@dataclass(frozen=True, eq=False, kw_only=True)
class FrozenGraph:
    """Living nodes and all arcs between them at `tick`.

    `nodes`: NODE (n,), by id; `arcs`: ARC (m,), by source, target and kind; `src`, `dst`:
    positions in `nodes`, int32 (m,). The arrays must not be written to: later frozen graphs share
    them.
    """

    nodes: NDArray[np.void]
    arcs: NDArray[np.void]
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    tick: int
    live_at: float = LIVE_AT

    @classmethod
    def of(cls, graph: Graph, *, live_at: float = LIVE_AT) -> FrozenGraph:
        """A frozen copy of `graph`; the caller must keep writers out until it returns."""
        rows = graph.where()
        rows = rows[np.argsort(graph.nodes["id"][rows])]
        nodes = graph.nodes[rows]
        place = np.full(graph.size, -1, np.int64)
        place[rows] = np.arange(len(rows))
        tail, slots = graph.adjacency.positions()
        columns = graph.adjacency.columns
        # Structure has an entry at both ends; only the one at its source is an arc of its own.
        forward = np.flatnonzero(columns["kind"][slots] < REVERSE)
        slots = slots[forward]
        src, dst = place[tail[forward]], place[columns["peer"][slots]]
        kind = columns["kind"][slots]
        key = _key(src, dst, kind)
        order = np.argsort(key, kind="stable")
        # A removed node keeps its row, and an arc may still lie there.
        order = order[(src[order] >= 0) & (dst[order] >= 0)]
        slots, src, dst = slots[order], src[order], dst[order]
        arcs = np.empty(len(order), ARC)
        arcs["src"], arcs["dst"], arcs["kind"] = nodes["id"][src], nodes["id"][dst], kind[order]
        for name in CARRIED:
            arcs[name] = columns[name][slots]
        return cls(
            nodes=nodes,
            arcs=arcs,
            src=src.astype(np.int32),
            dst=dst.astype(np.int32),
            tick=graph.tick,
            live_at=live_at,
        )

    # -- what rules look at ------------------------------------------------------

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """Node ids, ascending, contiguous, shape (n,)."""
        return np.ascontiguousarray(self.nodes["id"])

    @cached_property
    def charge(self) -> NDArray[np.float64]:
        """The charge of every arc at the tick, shape (m,)."""
        return arc_charge(self.arcs, self.tick)

    @cached_property
    def strength(self) -> NDArray[np.float64]:
        """The strength of every node at the tick, shape (n,)."""
        return node_charge(self.nodes, self.tick)

    @cached_property
    def cold(self) -> NDArray[np.bool_]:
        """Which nodes spread and sleep leave out, shape (n,)."""
        return np.asarray(self.nodes["flags"] & NodeFlag.COLD, np.bool_)

    @cached_property
    def liquid(self) -> NDArray[np.bool_]:
        """Which arcs are associations between warm nodes, shape (m,)."""
        liquid = (self.arcs["kind"] == ArcKind.ASSOCIATION) & (self.src != self.dst)
        if self.cold.any():
            liquid &= ~(self.cold[self.src] | self.cold[self.dst])
        return np.asarray(liquid)

    @cached_property
    def solid(self) -> NDArray[np.bool_]:
        """Which arcs have stopped decaying, shape (m,)."""
        return np.asarray(self.arcs["flags"] & ArcFlag.SOLID, np.bool_)

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Which arcs are live associations between warm nodes, shape (m,)."""
        return self.liquid & np.asarray(self.charge >= self.live_at)

    @cached_property
    def net(self) -> LiveNet:
        """The live associations as an undirected graph."""
        live = self.live
        return LiveNet(len(self.nodes), (self.src[live], self.dst[live]), self.charge[live])

    @cached_property
    def core_arcs(self) -> NDArray[np.bool_]:
        """Which arcs have both ends in one dense core, shape (m,)."""
        dense = self.net.dense
        return np.asarray((dense[self.src] == dense[self.dst]) & (dense[self.src] >= 0))

    @cached_property
    def links(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(indptr, indices) of the arcs of any kind, by source, targets ascending."""
        indptr = np.zeros(len(self.nodes) + 1, np.int32)
        np.cumsum(np.bincount(self.src, minlength=len(self.nodes)), out=indptr[1:])
        return indptr, self.dst

    # -- finding and changing ----------------------------------------------------

    def places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Positions in `nodes`, -1 where there is no such node; shape of `ids`."""
        return _find(self.ids, np.asarray(ids, np.int64))

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        return _key(self.src, self.dst, self.arcs["kind"])

    def find(self, arcs: NDArray[np.void]) -> NDArray[np.int64]:
        """Positions in `arcs` of the arcs with these identities, -1 where there is none."""
        src, dst = self.places(arcs["src"]), self.places(arcs["dst"])
        # A missing end has place -1, which would make a wrong key; it is masked below.
        found = _find(self._keys, _key(src, dst, arcs["kind"]))
        return np.where((src < 0) | (dst < 0), -1, found)

    def after(self, delta: Delta) -> FrozenGraph:
        """This frozen graph with a Delta applied, which may make and alter nodes only.

        It may make, alter and remove arcs.
        """
        if not len(delta.nodes) and not len(delta.arcs):
            return self
        nodes = self._nodes_after(delta.nodes)
        columns: list[NDArray[Any]] = [self.arcs, self.src, self.dst, self.charge]
        if len(nodes) > len(self.nodes):
            moved = _places(nodes["id"], self.ids)
            columns[1:3] = moved[self.src], moved[self.dst]
        changes = delta.arcs
        if len(changes):
            place, stays = self.find(changes.after), changes.had & changes.has
            # Charges of unchanged arcs are copied, not computed again.
            columns[0], columns[3] = self.arcs.copy(), self.charge.copy()
            columns[0][place[stays]] = changes.after[stays]
            columns[3][place[stays]] = arc_charge(changes.after[stays], self.tick)
            if not changes.has.all():
                keep = np.ones(len(self.arcs), np.bool_)
                keep[place[~changes.has]] = False
                columns = [column[keep] for column in columns]
            made = changes.created()
            if len(made):
                ends = (_places(nodes["id"], made[name]) for name in ("src", "dst"))
                new = (made, *ends, arc_charge(made, self.tick))
                columns = [np.concatenate(pair) for pair in zip(columns, new, strict=True)]
                order = np.argsort(_key(columns[1], columns[2], columns[0]["kind"]), kind="stable")
                columns = [column[order] for column in columns]
        arcs, src, dst, charge = columns
        frozen = replace(self, nodes=nodes, arcs=arcs, src=src, dst=dst)
        # Where `cached_property` keeps its values.
        frozen.__dict__["charge"] = charge
        if "net" in self.__dict__ and self._keeps_net(delta):
            frozen.__dict__["net"] = self.net
        return frozen

    def _nodes_after(self, changes: Changes) -> NDArray[np.void]:
        if not len(changes):
            return self.nodes
        nodes = self.nodes.copy()
        known = changes.had & changes.has
        nodes[self.places(changes.after["id"][known])] = changes.after[known]
        fresh = changes.created()
        if len(fresh):
            nodes = np.concatenate([nodes, fresh])
            nodes = nodes[np.argsort(nodes["id"], kind="stable")]
        return nodes

    def _keeps_net(self, delta: Delta) -> bool:
        """Whether the live net, with its weights, is the same after the Delta."""
        nodes, arcs = delta.nodes, delta.arcs
        if not (nodes.had & nodes.has).all():
            return False
        if ((nodes.before["flags"] ^ nodes.after["flags"]) & NodeFlag.COLD).any():
            return False
        worth: list[NDArray[np.float64]] = []
        for image, there in ((arcs.before, arcs.had), (arcs.after, arcs.has)):
            charge = arc_charge(image, self.tick)
            live = there & (image["kind"] == ArcKind.ASSOCIATION) & (charge >= self.live_at)
            worth.append(np.where(live, charge, 0.0))
        # A rule that stores a charge anew rounds it to float32: less than 1e-6 is no change.
        return bool(np.all(np.abs(worth[0] - worth[1]) < 1e-6))

    def delta(
        self, rule: str, *, nodes: Changes | None = None, arcs: Changes | None = None, **facts: Any
    ) -> Delta:
        """A Delta of one rule's changes, with its reason: the rule's name and its counts."""
        nodes = Changes.none(NODE) if nodes is None else nodes
        arcs = Changes.none(ARC) if arcs is None else arcs
        return Delta(
            kind="sleep",
            tick_before=self.tick,
            tick_after=self.tick,
            nodes=nodes,
            arcs=arcs,
            reasons=({"rule": rule, **facts},) if len(nodes) or len(arcs) else (),
        )


def altered(before: NDArray[np.void], **fields: ArrayLike) -> Changes:
    """Changes that set fields of records; records that stay the same are left out."""
    after, every = before.copy(), np.ones(len(before), np.bool_)
    for name, values in fields.items():
        after[name] = values
    return Changes(before, after, every, every).take(~same_bits(before, after))


def created(after: NDArray[np.void]) -> Changes:
    """Changes that make records."""
    return removed(after).inverse()


def removed(before: NDArray[np.void]) -> Changes:
    """Changes that remove records."""
    # An absent image is zero but for the identity, by which both images name the same record.
    after = np.zeros(len(before), before.dtype)
    for name in IDENTITY[before.dtype]:
        after[name] = before[name]
    every = np.ones(len(before), np.bool_)
    return Changes(before, after, every, ~every)


def _key(src: NDArray[Any], dst: NDArray[Any], kind: NDArray[Any]) -> NDArray[np.int64]:
    pair = (src.astype(np.int64) << PLACE_BITS) | dst
    return np.asarray((pair << KIND_BITS) | kind, np.int64)


def _places(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.searchsorted(ids, wanted).astype(np.int32)


def _find(ascending: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(ascending):
        return np.full(wanted.shape, -1, np.int64)
    place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    return np.where(ascending[place] == wanted, place, -1)
