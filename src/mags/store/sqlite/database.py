"""Database: the connections to one file, its writer's lock, and its cleaning."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from mags.errors import InvalidInput, StoreBusy, StoreClosed, StoreError, StoreFull
from mags.store.sqlite.copies import LOG, copies
from mags.store.sqlite.failures import inherited, moved, place_of, sqlite, stored
from mags.store.sqlite.opening import check_reader, open_reader, open_writer, truncate_log


class Database:
    """One writing connection behind a lock, and reading ones for whoever reads meanwhile.

    A thread that writes reads through the writing connection, so it sees what it wrote;
    everybody else borrows a reading connection and sees the last commit. Branches made by
    `fork` share a Database; the last one to close it closes the file.
    """

    def __init__(self, path: Path, *, wait_s: float, read_only: bool) -> None:
        """Open the file, finish a cleaning that was cut off; raises StoreError and its kinds."""
        self.path = path
        self.wait_s = wait_s
        self.read_only = read_only
        self._process = os.getpid()
        self._users = 1
        self._lock = threading.RLock()
        self._owner = 0
        self._depth = 0
        self._owed = 0
        self._erased = False
        self._held_up: StoreError | None = None
        self._guard = threading.Lock()
        self._readers: list[apsw.Connection] = []
        self._writer: apsw.Connection | None = None
        with stored(path, wait_s):
            if read_only:
                reader = open_reader(path, wait_s)
                self._readers.append(reader)
                check_reader(reader, path)
            else:
                self._writer = open_writer(path, wait_s)
                self._place = place_of(path)
                with suppress(StoreError):
                    self._clean(self._writer)

    def _translated(self) -> AbstractContextManager[None]:
        return sqlite(self.path, self.wait_s)

    # -- writing -----------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """The connection in a transaction; each level undoes its own writes where it fails."""
        self._check_process()
        db = self._writer
        if db is None:
            raise InvalidInput(f"{self.path} was opened read_only: open it for writing")
        if not self._lock.acquire(timeout=self.wait_s):
            raise StoreBusy(
                f"another thread has been writing to {self.path} for more than {self.wait_s:g} s",
                path=self.path,
                pid=os.getpid(),
                waited_s=self.wait_s,
            )
        try:
            with self._translated():
                if self._depth:
                    with self._savepoint(db):
                        yield db
                else:
                    with self._transaction(db):
                        yield db
                    if self._erased:
                        # The block is durable: what fails from here on is no failure of it.
                        self._erased = False
                        self._held_up = self._cleaned(db)
        finally:
            self._lock.release()

    @contextmanager
    def _transaction(self, db: apsw.Connection) -> Iterator[None]:
        done = False
        if place_of(self.path) != self._place:
            raise moved(self.path)
        db.execute("BEGIN IMMEDIATE")
        self._depth, self._owner = 1, threading.get_ident()
        try:
            self._pay(db)
            db.execute("SAVEPOINT block")
            yield
            _check_alive(db)
            db.execute("COMMIT")
            done = True
            self._owed = 0
        finally:
            self._depth = self._owner = 0
            if not done:
                self._erased = False
                self._undo(db)

    @contextmanager
    def _savepoint(self, db: apsw.Connection) -> Iterator[None]:
        _check_alive(db)
        level = f"level{self._depth}"
        done = False
        db.execute(f"SAVEPOINT {level}")
        self._depth += 1
        try:
            yield
            _check_alive(db)
            done = True
        finally:
            self._depth -= 1
            if db.in_transaction:
                if not done:
                    db.execute(f"ROLLBACK TO {level}")
                db.execute(f"RELEASE {level}")

    def reserve(self, db: apsw.Connection, count: int) -> int:
        """Take `count` ids out of the counter; they stay taken even where the block fails."""
        end = db.execute(
            "UPDATE counter SET value = value + ? WHERE name = 'next_id' RETURNING value", (count,)
        ).get
        self._owed = int(end)
        return self._owed - count

    def _pay(self, db: apsw.Connection) -> None:
        """Make sure that ids handed out in a block that failed are not handed out again."""
        if self._owed:
            db.execute(
                "UPDATE counter SET value = max(value, ?) WHERE name = 'next_id'", (self._owed,)
            )

    def _undo(self, db: apsw.Connection) -> None:
        # A full disk may have undone everything already; what is owed is then paid next time.
        with suppress(apsw.Error):
            if db.in_transaction and self._owed:
                db.execute("ROLLBACK TO block")
                self._pay(db)
                db.execute("COMMIT")
                self._owed = 0
        with suppress(apsw.Error):
            if db.in_transaction:
                db.execute("ROLLBACK")

    # -- cleaning ----------------------------------------------------------------

    def clean_afterwards(self, db: apsw.Connection) -> None:
        """Have free pages and the write-ahead log overwritten once this transaction ends."""
        db.execute("UPDATE counter SET value = 1 WHERE name = 'to_clean'")
        self._erased = True

    def check_cleaned(self) -> None:
        """Raise what held up the last cleaning; inside a block it is still to come."""
        if self._held_up is not None and self._owner != threading.get_ident():
            raise self._held_up

    def _cleaned(self, db: apsw.Connection) -> StoreError | None:
        try:
            self._clean(db)
        except StoreError as failure:
            return failure
        return None

    def _clean(self, db: apsw.Connection) -> None:
        if not db.execute("SELECT value FROM counter WHERE name = 'to_clean'").get:
            return
        try:
            # A page moved by the B-tree may leave a copy behind: only a new file is surely clean.
            db.execute("VACUUM")
            cleaned = truncate_log(db, self.wait_s)
        except apsw.BusyError:
            cleaned = False
        except apsw.Error as failure:
            kind = StoreFull if isinstance(failure, apsw.FullError) else StoreError
            raise kind(
                f"the words are erased, but their bytes may still be in the free pages of "
                f"{self.path}, which could not be cleaned ({failure}): make room on the disk and "
                "open the memory again",
                path=self.path,
                erased=True,
            ) from failure
        if not cleaned:
            raise StoreBusy(
                f"the words are erased, but another process still reads an older state of "
                f"{self.path}, so their bytes stay in its files until it has ended and the "
                "memory is opened again",
                path=self.path,
                erased=True,
            )
        db.execute("UPDATE counter SET value = 0 WHERE name = 'to_clean'")
        for copy in copies(self.path):
            LOG.warning("%s, made by a migration, still holds what was erased: delete it", copy)

    # -- reading -----------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection that sees one state for the length of the block."""
        self._check_process()
        with stored(self.path, self.wait_s):
            if self._writer is not None and self._owner == threading.get_ident():
                yield self._writer
                return
            db = self._borrow()
            try:
                db.execute("BEGIN")
                yield db
            finally:
                with suppress(apsw.Error):
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                self._give_back(db)

    def look(self, query: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of one SELECT, or None: `reading` for a single statement, which needs no
        transaction to see one state.
        """
        self._check_process()
        with stored(self.path, self.wait_s):
            if self._writer is not None and self._owner == threading.get_ident():
                return self._writer.execute(query, values).fetchone()
            db = self._borrow()
            try:
                return db.execute(query, values).fetchone()
            finally:
                self._give_back(db)

    def _borrow(self) -> apsw.Connection:
        with self._guard:
            if not self._users:
                raise StoreClosed(f"{self.path} was closed: open it again", path=self.path)
            if self._readers:
                return self._readers.pop()
        return open_reader(self.path, self.wait_s)

    def _give_back(self, db: apsw.Connection) -> None:
        with self._guard:
            if self._users:
                self._readers.append(db)
                return
        db.close()

    # -- life --------------------------------------------------------------------

    def share(self) -> Database:
        """This database, with one more user."""
        with self._guard:
            self._users += 1
        return self

    def release(self) -> None:
        """One user less; the last one closes the file."""
        if self._process != os.getpid():
            # To close what was inherited could unlock or fold what the parent works on.
            _LEFT_OPEN.append(self)
            return
        with self._guard:
            self._users -= 1
            if self._users:
                return
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()
        with self._lock:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise inherited(self.path, self._process)


_LEFT_OPEN: list[Database] = []
"""What a fork inherited and let go of: kept, so that nothing closes it before the process ends."""


def _check_alive(db: apsw.Connection) -> None:
    if not db.in_transaction:
        raise StoreError("an earlier failure undid this whole block: nothing of it was written")
