"""The graph itself: node records, adjacency blocks, and `apply`.

Only `Graph.apply` changes it, and only with a `Delta`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import NotFound
from mags.graph.delta import Delta
from mags.graph.edge import ARC, ArcKind
from mags.graph.node import NODE, NodeKind
from mags.graph.pool import Pool

REVERSE = 0x80
"""Bit of the `kind` column: this entry is the far end of a structural arc."""

ADJACENCY = {
    "peer": "i4",
    "kind": "u1",
    "flags": "u1",
    "support": "u2",
    "w": "f4",
    "t0": "i8",
    "uses": "i4",
    "days": "u2",
    "last_day": "i8",
}
BULK = 4096
"""From so many ids on, rows are looked up in a table made for it."""
CARRIED = ("flags", "support", "w", "t0", "uses", "days", "last_day")


@cache
def table_of(*kinds: NodeKind) -> NDArray[np.bool_]:
    """Whether a kind, as a number, is one of these; shape (256,), not to be written to."""
    table = np.zeros(256, np.bool_)
    table[[int(kind) for kind in kinds]] = True
    return table


class Graph:
    """Nodes in rows, arcs in blocks.

    `nodes`: NODE records, shape (capacity,), of which the first `size` are in use;
    `alive`: bool, same shape; `kinds`: uint8, their kinds side by side; `adjacency`: a
    `Pool` by row whose `peer` column holds rows.
    A structural arc stands in the block of both ends (with the REVERSE bit at its head);
    an association only in the block of its source. Rows are stable while the graph is
    open; ids are stable for ever. `tick` is the memory's clock.
    """

    def __init__(self) -> None:
        """An empty graph at tick 0."""
        self.nodes = np.zeros(16, NODE)
        self.alive = np.zeros(16, np.bool_)
        self.kinds = np.zeros(16, np.uint8)
        self.size = 0
        self.tick = 0
        self.row_of: dict[int, int] = {}
        self.adjacency = Pool(ADJACENCY)

    # -- reading -----------------------------------------------------------------

    def __len__(self) -> int:
        """How many nodes are alive."""
        return int(np.count_nonzero(self.alive[: self.size]))

    def __contains__(self, node_id: int) -> bool:
        """Whether a node of that id is alive."""
        row = self.row_of.get(node_id)
        return row is not None and bool(self.alive[row])

    def row(self, node_id: int) -> int:
        """Row of a living node; raises NotFound."""
        row = self.row_of.get(node_id)
        if row is None or not self.alive[row]:
            raise NotFound(f"no node {node_id} in this memory", node_id=node_id)
        return row

    def rows(self, ids: Iterable[int]) -> NDArray[np.int64]:
        """Rows of known ids, shape (n,)."""
        return np.fromiter((self.row_of[i] for i in ids), np.int64)

    def node(self, node_id: int) -> NDArray[np.void]:
        """A copy of one NODE record, shape (1,)."""
        row = self.row(node_id)
        return self.nodes[row : row + 1].copy()

    def view(self, node_id: int) -> NDArray[np.void]:
        """One NODE record as it lies in the graph, shape (1,): to be read at once."""
        row = self.row(node_id)
        return self.nodes[row : row + 1]

    def ids(self, *kinds: NodeKind) -> NDArray[np.int64]:
        """Ids of living nodes, of those kinds or of all."""
        return self.nodes["id"][self.where(*kinds)]

    def where(self, *kinds: NodeKind) -> NDArray[np.int64]:
        """Rows of living nodes, of those kinds or of all."""
        mask = self.alive[: self.size]
        if kinds:
            mask = mask & table_of(*kinds)[self.kinds[: self.size]]
        return np.flatnonzero(mask)

    def find_arc(self, src: int, dst: int, kind: ArcKind) -> NDArray[np.void] | None:
        """A copy of one ARC record, shape (1,), or None."""
        return self.find_arcs([(src, dst, int(kind))])[0]

    def find_arcs(self, keys: Sequence[tuple[int, int, int]]) -> list[NDArray[np.void] | None]:
        """Copies of ARC records, each of shape (1,), or None, for (src, dst, kind) each."""
        asked = np.array(keys, np.int64).reshape(-1, 3)
        src, dst = self._known_rows(asked[:, 0]), self._known_rows(asked[:, 1])
        slots = self.adjacency.find(src, dst, asked[:, 2].astype(np.uint8))
        found = np.flatnonzero(slots >= 0)
        records = self._records(slots[found], asked[found, 0])
        out: list[NDArray[np.void] | None] = [None] * len(asked)
        for i, at in enumerate(found.tolist()):
            out[at] = records[i : i + 1]
        return out

    def arcs_from(self, node_id: int, *kinds: ArcKind) -> NDArray[np.void]:
        """ARC records that leave a node, of those kinds or of all."""
        block = self.adjacency.block(self.row(node_id))
        column = self.adjacency.columns["kind"][block]
        mask = column < REVERSE
        if kinds:
            mask &= np.isin(column, [int(k) for k in kinds])
        slots = np.flatnonzero(mask) + block.start
        return self._records(slots, np.full(len(slots), node_id))

    def arcs_to(self, node_id: int, *kinds: ArcKind) -> NDArray[np.void]:
        """ARC records of structure that arrive at a node (associations: `associations_to`)."""
        block = self.adjacency.block(self.row(node_id))
        column = self.adjacency.columns["kind"][block]
        mask = column >= REVERSE
        if kinds:
            mask &= np.isin(column, [int(k) | REVERSE for k in kinds])
        slots = np.flatnonzero(mask) + block.start
        records = self._records(slots, np.zeros(len(slots), np.int64))
        records["src"] = records["dst"]
        records["dst"] = node_id
        records["kind"] &= REVERSE - 1
        return records

    def associations_to(self, node_id: int) -> NDArray[np.void]:
        """ARC records of associations that arrive at a node; scans the whole pool."""
        row = self.row(node_id)
        rows, slots = self.adjacency.positions()
        columns = self.adjacency.columns
        mask = (columns["peer"][slots] == row) & (columns["kind"][slots] == ArcKind.ASSOCIATION)
        return self._records(slots[mask], self.nodes["id"][rows[mask]])

    def arcs_at(self, node_id: int) -> NDArray[np.void]:
        """ARC records that leave a node or arrive at it, each once; scans the whole pool."""
        parts = [self.arcs_from(node_id), self.arcs_to(node_id), self.associations_to(node_id)]
        return np.unique(np.concatenate(parts))

    def targets(self, node_id: int, kind: ArcKind) -> list[int]:
        """Ids at the head of the arcs of one kind that leave a node."""
        return [int(i) for i in self.arcs_from(node_id, kind)["dst"]]

    def origins(self, node_id: int, kind: ArcKind) -> list[int]:
        """Ids at the tail of the structural arcs of one kind that arrive at a node."""
        return [int(i) for i in self.arcs_to(node_id, kind)["src"]]

    def arcs(self, *kinds: ArcKind) -> NDArray[np.void]:
        """Every ARC record, of those kinds or of all."""
        rows, slots = self.adjacency.positions()
        column = self.adjacency.columns["kind"][slots]
        mask = column < REVERSE
        if kinds:
            mask &= np.isin(column, [int(k) for k in kinds])
        return self._records(slots[mask], self.nodes["id"][rows[mask]])

    def degree(self) -> NDArray[np.int32]:
        """Entries in each row's block (both ends of structure, out-going associations)."""
        return self.adjacency.length[: self.size]

    def _records(self, slots: NDArray[np.int64], src: NDArray[np.int64]) -> NDArray[np.void]:
        columns = self.adjacency.columns
        out = np.zeros(len(slots), ARC)
        out["src"] = src
        out["dst"] = self.nodes["id"][columns["peer"][slots]]
        out["kind"] = columns["kind"][slots]
        for name in CARRIED:
            out[name] = columns[name][slots]
        return out

    # -- changing ----------------------------------------------------------------

    def apply(self, delta: Delta) -> None:
        """Make the graph what the Delta's after images say."""
        self._apply_nodes(delta)
        self._apply_arcs(delta)
        self.tick = delta.tick_after

    def _apply_nodes(self, delta: Delta) -> None:
        changes = delta.nodes
        if not len(changes):
            return
        ids = changes.after["id"]
        # What is neither known nor there afterwards needs no row.
        known = changes.has | (self._known_rows(ids) >= 0)
        fresh = [i for i in ids[known].tolist() if i not in self.row_of]
        self._grow(self.size + len(fresh))
        end = self.size + len(fresh)
        self.row_of.update(zip(fresh, range(self.size, end), strict=True))
        self.nodes["id"][self.size : end] = fresh
        self.size = end
        self.adjacency.grow_rows(self.size)
        rows = self._known_rows(ids[known])
        has = changes.has[known]
        self.nodes[rows[has]] = changes.after[changes.has]
        self.kinds[rows[has]] = changes.after["kind"][changes.has]
        self.alive[rows] = has

    def _known_rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of ids, -1 where unknown, shape (n,)."""
        n, most = len(ids), int(ids.max(initial=0))
        if n > BULK and self.size <= 8 * n and most <= 64 * n and ids.min() >= 0:
            table = np.full(max(most, int(self.nodes["id"].max())) + 1, -1, np.int64)
            table[self.nodes["id"][: self.size]] = np.arange(self.size)
            return np.asarray(table[ids])
        return np.fromiter(map(self.row_of.get, ids.tolist(), repeat(-1)), np.int64, len(ids))

    def _grow(self, size: int) -> None:
        if size > len(self.nodes):
            capacity = max(size, 2 * len(self.nodes))
            for name in ("nodes", "alive", "kinds"):
                old = getattr(self, name)
                new = np.zeros(capacity, old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)

    def _apply_arcs(self, delta: Delta) -> None:
        """Alter what is there, then remove, then insert; nothing is asked of what was before."""
        changes = delta.arcs
        if not len(changes):
            return
        after, has = changes.after, changes.has
        src, dst = self._known_rows(after["src"]), self._known_rows(after["dst"])
        if (np.minimum(src, dst)[has] < 0).any():
            raise NotFound("a Delta draws an arc at a node that is not in this memory")
        pool, kind = self.adjacency, np.ascontiguousarray(after["kind"])
        slots = pool.find(src, dst, kind)
        there = slots >= 0
        if not there.any():
            self._insert(after[has], src[has], dst[has])
            return
        # A structural arc has a second entry, at its head.
        old = np.flatnonzero(there & (kind != ArcKind.ASSOCIATION))
        rows = np.concatenate([src, dst[old]])
        back = pool.find(dst[old], src[old], kind[old] | np.uint8(REVERSE))
        slots = np.concatenate([slots, back])
        which = np.concatenate([np.arange(len(after)), old])
        alter, remove = has[which] & (slots >= 0), ~has[which] & (slots >= 0)
        for name in CARRIED:
            pool.columns[name][slots[alter]] = after[name][which[alter]]
        pool.remove(rows[remove], slots[remove])
        new = has & ~there
        self._insert(after[new], src[new], dst[new])

    def _insert(
        self, records: NDArray[np.void], src: NDArray[np.int64], dst: NDArray[np.int64]
    ) -> None:
        if not len(records):
            return
        both = records["kind"] != ArcKind.ASSOCIATION
        rows = np.concatenate([src, dst[both]])
        values: dict[str, NDArray[Any]] = {
            "peer": np.concatenate([dst, src[both]]).astype(np.int32),
            "kind": np.concatenate([records["kind"], records["kind"][both] | REVERSE]),
        }
        for name in CARRIED:
            values[name] = np.concatenate([records[name], records[name][both]])
        self.adjacency.append(rows, **values)

    # -- whole -------------------------------------------------------------------

    def packed(self) -> dict[str, NDArray[Any]]:
        """The living graph as arrays: `nodes`, and `adjacency.*` with rows renumbered."""
        keep = self.where()
        renumber = np.full(self.size, -1, np.int64)
        renumber[keep] = np.arange(len(keep))
        rows, slots = self.adjacency.positions()
        peers = self.adjacency.columns["peer"][slots]
        mask = (renumber[rows] >= 0) & (renumber[peers] >= 0)
        slots = slots[mask]
        out: dict[str, NDArray[Any]] = {"nodes": self.nodes[keep].copy()}
        lengths = np.bincount(renumber[rows[mask]], minlength=len(keep)).astype(np.int32)
        out["adjacency.length"] = lengths
        for name, column in self.adjacency.columns.items():
            out[f"adjacency.{name}"] = column[slots]
        out["adjacency.peer"] = renumber[peers[mask]].astype(np.int32)
        return out

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]], tick: int) -> Graph:
        """The reverse of `packed`."""
        graph = cls()
        graph.nodes = np.array(arrays["nodes"])
        graph.size = len(graph.nodes)
        graph.alive = np.ones(graph.size, np.bool_)
        graph.kinds = graph.nodes["kind"].copy()
        graph.tick = tick
        graph.row_of = dict(zip(graph.nodes["id"].tolist(), range(graph.size), strict=True))
        prefix = "adjacency."
        graph.adjacency = Pool.unpack(
            {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}
        )
        return graph

    def digest(self) -> str:
        """A hash of everything that is alive, the same for equal graphs in any row order."""
        nodes = self.nodes[self.where()]
        nodes = nodes[np.argsort(nodes["id"])]
        arcs = self.arcs()
        arcs = arcs[np.lexsort([arcs["kind"], arcs["dst"], arcs["src"]])]
        state = hashlib.blake2b(nodes.tobytes(), digest_size=16)
        state.update(arcs.tobytes())
        state.update(str(self.tick).encode())
        return state.hexdigest()
