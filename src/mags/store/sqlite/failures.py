"""What SQLite's failures mean to whoever has to do something about them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import apsw

from mags.errors import (
    CorruptFile,
    MagsError,
    StoreBusy,
    StoreClosed,
    StoreError,
    StoreFull,
    boundary,
)

WRITE_LOCK = 120
"""Byte of the -shm file that a writer locks (SQLite's file format, section 4.5)."""


def sqlite(path: Path, wait_s: float) -> AbstractContextManager[None]:
    """Turn what SQLite raises inside the block into MAGS's errors."""

    def translate(failure: Exception) -> MagsError | None:
        return _translate(failure, path, wait_s) if isinstance(failure, apsw.Error) else None

    return boundary("sqlite", translate)


def stored(path: Path, wait_s: float) -> AbstractContextManager[None]:
    """The same where the block is the store's own: what else fails in it is the file's fault."""

    def translate(failure: Exception) -> MagsError | None:
        if isinstance(failure, UnicodeDecodeError):
            return damaged(path, f"its words are not UTF-8: {failure}")
        if isinstance(failure, OSError | UnicodeEncodeError):
            why = failure.strerror if isinstance(failure, OSError) else failure.reason
            return StoreError(f"{path} cannot be opened ({why}): give another path", path=path)
        return _translate(failure, path, wait_s) if isinstance(failure, apsw.Error) else None

    return boundary("sqlite", translate)


def _translate(failure: apsw.Error, path: Path, wait_s: float) -> MagsError | None:
    if isinstance(failure, apsw.BusyError | apsw.LockedError):
        return busy(path, wait_s)
    if isinstance(failure, apsw.FullError):
        return StoreFull(
            f"no room left for {path}: free some space and try again; nothing was written",
            path=path,
        )
    if isinstance(failure, apsw.NotADBError):
        return CorruptFile(
            f"{path} is not a memory: give another path, or restore a copy of it", path=path
        )
    if isinstance(failure, apsw.CorruptError):
        return damaged(path, str(failure))
    if isinstance(failure, apsw.ConnectionClosedError):
        return StoreClosed("this memory was closed: open it again", path=path)
    if isinstance(failure, apsw.CantOpenError | apsw.PermissionsError | apsw.ReadOnlyError):
        return StoreError(
            f"{path} cannot be opened or written ({failure}): look at the rights of the file "
            "and its folder, or open it read_only",
            path=path,
        )
    if isinstance(failure, apsw.IOError | apsw.ProtocolError | apsw.NoMemError):
        return StoreError(
            f"reading or writing {path} failed ({failure}): look at the disk; nothing was written",
            path=path,
        )
    return None


def damaged(path: Path, what: str) -> CorruptFile:
    """The error for a file that is truncated or damaged."""
    return CorruptFile(
        f"{path} is damaged or truncated ({what}): keep it, restore a copy, or export what is "
        "still readable",
        path=path,
    )


def inherited(path: Path, opener: int) -> StoreError:
    """The error for a memory that was opened before the process forked."""
    return StoreError(
        f"{path} was opened by process {opener}, of which this one is a fork: open it again here, "
        "or start workers by 'spawn'",
        path=path,
        pid=opener,
    )


def place_of(path: Path) -> tuple[int, int] | None:
    """Which file a path names: device and inode, None where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def moved(path: Path) -> StoreError:
    """The error for a file that is no longer where it was opened: SQLite would write on."""
    return StoreError(
        f"{path} was removed or replaced while it was open, so nothing was written: put it back, "
        "or close this memory and open it again",
        path=path,
    )


def busy(path: Path, wait_s: float) -> StoreBusy:
    """The error for a lock that did not come free; names the holder where the system tells."""
    pid = next(_holders(path), None)
    who = f"process {pid}" if pid else "another process"
    return StoreBusy(
        f"{who} has been writing to {path} for more than {wait_s:g} s: wait for it or end it",
        path=path,
        pid=pid,
        waited_s=wait_s,
    )


def _holders(path: Path) -> Iterator[int]:
    """Who locks the writer's byte, as /proc/locks (Linux) says.

    The file is never opened to ask: closing it would release the locks of this very process.
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
