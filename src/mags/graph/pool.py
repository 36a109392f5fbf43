"""Rows of growing blocks in flat arrays: the adjacency, and the postings of the lexical index.

Each row owns one block with slack; a full block moves to the end, doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import DTypeLike, NDArray


@njit(cache=True, nogil=True)
def _plan_moves(start, length, capacity, rows, extra, end):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
    """Assign new blocks to the rows that would overflow; return the new end of the pool."""
    for i in range(len(rows)):
        row = rows[i]
        need = length[row] + extra[i]
        if need > capacity[row]:
            size = 4
            while size < need:
                size *= 2
            start[row] = end
            capacity[row] = size
            end += size
    return end


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

    def reserve(self, rows: NDArray[np.int64], extra: NDArray[np.int64]) -> None:
        """Give each of `rows` (distinct) room for `extra` more entries, moving full blocks."""
        full = self.length[rows] + extra > self.capacity[rows]
        if not full.any():
            return
        rows, extra = rows[full], extra[full]
        old_start = self.start[rows].copy()
        end = int(_plan_moves(self.start, self.length, self.capacity, rows, extra, self.end))
        self._grow_columns(end)
        lengths = self.length[rows].astype(np.int64)
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        source = np.repeat(old_start, lengths) + offsets
        target = np.repeat(self.start[rows], lengths) + offsets
        for column in self.columns.values():
            column[target] = column[source]
        self.end = end

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
        distinct, counts = np.unique(rows, return_counts=True)
        self.reserve(distinct, counts)
        order = np.argsort(rows, kind="stable")
        sorted_rows = rows[order]
        first = np.searchsorted(sorted_rows, sorted_rows, side="left")
        slots = self.start[sorted_rows] + self.length[sorted_rows]
        slots = slots + np.arange(len(rows)) - first
        for name, column in self.columns.items():
            column[slots] = values[name][order]
        self.length[distinct] += counts.astype(np.int32)

    def remove_slot(self, row: int, slot: int) -> None:
        """Take the entry at absolute position `slot` out of `row`; its last entry fills the gap."""
        last = int(self.start[row]) + int(self.length[row]) - 1
        for column in self.columns.values():
            column[slot] = column[last]
        self.length[row] -= 1

    def block(self, row: int) -> slice:
        """Where the entries of `row` lie in every column."""
        start = int(self.start[row])
        return slice(start, start + int(self.length[row]))

    def positions(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(row, slot) of every entry, in row order; each of shape (entries,)."""
        lengths = self.length[: self.rows].astype(np.int64)
        row = np.repeat(np.arange(self.rows), lengths)
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
