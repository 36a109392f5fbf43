"""The graph itself: node records in rows, arcs in blocks, and `apply`.

Only `Graph.apply` changes it, and only with a `Delta`. Blocks of arcs lie in a `Pool`, which holds
the postings of the lexical index as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mags.compiling import kernel
from mags.errors import NotFound
from mags.graph.delta import Delta
from mags.graph.records import ARC, NODE, ArcKind, NodeKind

REVERSE = 0x80
"""Bit of the `kind` column: the entry of a structural arc in the block of its head."""

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
# What an entry has in common with an ARC record; `peer` and `kind` are told apart by direction.
CARRIED = ("flags", "support", "w", "t0", "uses", "days", "last_day")

LONG = 64
"""Blocks of more entries are sorted to be searched, once for all queries to a block."""
BULK = 4096
"""For more ids than this, rows are looked up in an array made for the purpose."""
FEW = 8
"""Up to this many entries are removed, and blocks moved, one by one."""


@kernel
def _plan(start, length, capacity, rows, end, moved):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Assign new blocks to rows that would overflow; return how many, and the pool's new end.

    `moved` (3, n) takes each such row with its old start and its length. `length` is used for
    counting and is restored.
    """
    for row in rows:
        length[row] += 1
    count = 0
    for row in rows:
        if length[row] > capacity[row]:
            size = 4
            while size < length[row]:
                size *= 2
            moved[0, count], moved[1, count] = row, start[row]
            count += 1
            # A row that is named again has room now, so it moves only once.
            start[row] = end
            capacity[row] = size
            end += size
    for row in rows:
        length[row] -= 1
    for i in range(count):
        moved[2, i] = length[moved[0, i]]
    return count, end


@kernel
def _place(start, length, rows, slots):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Give each new entry the next free slot of its row."""
    for i in range(len(rows)):
        slots[i] = start[rows[i]] + length[rows[i]]
        length[rows[i]] += 1


@kernel
def _find(start, length, peers, kinds, rows, wanted, kind_of, most, out):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202, PLR0913
    """Look through short blocks one by one; -2 marks a query to a block of over `most`."""
    for i in range(len(rows)):
        out[i] = -1
        row = rows[i]
        if row < 0:
            continue
        if length[row] > most:
            out[i] = -2
            continue
        for slot in range(start[row], start[row] + length[row]):
            if peers[slot] == wanted[i] and kinds[slot] == kind_of[i]:
                out[i] = slot
                break


def grow(owner: object, size: int, *names: str) -> None:
    """Give the named arrays of `owner` room for `size` entries; at least double those that grow."""
    for name in names:
        old = getattr(owner, name)
        if size > len(old):
            new = np.zeros((max(size, 2 * len(old)), *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(owner, name, new)


def _within(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For blocks of these lengths, the place of every entry in its block, shape (entries,)."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)


class Pool:
    """Per-row lists with several columns, all in flat NumPy arrays.

    Each row owns one block with spare room; a full block moves to the end, doubled.
    `start` i8, `length` i4, `capacity` i4, each of shape (rows,) (over-allocated);
    `columns[name]`: shape (pool,). Row r holds `columns[name][start[r]:start[r]+length[r]]`.
    """

    def __init__(self, columns: Mapping[str, DTypeLike]) -> None:
        self.rows = 0
        self.end = 0
        self.start = np.zeros(16, np.int64)
        self.length = np.zeros(16, np.int32)
        self.capacity = np.zeros(16, np.int32)
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros(64, dtype) for name, dtype in columns.items()
        }

    def grow_rows(self, rows: int) -> None:
        """Make room for at least `rows` rows."""
        grow(self, rows, "start", "length", "capacity")
        self.rows = max(self.rows, rows)

    def _reserve(self, rows: NDArray[np.int64]) -> None:
        """Give rows room for one more entry at each mention, moving full blocks to the end."""
        moved = np.empty((3, len(rows)), np.int64)
        count, end = _plan(self.start, self.length, self.capacity, rows, self.end, moved)
        if not count:
            return
        for name, column in self.columns.items():
            if end > len(column):
                # By half: at most a third of a large pool stands empty.
                new = np.zeros(max(int(end), len(column) + len(column) // 2), column.dtype)
                new[: self.end] = column[: self.end]
                self.columns[name] = new
        self._move(*moved[:, :count][:, moved[2, :count] > 0])
        self.end = int(end)

    def _move(
        self, rows: NDArray[np.int64], old: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> None:
        """Copy the entries of rows from their old blocks to their new ones."""
        if len(rows) <= FEW:
            blocks = list(
                zip(self.start[rows].tolist(), old.tolist(), lengths.tolist(), strict=True)
            )
            for column in self.columns.values():
                for to, start, length in blocks:
                    column[to : to + length] = column[start : start + length]
            return
        offsets = _within(lengths)
        source = np.repeat(old, lengths) + offsets
        target = np.repeat(self.start[rows], lengths) + offsets
        for column in self.columns.values():
            column[target] = column[source]

    def append(self, rows: NDArray[np.int64], **values: NDArray[Any]) -> None:
        """Add one entry to each of `rows` (repeats allowed, order kept within a row)."""
        if not len(rows):
            return
        self._reserve(rows)
        slots = np.empty(len(rows), np.int64)
        _place(self.start, self.length, rows, slots)
        for name, column in self.columns.items():
            column[slots] = values[name]

    def find(
        self, rows: NDArray[np.int64], peers: NDArray[np.int64], kinds: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """Slot of each row's entry with that `peer` and `kind`; all of shape (n,).

        -1 where there is none, or where the row is negative.
        """
        slots = np.empty(len(rows), np.int64)
        columns = self.columns
        place = (self.start, self.length, columns["peer"], columns["kind"])
        _find(*place, rows, peers, kinds, LONG, slots)
        far = np.flatnonzero(slots == -2)
        if len(far):
            slots[far] = self._find_in_long(rows[far], peers[far], kinds[far])
        return slots

    def _find_in_long(
        self, rows: NDArray[np.int64], peers: NDArray[np.int64], kinds: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        slots = np.empty(len(rows), np.int64)
        order = np.argsort(rows, kind="stable")
        ends = np.flatnonzero(np.diff(rows[order])) + 1
        for asked in np.split(order, ends):
            block = self.block(int(rows[asked[0]]))
            # A kind has 8 bits, so peer and kind make one key.
            here = self.columns["peer"][block].astype(np.int64) << 8 | self.columns["kind"][block]
            want = peers[asked] << 8 | kinds[asked]
            if len(asked) == 1:
                found = np.flatnonzero(here == want)
                slots[asked] = block.start + found[0] if len(found) else -1
                continue
            by_key = np.argsort(here)
            at = by_key[np.searchsorted(here, want, sorter=by_key).clip(max=len(here) - 1)]
            slots[asked] = np.where(here[at] == want, block.start + at, -1)
        return slots

    def remove(self, rows: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Remove the entries at distinct absolute positions `slots` from their `rows`.

        If they are few, each gap is filled with the last entry of its row; if many, the entries
        that stay move up in order. Either way, slots found before are no longer valid.
        """
        if len(slots) <= FEW:
            # From the back, so that the entry that fills a gap is never one to be removed.
            for i in np.argsort(slots)[::-1]:
                last = self.start[rows[i]] + self.length[rows[i]] - 1
                for column in self.columns.values():
                    column[slots[i]] = column[last]
                self.length[rows[i]] -= 1
            return
        touched = np.unique(rows)
        row, slot = self._entries(touched)
        keep = ~np.isin(slot, slots)
        row, slot = row[keep], slot[keep]
        first = np.searchsorted(row, row, side="left")
        target = self.start[row] + np.arange(len(row)) - first
        for column in self.columns.values():
            column[target] = column[slot]
        self.length[touched] -= np.bincount(np.searchsorted(touched, rows)).astype(np.int32)

    def block(self, row: int) -> slice:
        """Where the entries of `row` lie in every column."""
        start = int(self.start[row])
        return slice(start, start + int(self.length[row]))

    def positions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, slot) of every entry, in row order; each of shape (entries,)."""
        return self._entries(np.arange(self.rows))

    def _entries(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lengths = self.length[rows].astype(np.int64)
        row = np.repeat(rows, lengths)
        return row, self.start[row] + _within(lengths)

    def packed(self) -> dict[str, NDArray[Any]]:
        """Everything, without spare room: `length` (rows,) and each column (entries,)."""
        _, slots = self.positions()
        out: dict[str, NDArray[Any]] = {"length": self.length[: self.rows].copy()}
        out.update({name: column[slots] for name, column in self.columns.items()})
        return out

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]]) -> Pool:
        """The reverse of `packed`; the columns are copied."""
        # No spare room: a block moves to the end when it first grows.
        length = arrays["length"].astype(np.int32)
        pool = cls({name: a.dtype for name, a in arrays.items() if name != "length"})
        pool.rows = len(length)
        pool.end = int(length.sum())
        pool.length = length.copy()
        pool.capacity = length.copy()
        pool.start = np.cumsum(length, dtype=np.int64) - length
        pool.columns = {name: np.array(a) for name, a in arrays.items() if name != "length"}
        return pool

    @property
    def nbytes(self) -> int:
        """Bytes held, spare room included."""
        flat = self.start.nbytes + self.length.nbytes + self.capacity.nbytes
        return flat + sum(column.nbytes for column in self.columns.values())


@cache
def table_of(*kinds: NodeKind) -> NDArray[np.bool_]:
    """Whether a kind, as a number, is one of these; shape (256,), not to be written to."""
    table = np.zeros(256, np.bool_)
    table[[int(kind) for kind in kinds]] = True
    return table


class Graph:
    """Nodes in rows, arcs in blocks.

    `nodes`: NODE records, shape (capacity,), of which the first `size` are in use;
    `alive`: bool, same shape; `kinds`: uint8, a contiguous copy of their kinds; `adjacency`: a
    `Pool` by row whose `peer` column holds rows.
    A structural arc has an entry in the blocks of both ends (with the REVERSE bit at its head);
    an association only in the block of its source. Rows are stable while the graph is
    open; ids are stable for ever. `tick` is the memory's clock.
    """

    def __init__(self) -> None:
        self.nodes = np.zeros(16, NODE)
        self.alive = np.zeros(16, np.bool_)
        self.kinds = np.zeros(16, np.uint8)
        self.size = 0
        self.tick = 0
        self.row_of: dict[int, int] = {}
        self.adjacency = Pool(ADJACENCY)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.alive[: self.size]))

    def __contains__(self, node_id: int) -> bool:
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
        """One NODE record in the graph itself, shape (1,): read it before the graph changes."""
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
        mask = np.isin(column, kinds) if kinds else column < REVERSE
        slots = np.flatnonzero(mask) + block.start
        return self._records(slots, np.full(len(slots), node_id))

    def arcs_to(self, node_id: int, *kinds: ArcKind) -> NDArray[np.void]:
        """ARC records of structure that arrive at a node."""
        block = self.adjacency.block(self.row(node_id))
        column = self.adjacency.columns["kind"][block]
        mask = np.isin(column, [kind | REVERSE for kind in kinds]) if kinds else column >= REVERSE
        slots = np.flatnonzero(mask) + block.start
        records = self._records(slots, np.zeros(len(slots), np.int64))
        records["src"] = records["dst"]
        records["dst"] = node_id
        records["kind"] &= REVERSE - 1
        return records

    def arcs_at(self, node_id: int) -> NDArray[np.void]:
        """ARC records that leave a node or arrive at it, each once; scans the whole pool."""
        # An association has no entry at its head: `apply` is cheap for it, and this is not.
        rows, slots = self.adjacency.positions()
        peers, kinds = (self.adjacency.columns[name][slots] for name in ("peer", "kind"))
        mask = (peers == self.row(node_id)) & (kinds == ArcKind.ASSOCIATION)
        joined = self._records(slots[mask], self.nodes["id"][rows[mask]])
        parts = [self.arcs_from(node_id), self.arcs_to(node_id), joined]
        return np.unique(np.concatenate(parts))

    def targets(self, node_id: int, kind: ArcKind) -> list[int]:
        """Ids at the head of the arcs of one kind that leave a node."""
        ids: list[int] = self.arcs_from(node_id, kind)["dst"].tolist()
        return ids

    def origins(self, node_id: int, kind: ArcKind) -> list[int]:
        """Ids at the tail of the structural arcs of one kind that arrive at a node."""
        ids: list[int] = self.arcs_to(node_id, kind)["src"].tolist()
        return ids

    def arcs(self, *kinds: ArcKind) -> NDArray[np.void]:
        """Every ARC record, of those kinds or of all."""
        rows, slots = self.adjacency.positions()
        column = self.adjacency.columns["kind"][slots]
        mask = np.isin(column, kinds) if kinds else column < REVERSE
        return self._records(slots[mask], self.nodes["id"][rows[mask]])

    def _records(self, slots: NDArray[np.int64], src: NDArray[np.int64]) -> NDArray[np.void]:
        columns = self.adjacency.columns
        out = np.zeros(len(slots), ARC)
        out["src"] = src
        out["dst"] = self.nodes["id"][columns["peer"][slots]]
        out["kind"] = columns["kind"][slots]
        for name in CARRIED:
            out[name] = columns[name][slots]
        return out

    def apply(self, delta: Delta) -> None:
        """Make the graph equal to the Delta's after images."""
        # Nodes first: an arc needs rows at both its ends.
        self._apply_nodes(delta)
        self._apply_arcs(delta)
        self.tick = delta.tick_after

    def _apply_nodes(self, delta: Delta) -> None:
        changes = delta.nodes
        if not len(changes):
            return
        ids = changes.after["id"]
        # A node that the graph does not know and that is absent afterwards needs no row.
        known = changes.has | (self._known_rows(ids) >= 0)
        fresh = [i for i in ids[known].tolist() if i not in self.row_of]
        end = self.size + len(fresh)
        grow(self, end, "nodes", "alive", "kinds")
        self.row_of.update(zip(fresh, range(self.size, end), strict=True))
        self.nodes["id"][self.size : end] = fresh
        self.size = end
        self.adjacency.grow_rows(self.size)
        # A removed node keeps its row and its id: rows stay stable, and an undo finds it again.
        rows = self._known_rows(ids[known])
        has = changes.has[known]
        self.nodes[rows[has]] = changes.after[changes.has]
        self.kinds[rows[has]] = changes.after["kind"][changes.has]
        self.alive[rows] = has

    def _known_rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of ids, -1 where unknown, shape (n,)."""
        n, most = len(ids), int(ids.max(initial=0))
        # The array is as long as the greatest id, so it must pay: many ids, and none far above n.
        if n > BULK and self.size <= 8 * n and most <= 64 * n and ids.min() >= 0:
            table = np.full(max(most, int(self.nodes["id"].max())) + 1, -1, np.int64)
            table[self.nodes["id"][: self.size]] = np.arange(self.size)
            return np.asarray(table[ids])
        return np.fromiter(map(self.row_of.get, ids.tolist(), repeat(-1)), np.int64, len(ids))

    def _apply_arcs(self, delta: Delta) -> None:
        """Alter arcs that exist, then remove, then insert; before images are not looked at."""
        changes = delta.arcs
        if not len(changes):
            return
        after, has = changes.after, changes.has
        src, dst = self._known_rows(after["src"]), self._known_rows(after["dst"])
        if (np.minimum(src, dst)[has] < 0).any():
            raise NotFound("a Delta draws an arc at a node that is not in this memory")
        pool, kind = self.adjacency, np.ascontiguousarray(after["kind"])
        # Removing and inserting move entries, so slots are found, and used to alter, before both.
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

    def packed(self) -> dict[str, NDArray[Any]]:
        """The living graph as arrays: `nodes`, and `adjacency.*` with rows renumbered."""
        # Removed nodes, and entries in or to their blocks, are left out here for good.
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
