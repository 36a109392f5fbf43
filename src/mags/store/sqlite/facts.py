"""Facts about a memory in SQLite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.ports.store import Mark
from mags.store.sqlite.branch import Branch, read_forgotten, read_forks

SIZES = {
    "journal": "SELECT count(*) FROM journal",
    "journal_bytes": "SELECT ifnull(sum(length(delta)), 0) FROM journal",
    "contents": "SELECT count(*) FROM content",
    "content_bytes": "SELECT ifnull(sum(octet_length(text) + octet_length(meta)"
    " + ifnull(length(vector), 0)), 0) FROM content",
    "checkpoints": "SELECT count(*) FROM checkpoint",
    "checkpoint_bytes": "SELECT ifnull(sum(length(bytes)), 0) FROM part",
    "forgotten": "SELECT count(*) FROM forgotten",
    "to_clean": "SELECT value FROM counter WHERE name = 'to_clean'",
}


class SqliteFacts:
    """Small named values of one memory."""

    def __init__(self, branch: Branch) -> None:
        """Seen from that branch."""
        self._branch = branch

    def get(self, name: str) -> str | None:
        """The value, or None."""
        row = self._branch.database.look("SELECT value FROM fact WHERE name = ?", (name,))
        return None if row is None else str(row[0])

    def put(self, name: str, value: str) -> None:
        """Set it."""
        with self._branch.writing() as db:
            db.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, value))

    def branches(self) -> list[Mark]:
        """All branches with their fork points, oldest first."""
        with self._branch.reading() as db:
            return list(read_forks(db).values())

    def forgotten(self) -> NDArray[np.int64]:
        """Ids of all nodes ever erased, ascending."""
        with self._branch.reading() as db:
            return read_forgotten(db)

    def size(self) -> Mapping[str, int]:
        """Bytes and rows, by part."""
        path = self._branch.database.path
        files = [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]
        out = {"bytes": sum(file.stat().st_size for file in files if file.exists())}
        with self._branch.reading() as db:
            out.update({name: db.execute(sql).get for name, sql in SIZES.items()})
        return out
