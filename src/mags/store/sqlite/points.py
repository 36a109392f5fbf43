"""Checkpoints and snapshots in SQLite."""

from __future__ import annotations

from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile, NotFound
from mags.ports.store import Checkpoint, Mark
from mags.store.lineage import check_name
from mags.store.rows import blank_arrays, check_checkpoint, checksum, describe, fill, parts
from mags.store.sqlite.branch import Branch, Piece, read_forgotten, read_marks
from mags.store.sqlite.journal import check_point, read_head


class SqlitePoints:
    """Checkpoints and snapshots of one branch."""

    def __init__(self, branch: Branch) -> None:
        """Of that branch."""
        self._branch = branch

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint of this branch."""
        arrays = describe(checkpoint.arrays)
        own = self._branch.id
        with self._branch.writing() as db:
            head = read_head(db, self._branch)
            check_checkpoint(checkpoint, self._branch.name, head, read_forgotten(db))
            db.execute(
                "INSERT INTO checkpoint VALUES (?, ?, ?, ?) ON CONFLICT (branch) DO UPDATE "
                "SET seq = excluded.seq, tick = excluded.tick, arrays = excluded.arrays",
                (own, checkpoint.seq, checkpoint.tick, arrays),
            )
            for number, array in enumerate(checkpoint.arrays.values()):
                _replace(db, own, number, array)
            db.execute(
                "DELETE FROM part WHERE branch = ? AND array >= ?", (own, len(checkpoint.arrays))
            )

    def load(self) -> Checkpoint | None:
        """The newest usable checkpoint, or None."""
        with self._branch.reading() as db:
            for piece in reversed(self._branch.pieces):
                row = db.execute(
                    "SELECT seq, tick, arrays FROM checkpoint WHERE branch = ? AND seq <= ?",
                    (piece.branch, piece.segment.upto),
                ).fetchone()
                if row is not None:
                    seq, tick, description = row
                    arrays = blank_arrays(description)
                    _fill_all(db, piece, list(arrays.values()))
                    return Checkpoint(
                        seq=seq, branch=piece.segment.branch, tick=tick, arrays=arrays
                    )
        return None

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        """Name a point of this branch."""
        check_name(name, "a snapshot")
        with self._branch.writing() as db:
            check_point(db, self._branch, seq)
            db.execute(
                "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?)",
                (self._branch.id, name, seq, recorded_at),
            )
        return Mark(name=name, branch=self._branch.name, seq=seq, recorded_at=recorded_at)

    def marks(self) -> list[Mark]:
        """Snapshots of this branch and its ancestors, oldest first."""
        upto = {piece.segment.branch: piece.segment.upto for piece in self._branch.pieces}
        with self._branch.reading() as db:
            found = [mark for mark in read_marks(db) if mark.seq <= upto.get(mark.branch, -1)]
        return sorted(found, key=lambda mark: (mark.seq, mark.recorded_at, mark.name))

    def unmark(self, name: str) -> None:
        """Forget the name of a snapshot of this branch."""
        with self._branch.writing() as db:
            db.execute("DELETE FROM mark WHERE branch = ? AND name = ?", (self._branch.id, name))
            if not db.changes():
                raise NotFound(f"no snapshot {name!r} on branch {self._branch.name!r}", name=name)


def _replace(db: apsw.Connection, branch: int, number: int, array: NDArray[Any]) -> None:
    """Make the parts of one array of a checkpoint those of `array`, writing what is not the same.

    Vectors seldom change, and are most of it.
    """
    held: list[Any] = db.execute(
        "SELECT id, checksum FROM part WHERE branch = ? AND array = ? ORDER BY id", (branch, number)
    ).fetchall()
    count = 0
    for part in parts(array):
        known = held[count] if count < len(held) else None
        count += 1
        total = checksum(part)
        if known is None:
            db.execute(
                "INSERT INTO part (branch, array, checksum, bytes) VALUES (?, ?, ?, ?)",
                (branch, number, total, part),
            )
        elif known[1] != total or not _same(db, known[0], part):
            db.execute(
                "UPDATE part SET checksum = ?, bytes = ? WHERE id = ?", (total, part, known[0])
            )
    db.executemany("DELETE FROM part WHERE id = ?", [(id_,) for id_, _ in held[count:]])


def _same(db: apsw.Connection, part_id: int, part: memoryview) -> bool:
    """Whether a part is kept already, byte for byte (its checksum would pass over a swap)."""
    held = np.frombuffer(
        db.execute("SELECT bytes FROM part WHERE id = ?", (part_id,)).get, np.uint8
    )
    return np.array_equal(held, np.frombuffer(part, np.uint8))


def _fill_all(db: apsw.Connection, piece: Piece, arrays: list[NDArray[np.void]]) -> None:
    ends = [0] * len(arrays)
    rows = db.execute(
        "SELECT array, checksum, bytes FROM part WHERE branch = ? ORDER BY id", (piece.branch,)
    )
    for number, expected, part in rows:
        ends[number] = fill(arrays[number], ends[number], part, expected)
    if any(end != array.nbytes for end, array in zip(ends, arrays, strict=True)):
        raise CorruptFile("a checkpoint lacks a part; it can be rebuilt from the journal")
