"""Migrations: bring an older file up to date, and keep a copy of it as it was."""

from __future__ import annotations

import importlib.resources
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import apsw

from mags.store.damage import LOG
from mags.store.sql import checksum

SUMMED = 2
"""The first schema in which a file says what is so of itself."""


def keep_copy(source: apsw.Connection, path: Path, schema: int) -> Path:
    """Copy the file at `path`, as `source` sees it, to a file beside it.

    The copy is called `FILE.v1-backup` (for schema 1) and has the rights of the file. An older
    copy of that name is left alone. Nobody may write meanwhile.
    """
    first = path.with_name(f"{path.name}.v{schema}-backup")
    others = (first.with_name(f"{first.name}-{n}") for n in itertools.count(2))
    place = next(one for one in itertools.chain([first], others) if not one.exists())
    # Of a migration that was killed.
    unfinished = path.with_name(f"{path.name}.v{schema}-backup.part")
    write_copy(source, place, unfinished, mode=path.stat().st_mode & 0o777)
    return place


def write_copy(
    source: apsw.Connection, place: Path, unfinished: Path, *, mode: int = 0o600
) -> None:
    """Copy a file as `source` sees it; `place` is given to the copy once it is whole."""
    unfinished.unlink(missing_ok=True)
    try:
        # Made with its rights before a word is in it: nobody who cannot read the file may read
        # the copy.
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, mode))
        copy = apsw.Connection(str(unfinished))
        try:
            # Something first, so that SQLite knows of the sums before it writes the pages.
            copy.pragma("page_size", int(source.pragma("page_size")))
            copy.reserve_bytes("main", source.reserve_bytes())
            copy.execute("VACUUM")
            with copy.backup("main", source, "main") as backup:
                backup.step()
            # It needs no log.
            if int(copy.pragma("user_version")) >= SUMMED:
                copy.execute("UPDATE file SET open = 0")
        finally:
            copy.close()
        unfinished.rename(place)
    finally:
        unfinished.unlink(missing_ok=True)


def copies(path: Path) -> list[Path]:
    """Every copy of a file that migrations have made."""
    ours = re.compile(rf"{re.escape(path.name)}\.v\d+-backup(-\d+)?")
    return sorted(one for one in path.parent.iterdir() if ours.fullmatch(one.name))


def newest(kind: str = "") -> int:
    """The schema version this MAGS writes; `kind`: see `scripts`."""
    return max(number for number, _ in scripts(kind))


def migrate(db: apsw.Connection, path: Path, connect: Callable[[], apsw.Connection]) -> None:
    """Bring an older file up to date and keep a copy of it as it was."""
    if int(db.pragma("user_version")) == newest():
        return
    db.execute("BEGIN IMMEDIATE")
    copy = None
    try:
        found = int(db.pragma("user_version"))
        if found == newest():  # another process was faster
            return
        # A connection cannot back up the file it is writing to. Another one sees the last commit,
        # and the lock held here keeps that from changing.
        reader = connect()
        try:
            copy = keep_copy(reader, path, found)
        finally:
            reader.close()
        run_migrations(db)
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


def run_migrations(db: apsw.Connection) -> None:
    """Run every script that is newer than the file's schema, inside the caller's transaction."""
    db.create_scalar_function("checksum", cast(Callable[..., int], checksum), 1)
    found = int(db.pragma("user_version"))
    for number, script in scripts():
        if number > found:
            db.execute(script)
            db.pragma("user_version", number)


def scripts(kind: str = "") -> Iterator[tuple[int, str]]:
    """(version, SQL), ascending: schema/NNN_name.sql brings version NNN - 1 to NNN.

    `kind`: the folder in it, for another database than SQLite.
    """
    folder = importlib.resources.files("mags.store") / "schema" / kind
    found = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    for script in found:
        yield int(script.name.split("_")[0]), script.read_text()
