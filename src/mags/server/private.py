"""Small files that nobody else on the machine may read: whole or as before, never in between."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from mags.errors import StoreError, boundary


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
