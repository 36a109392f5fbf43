"""Rows of growing blocks in flat arrays: the adjacency, and the postings of the lexical index.

Each row owns one block with slack; a full block moves to the end, doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mags.compiling import kernel

LONG = 64
"""Blocks of more entries are searched by sorting them, once for all that is asked of them."""
FEW = 8
"""Up to so many entries are removed, and blocks moved, one by one."""


@kernel
def _plan(start, length, capacity, rows, end, moved):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Assign new blocks to the rows that would overflow; how many, and the new end of the pool.

    `moved` (3, n) takes each such row with its old start and its length; `length` is lent for
    counting and is as before afterwards.
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


class Pool:
    """Per-row lists with several columns, all in flat NumPy arrays.

    `start` i8, `length` i4, `capacity` i4, each of shape (rows,) (over-allocated);
    `columns[name]`: shape (pool,). Row r holds `columns[name][start[r]:start[r]+length[r]]`.
    """

    def __init__(self, columns: Mapping[str, DTypeLike]) -> None:
        """An empty pool with those columns."""
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
        if rows > len(self.start):
            size = max(rows, 2 * len(self.start))
            for name in ("start", "length", "capacity"):
                old = getattr(self, name)
                new = np.zeros(size, old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)
        self.rows = max(self.rows, rows)

    def _reserve(self, rows: NDArray[np.int64]) -> None:
        """Give rows room for one more entry at each mention, moving full blocks to the end."""
        moved = np.empty((3, len(rows)), np.int64)
        count, end = _plan(self.start, self.length, self.capacity, rows, self.end, moved)
        if not count:
            return
        self._grow_columns(int(end))
        self._move(*moved[:, :count][:, moved[2, :count] > 0])
        self.end = int(end)

    def _move(
        self, rows: NDArray[np.int64], old: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> None:
        """Copy the entries of rows from where they lay to where their blocks begin now."""
        if len(rows) <= FEW:
            blocks = list(
                zip(self.start[rows].tolist(), old.tolist(), lengths.tolist(), strict=True)
            )
            for column in self.columns.values():
                for to, start, length in blocks:
                    column[to : to + length] = column[start : start + length]
            return
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        source = np.repeat(old, lengths) + offsets
        target = np.repeat(self.start[rows], lengths) + offsets
        for column in self.columns.values():
            column[target] = column[source]

    def _grow_columns(self, end: int) -> None:
        for name, column in self.columns.items():
            if end > len(column):
                new = np.zeros(max(end, len(column) + len(column) // 2), column.dtype)
                new[: self.end] = column[: self.end]
                self.columns[name] = new

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
        """Slot of the entry of each row with that `peer` and `kind`, -1 where there is none
        (or the row is negative); all of shape (n,).
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
        """Take the entries at distinct absolute positions `slots` out of their `rows`.

        Few leave gaps that the last entries of their rows fill; many close up in order.
        """
        if len(slots) <= FEW:
            # From the back, so that what fills a gap is never itself to be removed.
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
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return row, self.start[row] + offsets

    def packed(self) -> dict[str, NDArray[Any]]:
        """Everything, without slack: `length` (rows,) and each column (entries,)."""
        _, slots = self.positions()
        out: dict[str, NDArray[Any]] = {"length": self.length[: self.rows].copy()}
        out.update({name: column[slots] for name, column in self.columns.items()})
        return out

    @classmethod
    def unpack(cls, arrays: Mapping[str, NDArray[Any]]) -> Pool:
        """The reverse of `packed`, without copying the columns."""
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
        """Bytes held, slack included."""
        flat = self.start.nbytes + self.length.nbytes + self.capacity.nbytes
        return flat + sum(column.nbytes for column in self.columns.values())
