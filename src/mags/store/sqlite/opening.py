"""Opening: connections to a file that is known to be a memory of this schema."""

from __future__ import annotations

import importlib.resources
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from mags.errors import CorruptFile, NewerSchema, StoreError
from mags.store.sqlite.copies import LOG, keep_copy
from mags.store.sqlite.failures import damaged

APPLICATION_ID = int.from_bytes(b"MAGS")
PAGE_BYTES = 8192
CHECKED_BYTES = 32 << 20
"""Files up to this size are checked whole when opened; `SqliteStore.check` does it for any."""


class Patience:
    """Retries a busy file until `wait_s` have passed; Ctrl-C gets through meanwhile."""

    def __init__(self, wait_s: float) -> None:
        """For one connection."""
        self.wait_s = wait_s
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        """Whether to try again, after a nap."""
        now = time.monotonic()
        if tries == 0:
            self._deadline = now + self.wait_s
        if now >= self._deadline:
            return False
        time.sleep(min(0.001 * (tries + 1), 0.02, self._deadline - now))
        return True


def connect(path: Path, wait_s: float, flags: int) -> apsw.Connection:
    """A connection set up the way every one of ours is."""
    db = apsw.Connection(f"{path.absolute().as_uri()}", flags=flags | apsw.SQLITE_OPEN_URI)
    db.set_busy_handler(Patience(wait_s))
    db.pragma("foreign_keys", True)
    db.pragma("synchronous", "full")
    db.pragma("secure_delete", "fast")
    db.pragma("cache_size", -16_000)
    db.pragma("journal_size_limit", 16 << 20)
    return db


def open_writer(path: Path, wait_s: float) -> apsw.Connection:
    """Open for writing, create or migrate; the file is a sound memory afterwards."""
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent}: create it first", path=path)
    _check_place(path)
    db = connect(path, wait_s, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    whole = False
    try:
        if _is_empty(db):
            _create(db, wait_s)
        _check_identity(db, path)
        _migrate(db, path, wait_s)
        check(db, path, CHECKED_BYTES)
        whole = True
    finally:
        if not whole:
            db.close()
    return db


def open_reader(path: Path, wait_s: float) -> apsw.Connection:
    """Open for reading only; a file in a folder that cannot be written needs no other files."""
    _check_place(path)
    if not path.exists():
        raise StoreError(f"there is no memory at {path}: look at the path", path=path)
    try:
        db = connect(path, wait_s, apsw.SQLITE_OPEN_READONLY)
        db.pragma("schema_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        wal = Path(f"{path}-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        db = apsw.Connection(
            f"{path.absolute().as_uri()}?immutable=1",
            flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
        )
    return db


def check_reader(db: apsw.Connection, path: Path) -> None:
    """Raise where what was opened for reading only is not a sound memory of this schema."""
    if _is_empty(db):
        raise CorruptFile(f"{path} is empty: look at the path", path=path)
    _check_identity(db, path)
    if int(db.pragma("user_version")) < newest():
        raise StoreError(
            f"{path} was written by an older MAGS: open it once for writing to bring it up to date",
            path=path,
        )
    check(db, path, CHECKED_BYTES)


def check(db: apsw.Connection, path: Path, limit: int) -> None:
    """Raise CorruptFile where the structure of the file is broken; files over `limit` pass."""
    pages = int(db.pragma("page_count"))
    if pages * int(db.pragma("page_size")) <= limit:
        found = db.execute("PRAGMA quick_check(1)").get
        if found != "ok":
            raise damaged(path, str(found))


def truncate_log(db: apsw.Connection, wait_s: float) -> bool:
    """Move the write-ahead log into the file and empty it; whether all of it went within `wait_s`.

    In short tries: one that waits for a reader keeps writers out, and one that meets another
    checkpoint gives up at once.
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


def newest() -> int:
    """The schema version this MAGS writes."""
    return max(number for number, _ in _migrations())


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder: give the path of a file", path=path)


def _is_empty(db: apsw.Connection) -> bool:
    tables = db.execute("SELECT count(*) FROM sqlite_schema").get
    return tables == 0 and int(db.pragma("application_id")) in (0, APPLICATION_ID)


def _check_identity(db: apsw.Connection, path: Path) -> None:
    if int(db.pragma("application_id")) != APPLICATION_ID:
        raise CorruptFile(
            f"{path} is a database of another program, not a memory: give another path", path=path
        )
    found = int(db.pragma("user_version"))
    if found > newest():
        raise NewerSchema(
            f"{path} was written by a newer MAGS (schema {found}, this one knows {newest()}): "
            "upgrade MAGS",
            path=path,
            found=found,
            known=newest(),
        )


def _create(db: apsw.Connection, wait_s: float) -> None:
    db.pragma("page_size", PAGE_BYTES)
    patience = Patience(wait_s)
    tries = 0
    while True:
        try:
            db.pragma("journal_mode", "wal")
            break
        except apsw.BusyError:
            # SQLite does not wait here by itself when two processes create the same file.
            if not patience(tries):
                raise
            tries += 1
    db.execute("BEGIN IMMEDIATE")
    try:
        if _is_empty(db):
            db.pragma("application_id", APPLICATION_ID)
            _run_migrations(db)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _migrate(db: apsw.Connection, path: Path, wait_s: float) -> None:
    """Bring an older file up to date, and keep a copy of what it was."""
    if int(db.pragma("user_version")) == newest():
        return
    db.execute("BEGIN IMMEDIATE")
    copy = None
    try:
        found = int(db.pragma("user_version"))
        if found == newest():  # another process was faster
            return
        # A connection cannot copy what it is writing to; another sees the last commit.
        reader = connect(path, wait_s, apsw.SQLITE_OPEN_READONLY)
        try:
            copy = keep_copy(reader, path, found)
        finally:
            reader.close()
        _run_migrations(db)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
            if copy is not None:
                copy.unlink()
    LOG.warning(
        "%s was brought from schema %d to %d. What it was lies at %s, for older versions of MAGS; "
        "delete the copy once all is well: what you forget from now on stays in it.",
        path,
        found,
        newest(),
        copy,
    )


def _run_migrations(db: apsw.Connection) -> None:
    found = int(db.pragma("user_version"))
    for number, script in _migrations():
        if number > found:
            db.execute(script)
            db.pragma("user_version", number)


def _migrations() -> Iterator[tuple[int, str]]:
    """(version, SQL), ascending: schema/NNN_name.sql brings version NNN - 1 to NNN."""
    folder = importlib.resources.files("mags.store") / "schema"
    scripts = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    for script in scripts:
        yield int(script.name.split("_")[0]), script.read_text()
