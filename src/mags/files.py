"""Files of words: for their owner alone, and there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

OPEN_FILES = Path("/proc/self/fd")
"""Where Linux shows a process its open files, also those without a name."""


@contextmanager
def appearing(path: Path) -> Iterator[TextIO]:
    """A file to write text to (UTF-8, 0600) that stands at `path` once the block has ended.

    Until then it has no name where the system can do that (Linux), so a process that is killed
    leaves nothing of it; elsewhere its name ends in `.part`. A block that fails leaves nothing.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)  # of a process that was killed
    file = _nameless(path.parent)
    named = file is None
    if file is None:
        file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(file)
            if not named:
                with suppress(FileExistsError):
                    _name(file, path)
                    return
                _name(file, part)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _nameless(folder: Path) -> int | None:
    """A new file without a name; None where there are none."""
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not OPEN_FILES.is_dir():
        return None
    with suppress(OSError):  # not every file system has them
        return os.open(folder, flag | os.O_RDWR, 0o600)
    return None


def _name(file: int, path: Path) -> None:
    # A folder has to be given (it is not looked at), or Python links to the link.
    os.link(OPEN_FILES / str(file), path, src_dir_fd=file, follow_symlinks=True)
