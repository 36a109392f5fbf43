"""The connections to one SQLite file: how they open, and which errors their failures become."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from mags import errors
from mags.ports.pausing import span
from mags.store.damage import CHECKING, LOG, LOG_HEADER, SUM_BYTES, check_log
from mags.store.migrations import SUMMED, copies, migrate, newest, run_migrations, write_copy
from mags.store.sql import IMMUTABLE, SqlDatabase

APPLICATION_ID = int.from_bytes(b"MAGS")
PAGE_BYTES = 8192
TOKENS = (
    "CREATE TABLE IF NOT EXISTS tokens ("
    " content INTEGER PRIMARY KEY REFERENCES content ON DELETE CASCADE,"
    " bytes BLOB NOT NULL) STRICT"
)
"""No step of the schema: older versions open a file with this table, and erase from it, too."""
CHECKED_BYTES = 32 << 20
"""Files up to this size are checked whole when opened; `SqliteStore.check` does it for any."""
MARK_OPEN = "UPDATE file SET open = ?1 WHERE open <> ?1"
"""Says whether what was written last may be in the write-ahead log alone."""
LOOK_AGAIN = (0.02, 0.1, 0.3)
"""Seconds after which a file that seems damaged is looked at again: another process that opens or
closes it changes its log in several steps."""
WRITE_LOCK = 120
"""Byte of the -shm file that a writer locks (SQLite's file format, section 4.5)."""


class Connection(apsw.Connection):
    """A connection whose rows come as they are read."""

    def stream(
        self, query: str, values: Sequence[Any] = ()
    ) -> Generator[tuple[Any, ...], None, None]:
        """Rows of a SELECT, few at a time in memory."""
        yield from self.execute(query, values)


class Database(SqlDatabase):
    """One writing connection behind a lock, and a pool of reading connections.

    A thread that is writing reads through the writing connection, so it sees its own writes.
    All other threads borrow a reading connection and see the last commit. Branches made by
    `fork` share a Database; the last one to close it closes the file.
    """

    path: Path

    def __init__(self, path: Path, *, wait_s: float, read_only: bool) -> None:
        """Open the file and finish an interrupted cleaning; raises StoreError."""
        super().__init__(str(path), path, wait_s)
        # Where the ids of the open block end. A rollback would undo the counter, so `_pay` writes
        # it again.
        self._owed = 0
        self._erased = False
        self._held_up: errors.StoreError | None = None
        self._readers: list[Connection] = []
        self._looked: dict[apsw.Connection, tuple[int, dict[Any, tuple[Any, ...] | None]]] = {}
        """Of each reading connection the state of the file that it last saw, and what it read."""
        self._writer: Connection | None = None
        for pause in (*LOOK_AGAIN, None):
            try:
                self._open(read_only=read_only)
                break
            except errors.CorruptFile:
                if pause is None:
                    raise
                time.sleep(pause)

    def _open(self, *, read_only: bool) -> None:
        path, wait_s = self.path, self.wait_s
        with (
            translated(path, wait_s, own=True),
            _entered(path, wait_s, read_only=read_only) as (self._place, logged),
        ):
            if read_only:
                reader = open_reader(path, wait_s)
                self._readers = [reader]
                check_reader(reader, path, logged=logged)
            else:
                self._writer = open_writer(path, wait_s, logged=logged)
                # A cleaning that still fails must not keep the memory shut: the flag `to_clean`
                # stays set, and the next opening tries again.
                with suppress(errors.StoreError):
                    self._clean(self._writer)

    # -- writing -----------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The connection in a transaction; a nested block that fails undoes only its own writes."""
        self._check_process()
        db = self._writer
        if db is None:
            raise errors.InvalidInput(
                f"{self.path} was opened read_only: open it for writing", path=self.path
            )
        with self._turn(), translated(self.path, self.wait_s):
            if self._depth:
                with self._savepoint(db):
                    yield db
                return
            with self._transaction(db):
                yield db
            if self._erased:
                # The block is committed. A failure to clean is reported later, by
                # `erasing`, and is no failure of the block.
                self._erased, self._held_up = False, None
                try:
                    self._clean(db)
                except errors.StoreError as failure:
                    self._held_up = failure

    @contextmanager
    def _transaction(self, db: apsw.Connection) -> Iterator[None]:
        done = False
        # SQLite would go on writing to a file that no longer has a name, without an error.
        if place_of(self.path) != self._place:
            raise errors.StoreError(
                f"{self.path} was removed or replaced while it was open, so nothing was written: "
                "put it back, or close this memory and open it again",
                path=self.path,
            )
        db.execute("BEGIN IMMEDIATE")
        self._depth, self._owner = 1, threading.get_ident()
        try:
            # Before the savepoint: `_undo` rolls back to it and keeps what stands before.
            self._pay(db)
            db.execute(MARK_OPEN, (1,))
            first = db.changes() > 0
            db.execute("SAVEPOINT block")
            yield
            # On some errors, a full disk among them, SQLite ends the transaction by itself. If the
            # caller swallowed that error, COMMIT would seem to succeed with nothing written.
            _check_alive(db)
            with span("commit"):
                db.execute("COMMIT")
            done = True
            self._owed = 0
            if first:
                # So that the mark is in the main file: a copy of that alone is told by it. What was
                # written is durable by now, and a later checkpoint takes the mark along.
                with suppress(apsw.Error):
                    db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
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
            # Where SQLite has ended the transaction, its savepoints are gone with it.
            if db.in_transaction:
                if not done:
                    db.execute(f"ROLLBACK TO {level}")
                db.execute(f"RELEASE {level}")

    def reserve(self, count: int) -> int:
        """Take `count` ids from the counter; they stay taken even if the block fails."""
        with self.writing() as db:
            end = db.execute(
                "UPDATE counter SET value = value + ? WHERE name = 'next_id' RETURNING value",
                (count,),
            ).get
            self._owed = int(end)
            return self._owed - count

    def _pay(self, db: apsw.Connection) -> None:
        """Make sure that ids handed out in a failed block are not handed out again."""
        if self._owed:
            db.execute(
                "UPDATE counter SET value = max(value, ?) WHERE name = 'next_id'", (self._owed,)
            )

    def _undo(self, db: apsw.Connection) -> None:
        # A full disk may have undone everything already. The ids stay in `_owed`, and the next
        # transaction pays them.
        with suppress(apsw.Error):
            if db.in_transaction and self._owed:
                db.execute("ROLLBACK TO block")
                self._pay(db)
                db.execute("COMMIT")
                self._owed = 0
        with suppress(apsw.Error):
            if db.in_transaction:
                db.execute("ROLLBACK")

    @contextmanager
    def unique(self) -> Iterator[None]:
        """Raise InvalidInput where the block inserts a content that exists."""
        try:
            yield
        except apsw.ConstraintError as failure:
            raise errors.InvalidInput(IMMUTABLE) from failure

    # -- cleaning ----------------------------------------------------------------

    @contextmanager
    def erasing(self) -> Iterator[Connection]:
        """As `writing`; free pages and the write-ahead log are overwritten once that ends.

        Raises what stopped the cleaning; inside a block, it is still to come.
        """
        with self.writing() as db:
            yield db
            # In the file, not only here: a process that dies before leaves the order behind.
            db.execute("UPDATE counter SET value = 1 WHERE name = 'to_clean'")
            self._erased = True
        if self._held_up is not None and self._owner != threading.get_ident():
            raise self._held_up

    def _clean(self, db: apsw.Connection) -> None:
        if not db.execute("SELECT value FROM counter WHERE name = 'to_clean'").get:
            return
        try:
            # The B-tree may leave a copy behind when it moves a page, so free pages alone are not
            # enough: only a file written anew is surely clean.
            db.execute("VACUUM")
            cleaned = truncate_log(db, self.wait_s)
        except apsw.BusyError:
            cleaned = False
        except apsw.Error as failure:
            kind = errors.StoreFull if isinstance(failure, apsw.FullError) else errors.StoreError
            raise kind(
                f"the words are erased, but their bytes may still be in the free pages of "
                f"{self.path}, which could not be cleaned ({failure}): make room on the disk and "
                "open the memory again",
                path=self.path,
                erased=True,
            ) from failure
        if not cleaned:
            raise errors.StoreBusy(
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
    def reading(self, *, one: bool = False) -> Iterator[Connection]:
        """A connection that sees one state for the length of the block; `one`: of one statement."""
        with self._connection() as db:
            # This thread's own transaction is one state already, and must see its own writes.
            if one or db is self._writer:
                yield db
                return
            try:
                db.execute("BEGIN")
                yield db
            finally:
                with suppress(apsw.Error):
                    if db.in_transaction:
                        db.execute("ROLLBACK")

    def look(self, query: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of one SELECT, or None; it is read once for each state of the file.

        A single statement sees one state by itself, so it needs no transaction as in `reading`.
        """
        with self._connection() as db:
            if db is self._writer:
                return db.execute(query, values).fetchone()
            # SQLite changes the number for a connection when another one has committed. Whether a
            # memory is up to date is asked at each recall, and the number takes half the time.
            version = db.execute("PRAGMA data_version").get
            held = self._looked.get(db)
            if held is None or held[0] != version:
                held = self._looked[db] = version, {}
            rows = held[1]
            if (query, values) not in rows:
                rows[query, values] = db.execute(query, values).fetchone()
            return rows[query, values]

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """The writing connection for the thread that is writing, else one from the pool."""
        self._check_process()
        with translated(self.path, self.wait_s, own=True):
            if self._writer is not None and self._owner == threading.get_ident():
                yield self._writer
                return
            db = self._borrow()
            try:
                yield db
            finally:
                self._give_back(db)

    def _borrow(self) -> Connection:
        with self._guard:
            if not self._users:
                raise errors.StoreClosed(f"{self.path} was closed: open it again", path=self.path)
            if self._readers:
                return self._readers.pop()
        # Opened outside the guard: the disk may be slow, and others only want to give one back.
        return open_reader(self.path, self.wait_s)

    def _give_back(self, db: Connection) -> None:
        with self._guard:
            if self._users:
                self._readers.append(db)
                return
        # The last user has closed the file meanwhile, and with it the pool.
        db.close()

    def bytes(self, _sizes: object) -> int:
        """Of all files."""
        return sum(_size(Path(f"{self.path}{end}")) for end in ("", "-wal", "-shm"))

    # -- life --------------------------------------------------------------------

    def release(self) -> None:
        """Remove one user; the last one closes the file."""
        if self._process != os.getpid():
            # Closing an inherited connection could release the parent's locks, or move its
            # write-ahead log into the file.
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
                _close(self._writer)
                self._writer = None
        _left(self._place)


_OPEN: Counter[tuple[int, int] | None] = Counter()
"""How often this process has a file open, by its place."""
_OPENING = threading.Lock()


@contextmanager
def _entered(
    path: Path, wait_s: float, *, read_only: bool
) -> Iterator[tuple[tuple[int, int] | None, bool]]:
    """Make a missing file, look at the log of one that nobody has open here, and count it as open.

    Yields the file's place, and whether there was a log with something in it. A block that fails
    takes the count back.
    """
    if path.is_dir():
        raise errors.StoreError(f"{path} is a folder: give the path of a file", path=path)
    if not read_only and not path.exists():
        make(path, wait_s)
    place = place_of(path)
    with _OPENING:
        if place is not None and not _OPEN[place]:
            if not path.stat().st_size:
                raise errors.CorruptFile(
                    f"{path} is empty, which no memory ever is: restore a backup of it, or delete "
                    "it to begin anew",
                    path=path,
                )
            check_log(path)
        _OPEN[place] += 1
    log = Path(f"{path}-wal")
    with ExitStack() as undo:
        undo.callback(_left, place)
        yield place, _size(log) > LOG_HEADER.size
        undo.pop_all()


def _size(path: Path) -> int:
    """Bytes of a file, 0 where there is none: a log goes when another thread closes the memory."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _left(place: tuple[int, int] | None) -> None:
    with _OPENING:
        _OPEN[place] -= 1
        if not _OPEN[place]:
            del _OPEN[place]


def _close(db: apsw.Connection) -> None:
    """Close the writing connection; the last one to do so empties the log and removes it."""
    # Where the mark cannot be taken back, the log stays: it holds what the file does not.
    with suppress(apsw.Error):
        db.execute(MARK_OPEN, (0,))
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    db.close()


_LEFT_OPEN: list[Database] = []
"""What a forked process inherited and released: kept, so that the garbage collector closes
nothing before the process ends."""


def _check_alive(db: apsw.Connection) -> None:
    if not db.in_transaction:
        raise errors.StoreError(
            "an earlier failure undid this whole block: nothing of it was written"
        )


class Patience:
    """A busy handler that retries for `wait_s` seconds, in short sleeps that Ctrl-C interrupts."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = wait_s
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        """Sleep briefly and return True to try again; return False once the time is up."""
        now = time.monotonic()
        # SQLite counts the tries of each wait from 0, so this is a new wait.
        if tries == 0:
            self._deadline = now + self.wait_s
        if now >= self._deadline:
            return False
        time.sleep(min(0.001 * (tries + 1), 0.02, self._deadline - now))
        return True


def connect(path: Path, wait_s: float, flags: int, first: str = "") -> Connection:
    """Open a connection with the settings that all connections share; `first` runs before them."""
    db = Connection(f"{path.absolute().as_uri()}", flags=flags | apsw.SQLITE_OPEN_URI)
    db.execute(first)
    db.set_busy_handler(Patience(wait_s))
    # Off by default in SQLite, and a setting of each connection.
    db.pragma("foreign_keys", True)
    # In write-ahead mode, NORMAL could lose the last commits in a power cut; FULL syncs each one.
    db.pragma("synchronous", "full")
    # "fast" overwrites deleted content only where that costs no extra writing; `Database._clean`
    # does the rest after an erasure.
    db.pragma("secure_delete", "fast")
    db.pragma("cache_size", -16_000)
    db.pragma("journal_size_limit", 16 << 20)
    # A process that ends without closing, or with a log that it refused, must leave the log.
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    return db


def open_writer(path: Path, wait_s: float, *, logged: bool) -> Connection:
    """Open for writing; migrate the file if needed. It is a sound memory afterwards.

    `logged`: there was a write-ahead log with something in it.
    """
    db = connect(path, wait_s, apsw.SQLITE_OPEN_READWRITE)
    with ExitStack() as undo:
        undo.callback(db.close)
        # An empty log can go; one that holds something is left as it was found.
        undo.callback(db.config, apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(logged))
        _check_identity(db, path)
        migrate(db, path, lambda: connect(path, wait_s, apsw.SQLITE_OPEN_READONLY))
        _check_marks(db, path, logged=logged)
        if db.pragma("journal_mode") != "wal":  # a process was killed in `_add_sums`
            _set_mode(db, "wal", wait_s)
        if CHECKING and db.reserve_bytes() != SUM_BYTES:
            _add_sums(db, wait_s)
        if not has_tokens(db):
            db.execute(TOKENS)
        _check_pages(db, path)
        undo.pop_all()
    return db


def _check_marks(db: apsw.Connection, path: Path, *, logged: bool) -> None:
    """Raise CorruptFile where sums were lost, or a file was copied without its log while it was
    open; StoreError where sums cannot be kept here.
    """
    sums = is_open = 0
    if int(db.pragma("user_version")) >= SUMMED:
        sums, is_open = db.execute("SELECT sums, open FROM file").get
    reserved = db.reserve_bytes() == SUM_BYTES
    if sums and not reserved:
        raise damaged(path, "its header denies the checksums that its pages carry")
    if reserved and not CHECKING:
        raise errors.StoreError(
            f"the pages of {path} carry checksums, and this apsw has no cksumvfs to keep them: "
            "install apsw's wheel from PyPI",
            path=path,
        )
    # A cleaning empties the log, and says so before.
    if logged or not is_open:
        return
    if not db.execute("SELECT value FROM counter WHERE name = 'to_clean'").get:
        raise errors.CorruptFile(
            f"{path} was copied while it was open, without its write-ahead log ({path.name}-wal), "
            "so what was written last is not in it: copy it by `mags backup`, restore a backup, "
            f"or go on with what is left by `mags verify --go-on {path}`",
            path=path,
        )


def copy_memory(path: Path, place: Path, wait_s: float = 5.0) -> None:
    """Copy a memory as it is now to a new file, while it is open and written; of any schema.

    The copy is one file, without a log, 0600. Raises StoreError where `place` is taken.
    """
    if place.exists():
        raise errors.StoreError(f"{place} is there already: give another path", path=place)
    if not place.parent.is_dir():
        raise errors.StoreError(f"there is no folder {place.parent}: create it first", path=place)
    with (
        translated(path, wait_s, own=True),
        _entered(path, wait_s, read_only=True) as (held, logged),
    ):
        db = open_reader(path, wait_s)
        try:
            _check_identity(db, path)
            _check_marks(db, path, logged=logged)
            write_copy(db, place, place.with_name(f"{place.name}.part"))
        finally:
            db.close()
    _left(held)


def leave_alone(path: Path) -> None:
    """Remove the empty log that reading has left beside a closed memory, which readers cannot."""
    with suppress(apsw.Error):  # no right to write: then there is none
        db = connect(path, 0.0, apsw.SQLITE_OPEN_READWRITE)
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        db.close()


def go_on(path: Path, wait_s: float = 5.0) -> None:
    """Make the best of a damaged file, so that it can be opened: what is damaged is lost for good.

    Takes pages as they are, keeps no checkpoint (the journal has all of it), and forgets what the
    log cannot tell.
    """
    with translated(path, wait_s, own=True):
        db = connect(path, wait_s, apsw.SQLITE_OPEN_READWRITE, "PRAGMA checksum_verification = 0")
        try:
            _check_identity(db, path)
            db.execute("DELETE FROM checkpoint")
            db.execute("VACUUM")
        finally:
            _close(db)


def _add_sums(db: apsw.Connection, wait_s: float) -> None:
    """Write every page anew, with a checksum; raises BusyError while others have the file open."""
    # In this mode alone: an older version that had the file open would write pages without.
    _set_mode(db, "delete", wait_s)
    # Pages that leave the cache before the first one is written would have no sum.
    db.pragma("cache_spill", False)
    db.reserve_bytes("main", SUM_BYTES)
    db.execute("VACUUM")
    db.execute("UPDATE file SET sums = 1")
    db.pragma("cache_spill", True)
    _set_mode(db, "wal", wait_s)


def has_tokens(db: apsw.Connection) -> bool:
    """Whether the file has the table of tokens, which an older one that is only read lacks."""
    return bool(db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'tokens'").get)


def open_reader(path: Path, wait_s: float) -> Connection:
    """Open for reading only. A file in a folder that cannot be written to can be read, too."""
    if not path.exists():
        raise errors.StoreError(f"there is no memory at {path}: look at the path", path=path)
    try:
        db = connect(path, wait_s, apsw.SQLITE_OPEN_READONLY)
        # SQLite opens lazily: the first read is what fails.
        db.pragma("schema_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # Write-ahead mode needs a -shm file, which cannot be made in a read-only folder.
        # "immutable" reads without one, but ignores the log, so the log must be empty.
        if _size(Path(f"{path}-wal")):
            raise
        db = Connection(
            f"{path.absolute().as_uri()}?immutable=1",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    if not has_tokens(db):
        db.execute("CREATE TEMP TABLE tokens (content, bytes)")  # of this connection alone
    return db


def check_reader(db: apsw.Connection, path: Path, *, logged: bool) -> None:
    """Raise StoreError if a file opened for reading only is not a sound memory of this schema."""
    _check_identity(db, path)
    if int(db.pragma("user_version")) < newest():
        raise errors.StoreError(
            f"{path} was written by an older MAGS: open it once for writing to bring it up to date",
            path=path,
        )
    _check_marks(db, path, logged=logged)
    _check_pages(db, path)


def _check_pages(db: apsw.Connection, path: Path) -> None:
    """Raise CorruptFile if the structure of a file is broken; files over CHECKED_BYTES pass."""
    if int(db.pragma("page_count")) * int(db.pragma("page_size")) <= CHECKED_BYTES:
        found = db.execute("PRAGMA quick_check(1)").get
        if found != "ok":
            raise damaged(path, str(found))
        # The whole file lies in the cache now, for as long as it is open: most of what a small
        # memory would take in RAM.
        db.execute("PRAGMA shrink_memory")


def truncate_log(db: apsw.Connection, wait_s: float) -> bool:
    """Move the write-ahead log into the file and empty it; return whether that was finished.

    Tries for `wait_s` seconds, in short tries: while a try waits for a reader it keeps writers
    out, and a try that meets another checkpoint gives up at once.
    """
    patience = Patience(wait_s)
    db.set_busy_handler(Patience(min(wait_s, 0.1)))
    tries = 0
    try:
        while True:
            held_up, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            if not held_up or not patience(tries):
                return not held_up
            tries += 1
    finally:
        db.set_busy_handler(patience)


def _check_identity(db: apsw.Connection, path: Path) -> None:
    program = int(db.pragma("application_id"))
    # A database without tables may still belong to another program, which its id then says.
    tables = db.execute("SELECT count(*) FROM sqlite_schema").get
    if tables == 0 and program in (0, APPLICATION_ID):
        raise errors.CorruptFile(
            f"{path} holds nothing: it was copied without its write-ahead log, or making it was "
            "interrupted; restore a backup of it, or delete it to begin anew",
            path=path,
        )
    if program != APPLICATION_ID:
        raise errors.CorruptFile(
            f"{path} is a database of another program, not a memory: give another path", path=path
        )
    found = int(db.pragma("user_version"))
    if found > newest():
        raise errors.NewerSchema(
            f"{path} was written by a newer MAGS (schema {found}, this one knows {newest()}): "
            "upgrade MAGS",
            path=path,
            found=found,
            known=newest(),
        )


def make(path: Path, wait_s: float) -> None:
    """Make an empty memory; where another process is faster, its memory is taken."""
    if not path.parent.is_dir():
        raise errors.StoreError(f"there is no folder {path.parent}: create it first", path=path)
    # Under a name of its own until it is whole: nobody ever finds half of one, killed or not.
    file, name = tempfile.mkstemp(prefix=f"{path.name}.new-", dir=path.parent)
    os.close(file)
    place = Path(name)
    try:
        db = connect(place, wait_s, apsw.SQLITE_OPEN_READWRITE)
        try:
            # First of all: in write-ahead mode the page size can no longer be changed.
            db.pragma("page_size", PAGE_BYTES)
            if CHECKING:
                db.reserve_bytes("main", SUM_BYTES)
            with db:
                db.pragma("application_id", APPLICATION_ID)
                run_migrations(db)
                db.execute("UPDATE file SET sums = ?", (int(CHECKING),))
            db.pragma("journal_mode", "wal")
        finally:
            _close(db)
        try:
            os.link(place, path)
        except FileExistsError:
            pass  # of another process, which was faster
        except OSError:  # a file system without links
            os.rename(place, path)
    finally:
        place.unlink(missing_ok=True)


def _set_mode(db: apsw.Connection, mode: str, wait_s: float) -> None:
    """Set the journal's mode; SQLite does not call the busy handler for that."""
    patience = Patience(wait_s)
    tries = 0
    while True:
        try:
            db.pragma("journal_mode", mode)
            return
        except apsw.BusyError:
            if not patience(tries):
                raise
            tries += 1


def translated(path: Path, wait_s: float, *, own: bool = False) -> AbstractContextManager[None]:
    """Turn what SQLite raises inside the block into the errors of MAGS.

    `own`: the block runs no code of a caller, so an OSError or a wrong encoding comes from the
    file and is translated as well.
    """

    def translate(failure: Exception) -> errors.MagsError | None:
        if own and isinstance(failure, UnicodeDecodeError):
            return damaged(path, f"its words are not UTF-8: {failure}")
        if own and isinstance(failure, OSError | UnicodeEncodeError):
            why = failure.strerror if isinstance(failure, OSError) else failure.reason
            what = "give another path"
            if isinstance(failure, PermissionError):
                what = "look at the rights of the file and its folder, or open it read_only"
            return errors.StoreError(f"{path} cannot be opened ({why}): {what}", path=path)
        return _translate(failure, path, wait_s) if isinstance(failure, apsw.Error) else None

    return errors.boundary("sqlite", translate)


def _translate(failure: apsw.Error, path: Path, wait_s: float) -> errors.MagsError | None:
    if isinstance(failure, apsw.BusyError | apsw.LockedError):
        return _busy(path, wait_s)
    if isinstance(failure, apsw.FullError):
        return errors.StoreFull(
            f"no room left for {path}: free some space and try again; nothing was written",
            path=path,
        )
    if isinstance(failure, apsw.NotADBError):
        return errors.CorruptFile(
            f"{path} is not a memory: give another path, or restore a copy of it", path=path
        )
    if isinstance(failure, apsw.CorruptError):
        return damaged(path, str(failure))
    if getattr(failure, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
        return damaged(path, "the checksum of a page differs")
    if isinstance(failure, apsw.ConnectionClosedError):
        return errors.StoreClosed("this memory was closed: open it again", path=path)
    if isinstance(failure, apsw.CantOpenError | apsw.PermissionsError | apsw.ReadOnlyError):
        return errors.StoreError(
            f"{path} cannot be opened or written ({failure}): look at the rights of the file "
            "and its folder, or open it read_only",
            path=path,
        )
    if isinstance(failure, apsw.IOError | apsw.ProtocolError | apsw.NoMemError):
        return errors.StoreError(
            f"reading or writing {path} failed ({failure}): look at the disk; nothing was written",
            path=path,
        )
    return None


def damaged(path: Path, what: str) -> errors.CorruptFile:
    """The error for a file that is truncated or damaged."""
    return errors.CorruptFile(
        f"{path} is damaged or truncated ({what}): keep it, restore a copy, or export what is "
        "still readable",
        path=path,
    )


def place_of(path: Path) -> tuple[int, int] | None:
    """Which file a path names: device and inode, None where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _busy(path: Path, wait_s: float) -> errors.StoreBusy:
    """The error for a lock that was not released; names the holder if the system tells it."""
    pid = next(_holders(path), None)
    who = f"process {pid}" if pid else "another process"
    advice = ": wait for it or end it"
    if pid == os.getpid():
        who, advice = "another thread", ""
    return errors.StoreBusy(
        f"{who} has been writing to {path} for more than {wait_s:g} s{advice}",
        path=path,
        pid=pid,
        waited_s=wait_s,
    )


def _holders(path: Path) -> Iterator[int]:
    """The processes that lock the writer's byte, read from /proc/locks (Linux only).

    The file is not opened to find out: POSIX releases all locks of a process on a file when the
    process closes any descriptor of it.
    """
    try:
        about = os.stat(f"{path}-shm")
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return
    place = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    for line in lines:
        # 7: POSIX ADVISORY WRITE 4321 fe:00:131079 120 120; a waiter's line has "->" in it.
        words = line.split()
        if "->" in words or len(words) < 8 or words[3] != "WRITE" or words[5] != place:
            continue
        last = WRITE_LOCK if words[7] == "EOF" else int(words[7])
        if int(words[6]) <= WRITE_LOCK <= last:
            yield int(words[4])
