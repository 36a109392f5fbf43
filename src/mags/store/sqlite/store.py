"""SqliteStore: one branch of a memory in a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mags.errors import InvalidInput
from mags.graph.codec import decode
from mags.store.lineage import FIRST, check_name
from mags.store.sqlite.branch import Branch, read_forks
from mags.store.sqlite.contents import SqliteContents
from mags.store.sqlite.database import Database
from mags.store.sqlite.facts import SqliteFacts
from mags.store.sqlite.failures import damaged
from mags.store.sqlite.journal import SqliteJournal, read_head
from mags.store.sqlite.points import SqlitePoints


class SqliteStore:
    """The durable store: what a writing method returned survives a kill and a power cut.

    One file, in write-ahead mode, synced at each commit. Any thread may use it: writes take
    turns, reads run beside them on connections of their own. A fork of the process has to open
    it anew: what it inherits raises StoreError.
    """

    def __init__(self, branch: Branch) -> None:
        """Of an open branch; `open` is the way in."""
        self._branch = branch
        self.journal = SqliteJournal(branch)
        self.contents = SqliteContents(branch)
        self.points = SqlitePoints(branch)
        self.facts = SqliteFacts(branch)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        branch: str = FIRST,
        wait_s: float = 5.0,
        read_only: bool = False,
    ) -> SqliteStore:
        """Open a memory; a missing file is made, unless `read_only`.

        `wait_s`: how long to wait for another writer before StoreBusy. Raises StoreError
        (no folder, no right), CorruptFile (foreign, truncated, damaged), NewerSchema,
        NotFound (no such branch), InvalidInput (no such time to wait).
        """
        if not (isinstance(wait_s, int | float) and 0 <= wait_s <= threading.TIMEOUT_MAX):
            raise InvalidInput(f"wait_s is how many seconds to wait, 0 or more, not {wait_s!r}")
        database = Database(Path(path), wait_s=wait_s, read_only=read_only)
        opened = False
        try:
            store = cls(Branch(database, branch))
            opened = True
        finally:
            if not opened:
                database.release()
        return store

    @property
    def branch(self) -> str:
        """Name of this branch."""
        return self._branch.name

    @property
    def path(self) -> Path:
        """The file."""
        return self._branch.database.path

    def fork(self, name: str, recorded_at: float = 0.0) -> SqliteStore:
        """A store on a new branch that begins at this branch's head."""
        check_name(name, "a branch")
        with self._branch.writing() as db:
            if name in read_forks(db):
                raise InvalidInput(f"there is a branch {name!r} already: choose another name")
            db.execute(
                "INSERT INTO branch (name, parent, after, recorded_at) VALUES (?, ?, ?, ?)",
                (name, self._branch.id, read_head(db, self._branch), recorded_at),
            )
            return SqliteStore(Branch(self._branch.database.share(), name))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock for one transaction of many writes."""
        with self._branch.writing():
            yield

    def check(self) -> None:
        """Read and verify the whole file, every entry and checkpoint; raises CorruptFile."""
        with self._branch.reading() as db:
            found = db.execute("PRAGMA integrity_check(1)").get
            if found != "ok":
                raise damaged(self.path, str(found))
            broken = db.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise damaged(self.path, f"a row of {broken[0]} refers to nothing")
            for (data,) in db.execute("SELECT delta FROM journal"):
                decode(data)
        self.points.load()

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
        self._branch.close()
