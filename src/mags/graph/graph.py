"""The graph itself: node records, adjacency blocks, and `apply`.

Only `Graph.apply` changes it, and only with a `Delta`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
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
CARRIED = ("flags", "support", "w", "t0", "uses", "days", "last_day")


class Graph:
    """Nodes in rows, arcs in blocks.

    `nodes`: NODE records, shape (capacity,), of which the first `size` are in use;
    `alive`: bool, same shape; `adjacency`: a `Pool` by row whose `peer` column holds rows.
    A structural arc stands in the block of both ends (with the REVERSE bit at its head);
    an association only in the block of its source. Rows are stable while the graph is
    open; ids are stable for ever. `tick` is the memory's clock.
    """

    def __init__(self) -> None:
        """An empty graph at tick 0."""
        self.nodes = np.zeros(16, NODE)
        self.alive = np.zeros(16, np.bool_)
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

    def ids(self, *kinds: NodeKind) -> NDArray[np.int64]:
        """Ids of living nodes, of those kinds or of all."""
        return self.nodes["id"][self.where(*kinds)]

    def where(self, *kinds: NodeKind) -> NDArray[np.int64]:
        """Rows of living nodes, of those kinds or of all."""
        mask = self.alive[: self.size]
        if kinds:
            mask = mask & np.isin(self.nodes["kind"][: self.size], [int(k) for k in kinds])
        return np.flatnonzero(mask)

    def find_arc(self, src: int, dst: int, kind: ArcKind) -> NDArray[np.void] | None:
        """A copy of one ARC record, shape (1,), or None."""
        if src not in self or dst not in self:
            return None
        slot = self._slot(self.row_of[src], self.row_of[dst], int(kind))
        return None if slot < 0 else self._records(np.array([slot]), np.array([src]))

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

    def _slot(self, row: int, peer: int, kind: int) -> int:
        block = self.adjacency.block(row)
        columns = self.adjacency.columns
        hit = (columns["peer"][block] == peer) & (columns["kind"][block] == kind)
        found = np.flatnonzero(hit)
        return int(found[0]) + block.start if len(found) else -1

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
        fresh = [int(i) for i in changes.after["id"] if int(i) not in self.row_of]
        self._grow(self.size + len(fresh))
        for node_id in fresh:
            self.row_of[node_id] = self.size
            self.size += 1
        rows = self.rows(changes.after["id"].tolist())
        self.adjacency.grow_rows(self.size)
        self.nodes[rows[changes.has]] = changes.after[changes.has]
        self.nodes["id"][rows] = changes.after["id"]
        self.alive[rows] = changes.has

    def _grow(self, size: int) -> None:
        if size > len(self.nodes):
            capacity = max(size, 2 * len(self.nodes))
            for name in ("nodes", "alive"):
                old = getattr(self, name)
                new = np.zeros(capacity, old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)

    def _apply_arcs(self, delta: Delta) -> None:
        changes = delta.arcs
        if not len(changes):
            return
        for record in changes.removed():
            self._remove(record)
        altered = changes.altered().after
        if len(altered):
            self._alter(altered)
        self._insert(changes.created())

    def _remove(self, record: NDArray[np.void]) -> None:
        src, dst = self.row_of[int(record["src"])], self.row_of[int(record["dst"])]
        kind = int(record["kind"])
        ends = [(src, dst, kind)]
        if kind != ArcKind.ASSOCIATION:
            ends.append((dst, src, kind | REVERSE))
        for row, peer, code in ends:
            slot = self._slot(row, peer, code)
            if slot >= 0:
                self.adjacency.remove_slot(row, slot)

    def _alter(self, records: NDArray[np.void]) -> None:
        src, dst = self.rows(records["src"].tolist()), self.rows(records["dst"].tolist())
        columns = self.adjacency.columns
        for i in range(len(records)):
            kind = int(records["kind"][i])
            slot = self._slot(int(src[i]), int(dst[i]), kind)
            for name in CARRIED:
                columns[name][slot] = records[name][i]

    def _insert(self, records: NDArray[np.void]) -> None:
        if not len(records):
            return
        src, dst = self.rows(records["src"].tolist()), self.rows(records["dst"].tolist())
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
