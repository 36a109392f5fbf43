"""Copies: what a file was before a migration, kept beside it."""

from __future__ import annotations

import itertools
import logging
import os
import re
from pathlib import Path

import apsw

LOG = logging.getLogger("mags.store")


def keep_copy(source: apsw.Connection, path: Path, schema: int) -> Path:
    """Copy what `source` sees of the file at `path` beside it; nobody may write meanwhile.

    The name is `FILE.v1-backup`, for schema 1, with the rights of the file; an older copy of that
    name is left alone.
    """
    unfinished = path.with_name(f"{path.name}.v{schema}-backup.part")
    unfinished.unlink(missing_ok=True)  # of a migration that was killed
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, path.stat().st_mode & 0o777))
        copy = apsw.Connection(str(unfinished))
        try:
            with copy.backup("main", source, "main") as backup:
                backup.step()
        finally:
            copy.close()
        place = _free(path, schema)
        unfinished.rename(place)
    finally:
        unfinished.unlink(missing_ok=True)
    return place


def copies(path: Path) -> list[Path]:
    """Every copy that migrations left beside a file."""
    ours = re.compile(rf"{re.escape(path.name)}\.v\d+-backup(-\d+)?")
    return sorted(one for one in path.parent.iterdir() if ours.fullmatch(one.name))


def _free(path: Path, schema: int) -> Path:
    first = path.with_name(f"{path.name}.v{schema}-backup")
    others = (first.with_name(f"{first.name}-{n}") for n in itertools.count(2))
    return next(one for one in itertools.chain([first], others) if not one.exists())
