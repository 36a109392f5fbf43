"""PostgresStore: memories in one PostgreSQL database, for several processes and machines.

Needs the extra `postgres`. The tables are made by their owner (`prepare`). What works with them
connects as a role that owns nothing, and row-level security shows it its tenant alone.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import threading
import time
import weakref
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import pq, sql
from psycopg.adapt import Dumper, Loader
from psycopg.types.string import (
    StrBinaryDumper,
    StrDumper,
    StrDumperUnknown,
    TextBinaryLoader,
    TextLoader,
)
from psycopg_pool import ConnectionPool, PoolTimeout

from mags import errors
from mags.ports.pausing import span
from mags.store.lineage import FIRST
from mags.store.migrations import newest, scripts
from mags.store.sql import IMMUTABLE, SqlDatabase, Vector
from mags.store.sqlite import SqlStore, sealed_by

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

ROLE = "mags"
SCHEMA = "postgres"
"""The folder of its migrations, beside SQLite's."""
MOST = 8
"""Connections of one process that are at work at a time."""
PAUSED_S = 60
"""A writer that says nothing for so long within a transaction loses it, and with it its lock."""
LOCK = int.from_bytes(b"MAGS") << 32
"""Added to the number of a memory: its advisory lock, which no other program should take."""
CHANNEL = "mags"
STREAMED = 200
"""Rows that a stream holds at a time."""
LISTENS_S = 0.5
"""How often a listener asks for a sign of life, and looks whether it shall end."""
DEAF_S = 2.0
"""Without a sign of life for so long, readers ask."""
COMPARED = 400
"""Of how many of the nearest contents `nearest` takes the memories."""
NEAREST = (
    "SELECT name FROM (SELECT memory.name, content.vector::halfvec({n}) <=> ? AS far"
    " FROM mags.content JOIN mags.memory"
    " ON (memory.tenant, memory.id) = (content.tenant, content.memory)"
    " WHERE memory.tenant = ? AND memory.embedder = ? AND vector_dims(content.vector) = {n}"
    " AND (memory.name = ANY(?) OR memory.name ^@ ANY(?))"
    " ORDER BY far LIMIT {compared}) AS near GROUP BY name ORDER BY min(far), name LIMIT ?"
)
PREPARE = "have their owner run `mags prepare URL`"
MADE = "CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS"
GRANTS = (
    "GRANT USAGE ON SCHEMA mags, mags_memory TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA mags, mags_memory TO {role}",
    "REVOKE INSERT, UPDATE, DELETE ON mags.version FROM {role}",
)

# -- the dialect -------------------------------------------------------------------


@cache
def translated(query: str, *, sealed: bool = False) -> str:
    """A statement that was written for SQLite; `sealed`: for an encrypted memory."""
    if sealed:  # its vectors are bytes
        query = re.sub(r"\b(FROM|INTO|UPDATE) content\b", r"\1 sealed_content", query)
    query = re.sub(r"\barray\b", '"array"', query.replace("ifnull(", "coalesce("))
    query = query.replace(
        "SELECT value FROM json_each(?)",
        "SELECT value::bigint FROM json_array_elements_text(?::json)",
    )
    return query.replace("?", "%s")


# PostgreSQL's texts cannot hold NUL. It stands in them as U+001A and a 0, and U+001A, which nobody
# types, as U+001A and a 1.
ESCAPED = {"\x1a": "\x1a1", "\x00": "\x1a0"}
_hard = re.compile("[\x00\x1a]")


def escaped(text: str) -> str:
    """A text as it is stored."""
    return _hard.sub(lambda found: ESCAPED[found[0]], text) if _hard.search(text) else text


def unescaped(text: str) -> str:
    """The reverse of `escaped`."""
    return text.replace("\x1a0", "\x00").replace("\x1a1", "\x1a") if "\x1a" in text else text


def _dumper(base: Any) -> Any:  # noqa: ANN401 - psycopg's classes
    return type(base.__name__, (base,), {"dump": lambda self, text: base.dump(self, escaped(text))})


def _loader(base: Any) -> Any:  # noqa: ANN401 - psycopg's classes
    return type(
        base.__name__, (base,), {"load": lambda self, data: unescaped(base.load(self, data))}
    )


DUMPERS = [_dumper(base) for base in (StrBinaryDumper, StrDumper, StrDumperUnknown)]
LOADERS = [_loader(base) for base in (TextLoader, TextBinaryLoader)]


class _HalfDumper(Dumper):
    """A vector as pgvector's `halfvec`, of which the lower end comes last."""

    format = pq.Format.BINARY

    def dump(self, obj: Vector) -> bytes:
        """Its bytes on the line."""
        return (len(obj) // 2).to_bytes(2) + b"\0\0" + _swapped(obj)


class _HalfLoader(Loader):
    """The reverse."""

    format = pq.Format.BINARY

    def load(self, data: Any) -> Vector:  # noqa: ANN401 - psycopg's buffer
        """The vector as MAGS stores it."""
        return Vector(_swapped(bytes(data)[4:]))


def _swapped(halves: bytes) -> bytes:
    return np.frombuffer(halves, np.uint16).byteswap().tobytes()


class Cursor(psycopg.Cursor[tuple[Any, ...]]):
    """A cursor that can be asked as SQLite's is."""

    @property
    def get(self) -> Any:  # noqa: ANN401 - of any column
        """The first row, its value alone where it has one column; None where there is none."""
        row = self.fetchone()
        return row[0] if row is not None and len(row) == 1 else row


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that speaks the dialect of `mags.store.sql`. `words` takes PostgreSQL's own."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.cursor_factory = Cursor
        self.memory: int | None = None
        """The one that the session has set."""
        self.of: Database | None = None
        """The one that works with it."""
        self._changed = 0
        for dumper in DUMPERS:
            self.adapters.register_dumper(str, dumper)
        for loader in LOADERS:
            self.adapters.register_loader("text", loader)

    def _translated(self, query: str) -> str:
        return translated(query, sealed=self.of is not None and self.of.sealer.encrypts)

    def execute(self, query: Any, values: Any = (), **named: Any) -> Any:  # type: ignore[override]  # noqa: ANN401 - as psycopg has it
        """Run one statement."""
        cursor = super().execute(self._translated(query), values, binary=True, **named)
        self._changed = cursor.rowcount
        return cursor

    def executemany(self, query: str, values: Any) -> None:  # noqa: ANN401 - rows of values
        """Run one statement for each row of values."""
        with self.cursor() as cursor:
            cursor.executemany(self._translated(query), values)

    def stream(
        self, query: str, values: Sequence[Any] = ()
    ) -> Generator[tuple[Any, ...], None, None]:
        """Rows of a SELECT, few at a time in memory."""
        with self.cursor(binary=True) as cursor:
            yield from cursor.stream(self._translated(query), values, size=STREAMED)

    def changes(self) -> int:
        """How many rows the last `execute` has changed."""
        return self._changed

    def words(self, text: str) -> Any:  # noqa: ANN401 - the cursor of the last statement
        """Run statements without values, together."""
        cursor = self.cursor().execute(text)
        while cursor.nextset():
            pass
        return cursor


# -- a memory ----------------------------------------------------------------------


class Database(SqlDatabase):
    """The transactions of one memory, on the connections of a catalogue.

    A thread that writes has one connection for the length of its block, and reads through it.
    Others borrow one for each read.
    """

    def __init__(self, catalog: PostgresCatalog, memory: int, name: str, *, close: bool) -> None:
        """`memory`: its number; `close`: the last user closes the catalogue, too."""
        self._catalog, self._memory, self._close = catalog, memory, close
        super().__init__(f"{catalog.place}, memory {name!r}", None, catalog.wait_s)
        self._heard: int | None = None
        """The newest fence that is known of, where commits are listened to."""
        self._writer: Connection | None = None
        self._looked: tuple[int, dict[Any, tuple[Any, ...] | None]] = -1, {}

    # -- writing -----------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The connection in a transaction; a nested block that fails undoes only its own writes."""
        self._check(write=True)
        with self._turn(), self._catalog.translated():
            if self._writer is not None:
                with self._savepoint(self._writer):
                    yield self._writer
            else:
                with self._catalog.connection() as db, self._transaction(db):
                    yield db

    def erasing(self) -> AbstractContextManager[Connection]:
        """The same: dead rows are the server's to vacuum (docs/server.md tells what that means)."""
        return self.writing()

    @contextmanager
    def _transaction(self, db: Connection) -> Iterator[None]:
        done = False
        try:
            fence = self._begin(db)
            db.of = self
            self._writer, self._owner, self._depth = db, threading.get_ident(), 1
            yield
            self._commit(db, fence)
            done = True
        finally:
            self._writer, self._owner, self._depth = None, 0, 0
            if not done:
                with suppress(psycopg.Error):
                    db.words("ROLLBACK")

    def _begin(self, db: Connection) -> int:
        """Begin, take the writer's lock, and return the memory's fence as the lock found it."""
        db.words(
            f"BEGIN; SET LOCAL mags.memory = '{self._memory}';"
            f"SET LOCAL lock_timeout = {self._catalog.wait_ms};"
            f"SELECT pg_advisory_xact_lock({LOCK + self._memory})"
        )
        fence = db.execute("SELECT fence FROM mags.memory WHERE id = ?", (self._memory,)).get
        if fence is None:
            raise self._gone()
        return int(fence)

    def _commit(self, db: Connection, fence: int) -> None:
        # The lock alone does not do: whoever was paused must not commit over a newer writer.
        heard = f"{self._memory} {fence + 1}"
        db.execute(
            "UPDATE mags.memory SET fence = fence + 1 WHERE id = ? AND fence = ?"
            " RETURNING pg_notify(?, ?)",
            (self._memory, fence, CHANNEL, heard),
        )
        if db.changes() != 1:
            raise errors.StoreError(
                f"another writer took over {self.place} meanwhile: nothing was written, try again"
            )
        try:
            with span("commit"):
                db.words("COMMIT")
        except psycopg.OperationalError as failure:
            raise errors.StoreError(
                f"the connection to {self.place} was lost while it was told to keep what was "
                "written, so whether it did is not known: read it again, or send the same key again"
            ) from failure
        with self._guard:
            if self._heard is not None:
                self._heard = max(fence + 1, self._heard)

    @contextmanager
    def _savepoint(self, db: Connection) -> Iterator[None]:
        level = f"level{self._depth}"
        done = False
        db.words(f"SAVEPOINT {level}")
        self._depth += 1
        try:
            yield
            done = True
        finally:
            self._depth -= 1
            if db.info.transaction_status != pq.TransactionStatus.UNKNOWN:
                back = "" if done else f"ROLLBACK TO {level};"
                db.words(f"{back} RELEASE {level}")

    @contextmanager
    def unique(self) -> Iterator[None]:
        """Raise InvalidInput where the block inserts a content that exists."""
        try:
            yield
        except psycopg.errors.UniqueViolation as failure:
            raise errors.InvalidInput(IMMUTABLE) from failure

    def reserve(self, count: int) -> int:
        """Take `count` ids from the counter; they stay taken even if the block fails."""
        self._check(write=True)
        # By a connection of its own, as a rollback must not undo it; and not waiting for the disk,
        # since what is committed later brings it there.
        with self._catalog.connection(counting=True) as db:
            db.words(
                f"BEGIN; SET LOCAL mags.memory = '{self._memory}';"
                "SET LOCAL synchronous_commit = off"
            )
            end = db.execute(
                "UPDATE counter SET value = value + ? WHERE name = 'next_id' RETURNING value",
                (count,),
            ).get
            db.words("COMMIT")
        if end is None:
            raise self._gone()
        return int(end) - count

    # -- reading -----------------------------------------------------------------

    @contextmanager
    def reading(self, *, one: bool = False) -> Iterator[Connection]:
        """A connection that sees one state for the length of the block; `one`: of one statement."""
        self._check()
        if self._owner == threading.get_ident() and self._writer is not None:
            with self._catalog.translated():
                yield self._writer
            return
        with self._catalog.connection() as db:
            db.of = self
            if one:  # it needs no transaction, which would take two more ways to the server
                if db.memory != self._memory:
                    db.words(f"SET mags.memory = '{self._memory}'")
                    db.memory = self._memory
                yield db
                return
            db.words(
                "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
                f"SET LOCAL mags.memory = '{self._memory}'"
            )
            try:
                yield db
            finally:
                with suppress(psycopg.Error):
                    db.words("ROLLBACK")

    def look(self, query: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of one SELECT, or None; it is read once for each fence of the memory."""
        if self._owner == threading.get_ident():
            with self.reading() as db:
                found: tuple[Any, ...] | None = db.execute(query, values).fetchone()
                return found
        fence = self._newest()
        held = self._looked
        if held[0] != fence:
            # What is read later may be newer than this fence; then the next look reads it again.
            held = self._looked = fence, {}
        if (query, values) not in held[1]:
            with self.reading(one=True) as db:
                held[1][query, values] = db.execute(query, values).fetchone()
        return held[1][query, values]

    def _newest(self) -> int:
        """The fence of the last commit, heard or asked for."""
        self._check()
        since = self._catalog.hearing()
        if self._heard is not None and since:
            return self._heard
        with self._catalog.connection() as db:
            fence = db.execute("SELECT fence FROM mags.memory WHERE id = ?", (self._memory,)).get
        if fence is None:
            raise self._gone()
        with self._guard:
            # Only of a question that was asked while every later commit was heard.
            if since and since == self._catalog.hearing():
                self._heard = max(fence, self._heard or 0)
        return int(fence)

    def hear(self, fence: int | None) -> None:
        """Take note of a commit; None: some may have been missed."""
        with self._guard:
            if fence is None or self._heard is not None:
                self._heard = fence

    def _gone(self) -> errors.StoreError:
        return errors.StoreError(f"{self.place} was removed: nothing was read or written")

    def bytes(self, sizes: dict[str, int]) -> int:
        """Of its parts: what they take on the disk is not told by memory."""
        return sum(size for name, size in sizes.items() if name.endswith("_bytes"))

    # -- life --------------------------------------------------------------------

    def release(self) -> None:
        """Remove one user; with the last go the connections, where nobody else needs them."""
        with self._guard:
            self._users -= 1
            last = not self._users
        # A forked process that closed what it inherited would end its parent's connections.
        if last and self._close and self._process == os.getpid():
            self._catalog.close()

    def _check(self, *, write: bool = False) -> None:
        if write and self._catalog.read_only:
            raise errors.InvalidInput(f"{self.place} was opened read_only: open it for writing")
        self._check_process()


class PostgresStore(SqlStore):
    """The store of one memory in PostgreSQL: what is acknowledged is as durable as the server.

    Any thread may use it. One writer at a time over all processes and machines, by an advisory
    lock; a writer that loses it (its connection ended, or it was paused too long) commits nothing.
    """

    @classmethod
    def open(  # noqa: PLR0913 - as `mags.open` has them
        cls,
        url: str,
        memory: str,
        *,
        tenant: str,
        branch: str = FIRST,
        wait_s: float = 5.0,
        read_only: bool = False,
        keyring: Keyring | None = None,
    ) -> Self:
        """Open a memory by its name; one that is not there is made, unless `read_only`.

        `url`: as libpq takes it, postgresql://user:password@host/database; `keyring`: as of
        `SqliteStore.open`. Raises StoreError, NewerSchema, NotFound (no such branch),
        ConfigurationError (a role that sees too much), MissingKey.
        """
        catalog = PostgresCatalog(url, tenant, wait_s=wait_s, read_only=read_only)
        with ExitStack() as undo:
            undo.callback(catalog.close)
            database = catalog.database(memory, close=True)
            undo.pop_all()
        return cls.on(database, branch, keyring, read_only=read_only)


# -- all memories of a tenant --------------------------------------------------------


class PostgresCatalog:
    """The memories of one tenant in a database, on a pool of connections that they share."""

    def __init__(
        self,
        url: str,
        tenant: str,
        *,
        wait_s: float = 5.0,
        read_only: bool = False,
        listens: bool = False,
        keyring: Keyring | None = None,
    ) -> None:
        """Connect. `wait_s`: for a connection, and for another writer. `listens`: hear of what
        others commit, within some milliseconds, in place of asking at each read; `keyring`: of
        memories that are encrypted. Raises StoreError.
        """
        self._keyring = keyring
        self.wait_s, self.read_only, self.tenant = wait_s, read_only, tenant
        self.wait_ms = max(1, round(wait_s * 1000))  # 0 would be for ever
        self.place, self._url = place_of(url), url
        self._named: dict[str, Any] = {
            "autocommit": True,
            "application_name": f"mags {socket.gethostname()} {os.getpid()}",
            "connect_timeout": max(2, round(wait_s)),
        }
        self._databases: dict[int, weakref.ref[Database]] = {}
        with self.translated(), closing(self._connect()) as db:  # a pool would not say why not
            check(db, self.place)
        self._pools = tuple(self._pool(least, most) for least, most in ((1, MOST), (0, 1)))
        for pool in self._pools:
            pool.open()
        self._listener = Listener(self) if listens else None

    def _connect(self) -> Connection:
        db = Connection.connect(self._url, **self._named)
        self._configure(db)
        return db

    def _pool(self, least: int, most: int) -> ConnectionPool[Connection]:
        return ConnectionPool(
            self._url,
            connection_class=Connection,
            kwargs=self._named,
            min_size=least,
            max_size=most,
            timeout=max(self.wait_s, 0.1),
            # So that a server that is back is found at once, whatever it was away for.
            reconnect_timeout=1.0,
            num_workers=1,
            open=False,
            configure=self._configure,
            check=_check_alive,
        )

    def _configure(self, db: Connection) -> None:
        _, oid, place = db.execute(
            "SELECT set_config('mags.tenant', ?, false), oid::integer, typnamespace::regnamespace"
            "::text FROM (SELECT) AS one LEFT JOIN pg_type ON typname = 'halfvec'",
            (self.tenant,),
        ).get
        if oid is not None:  # of pgvector's type; else `check` says what is missing
            db.adapters.register_dumper(Vector, type("HalfDumper", (_HalfDumper,), {"oid": oid}))
            db.adapters.register_loader(oid, _HalfLoader)
        db.words(
            f"SET search_path = mags_memory, {place or 'pg_temp'};"
            f"SET idle_in_transaction_session_timeout = '{PAUSED_S}s';"
            "SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = 200"
        )

    def names(self) -> list[str]:
        """All that are there, sorted."""
        with self.connection() as db:
            rows = db.execute("SELECT name FROM mags.memory WHERE tenant = ?", (self.tenant,))
            return sorted(name for (name,) in rows)

    def exists(self, name: str) -> bool:
        """Whether one of exactly this name is there."""
        with self.connection() as db:
            return self._number(db, name) is not None

    def nearest(
        self,
        vector: NDArray[np.floating[Any]],
        embedder: str,
        patterns: Sequence[str],
        most: int,
    ) -> list[str]:
        """See `Catalog.nearest`. Encrypted memories are not found: their vectors are sealed."""
        query = NEAREST.format(n=len(vector), compared=COMPARED)
        whole = [pattern for pattern in patterns if not pattern.endswith("*")]
        begins = [pattern[:-1] for pattern in patterns if pattern.endswith("*")]
        asked = Vector(vector.astype("<f2").tobytes())
        values = (asked, self.tenant, embedder, whole, begins, most)
        with self.connection() as db:  # planned each time, for these names
            return [name for (name,) in db.execute(query, values, prepare=False)]

    def open(self, name: str, branch: str = FIRST) -> PostgresStore:
        """The memory on a branch, made where it is not there; raises StoreError, NotFound."""
        database = self.database(name)
        return PostgresStore.on(database, branch, self._keyring, read_only=self.read_only)

    def remove(self, name: str) -> None:
        """Delete a memory, and its key, so that no backup of it can be read; raises NotFound."""
        with self.connection() as db:
            number = self._number(db, name)
            if number is None:
                raise errors.NotFound(f"there is no memory {name!r}", namespace=name)
        key = sealed_by(self.database(name)) if self._keyring is not None else None
        if self._keyring is not None and key is not None:
            with suppress(errors.MissingKey):  # it was destroyed before
                self._keyring.shred(key)
        with self.connection() as db:
            db.words(
                f"BEGIN; SET LOCAL lock_timeout = {self.wait_ms};"
                f"SELECT pg_advisory_xact_lock({LOCK + number});"
                f"DELETE FROM mags.memory WHERE id = {number}; COMMIT"
            )

    def size(self) -> int:
        """Bytes of the whole database, those of other tenants too."""
        with self.connection() as db:
            return int(db.execute("SELECT pg_database_size(current_database())").get)

    def writable(self) -> bool:
        """Whether the database answers and takes writes, as one that recovers does not."""
        try:
            with self.connection() as db:
                return not db.execute("SELECT pg_is_in_recovery()").get
        except errors.StoreError:
            return False

    def database(self, name: str, *, close: bool = False) -> Database:
        """The transactions of a memory, which is made if it is not there."""
        with self.connection() as db:
            number = self._number(db, name)
            if number is None and self.read_only:
                raise errors.StoreError(f"there is no memory {name!r} in {self.place}")
            if number is None:
                number = self._make(db, name)
        database = Database(self, number, name, close=close)
        self._databases[number] = weakref.ref(database)
        return database

    def hearing(self) -> int:
        """Since which connection every commit has been heard of; 0 while none listens."""
        return self._listener.hears() if self._listener is not None else 0

    def hear(self, memory: int | None = None, fence: int | None = None) -> None:
        """Tell a memory that is open here of a commit; None: all, of what may have been missed."""
        for number, known in list(self._databases.items()):
            database = known()
            if database is not None and memory in (None, number):
                database.hear(fence)

    @contextmanager
    def listening(self) -> Iterator[Connection]:
        """A connection that hears of every commit; raises StoreError."""
        with self.translated(), closing(self._connect()) as db:
            db.words(f"LISTEN {CHANNEL}")
            yield db

    def _number(self, db: Connection, name: str) -> int | None:
        found = db.execute(
            "SELECT id FROM mags.memory WHERE tenant = ? AND name = ?", (self.tenant, name)
        ).get
        return None if found is None else int(found)

    def _make(self, db: Connection, name: str) -> int:
        with db.transaction():
            made = db.execute(
                "INSERT INTO mags.memory (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING id",
                (name,),
            ).get
            if made is not None:
                db.words(f"SET LOCAL mags.memory = '{made}'")
                db.execute("INSERT INTO branch VALUES (1, ?, NULL, 0, 0)", (FIRST,))
                secret = secrets.token_hex(16)
                db.execute("INSERT INTO fact VALUES ('secret', ?)", (secret,))
                db.execute("INSERT INTO counter VALUES ('next_id', 1), ('to_clean', 0)")
        # Another process may have been faster; its transaction is over by now.
        number = self._number(db, name)
        if number is None:
            raise errors.StoreError(f"{name!r} was removed while it was opened: open it again")
        return number

    # -- connections -------------------------------------------------------------

    @contextmanager
    def connection(self, *, counting: bool = False) -> Iterator[Connection]:
        """A connection for some statements; raises StoreError.

        `counting`: that for the counter of ids; whoever has it waits for no other.
        """
        with self.translated(), self._pools[counting].connection() as db:
            yield db

    def translated(self) -> AbstractContextManager[None]:
        """Turn what psycopg raises inside the block into the errors of MAGS."""
        return errors.boundary(SCHEMA, lambda failure: _known(failure, self.place, self.wait_s))

    def close(self) -> None:
        """Close every connection; closing twice is harmless."""
        if self._listener is not None:
            self._listener.close()
        for pool in self._pools:
            pool.close()


class Listener:
    """A thread that hears of every commit, so that readers need not ask whether there was one.

    It asks the server for a sign of life again and again. While there is none, readers ask.
    """

    def __init__(self, catalog: PostgresCatalog) -> None:
        self._catalog = catalog
        self._alive_at, self._connection = -inf, 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mags-listen", daemon=True)
        self._thread.start()

    def hears(self) -> int:
        """The number of the connection that listens, 0 where there was no sign of it lately."""
        return self._connection if time.monotonic() - self._alive_at < DEAF_S else 0

    def close(self) -> None:
        """End it, within a moment."""
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(errors.StoreError), self._catalog.listening() as db:
                self._catalog.hear()
                self._connection += 1
                while not self._closing.is_set():
                    begun = time.monotonic()
                    if begun - self._alive_at > LISTENS_S:
                        db.words("SELECT 1")
                        self._alive_at = begun
                    for heard in db.notifies(timeout=LISTENS_S, stop_after=1):
                        told = heard.payload.split()  # another program may use the channel
                        if len(told) == 2 and all(word.isdecimal() for word in told):
                            self._catalog.hear(int(told[0]), int(told[1]))
            self._alive_at = -inf
            self._closing.wait(LISTENS_S)


def _check_alive(db: Connection) -> None:
    """Raise where the server has closed an idle connection; asks nobody, so it takes no time."""
    for _ in range(2):  # the first may read why
        db.pgconn.consume_input()


def check(db: Connection, place: str) -> None:
    """Raise unless the tables are of this version, and the role sees its tenant alone."""
    found, known = db.execute("SELECT max(number) FROM mags.version").get, newest(SCHEMA)
    if found > known:
        raise errors.NewerSchema(
            f"{place} was written by a newer MAGS (schema {found}, this one knows {known}): "
            "upgrade MAGS",
            found=found,
            known=known,
        )
    if found < known:
        raise errors.StoreError(f"the tables in {place} are of an older MAGS: {PREPARE}")
    role, free = db.execute(
        "SELECT current_user, rolsuper OR rolbypassrls OR pg_has_role(relowner, 'MEMBER')"
        " FROM pg_roles, pg_class"
        " WHERE rolname = current_user AND pg_class.oid = 'mags.memory'::regclass"
    ).get
    if free:
        raise errors.ConfigurationError(
            f"{role!r} is a superuser or owns the tables in {place}, so nothing would keep it from "
            "the memories of other tenants: connect as the role that `mags prepare` made",
            key="store",
        )


def prepare(url: str, role: str = ROLE) -> int:
    """Make the tables, or bring them up to date, and let a role work with them.

    To be run as who shall own them. A role that is not there is made (it may log in, and has no
    password yet). Returns the version. Raises StoreError.
    """
    place = place_of(url)
    with (
        errors.boundary(SCHEMA, lambda failure: _known(failure, place, 0.0)),
        psycopg.connect(url) as db,
    ):
        db.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        # An owner is behind the policies, too, which ask for it.
        db.execute("SELECT set_config('mags.tenant', '', true)")
        there = db.execute("SELECT to_regclass('mags.version')").fetchone()
        row = there and there[0] and db.execute("SELECT max(number) FROM mags.version").fetchone()
        found = row[0] if row else 0
        for number, script in scripts(SCHEMA):
            if number > found:
                db.execute(script)
                db.execute("INSERT INTO mags.version VALUES (%s)", (number,))
        known = db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        for grant in GRANTS if known else (MADE, *GRANTS):
            db.execute(sql.SQL(grant).format(role=sql.Identifier(role)))
    return newest(SCHEMA)


def place_of(url: str) -> str:
    """Where a database is, for messages: without a name or a password."""
    parts = urlsplit(url)
    return f"postgresql://{parts.hostname or 'local'}{parts.path}"


def _known(failure: Exception, place: str, wait_s: float) -> errors.MagsError | None:
    """The error of MAGS for one of psycopg."""
    said = str(failure).strip().partition("\n")[0]
    busy = psycopg.errors.LockNotAvailable, psycopg.errors.SerializationFailure
    if isinstance(failure, (*busy, psycopg.errors.DeadlockDetected)):
        return errors.StoreBusy(
            f"another writer has been writing to a memory of {place} for more than {wait_s:g} s: "
            "wait for it or end it",
            waited_s=wait_s,
        )
    if isinstance(failure, psycopg.errors.DiskFull):
        return errors.StoreFull(
            f"no room left for {place}: free some space and try again; nothing was written"
        )
    if isinstance(failure, psycopg.errors.UndefinedTable | psycopg.errors.InvalidSchemaName):
        return errors.StoreError(f"{place} has no tables for memories: {PREPARE}")
    if isinstance(failure, psycopg.errors.InsufficientPrivilege):
        return errors.StoreError(f"{place} refuses this ({said}): {PREPARE}")
    gone = psycopg.OperationalError, psycopg.errors.IdleInTransactionSessionTimeout
    if isinstance(failure, (PoolTimeout, *gone)):
        return errors.StoreError(
            f"{place} cannot be reached, or ended the connection ({said}): nothing of this was "
            "written; try again when it is back"
        )
    if isinstance(failure, psycopg.DataError):
        return errors.InvalidInput(f"{place} cannot keep this ({said}): nothing was written")
    if isinstance(failure, psycopg.Error):
        return errors.StoreError(f"{place} failed ({said}): nothing of this was written")
    return None
