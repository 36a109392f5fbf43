"""Small files that nobody else on the machine may read: whole or as before, never in between."""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mags.errors import StoreBusy, StoreError, boundary

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"
WAIT_S, AGAIN_S = 10.0, 0.02
"""How long one process waits for another that changes the same file, and between two looks."""


@contextmanager
def alone(path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Change a file while no other process does; raises StoreBusy, StoreError.

    The lock is a file beside it that stays; who dies lets go of it.
    """
    with boundary("private files", _unwritable):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path.with_name(path.name + LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        ends = time.monotonic() + wait_s
        while not _taken(file):
            if time.monotonic() > ends:
                raise StoreBusy(f"another process is changing {path}: try again when it is done")
            time.sleep(AGAIN_S)
        yield
    finally:
        os.close(file)  # lets go of the lock too


def _taken(file: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_private(path: Path, text: str) -> None:
    """Put a text in the place of a file, durably; raises StoreError."""
    # A name of its own: two who write at once must not write into one another's file.
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    with boundary("private files", _unwritable):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)


def remove_private(path: Path) -> None:
    """Remove such a file, if it is there; raises StoreError."""
    with boundary("private files", _unwritable):
        path.unlink(missing_ok=True)


def _unwritable(failure: Exception) -> StoreError | None:
    if isinstance(failure, OSError):
        return StoreError(f"{failure.filename} cannot be written: {failure.strerror}")
    return None
