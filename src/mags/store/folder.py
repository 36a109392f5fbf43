"""A folder of memories, each of them a SQLite file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, MissingKey, NotFound
from mags.store.lineage import FIRST
from mags.store.migrations import copies
from mags.store.sqlite import SqliteStore, key_of

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring

SUFFIX = ".mags"
"""The suffix of a memory's file."""
BESIDE = ("-wal", "-shm", "")
"""Suffixes of a memory's files. The main file is last, so that it is deleted last."""

TRIAL_BYTES = 65_536


class FolderCatalog:
    """The memories of a folder, which nothing holds open: what they share is the disk."""

    def __init__(self, folder: Path, keyring: Keyring | None = None) -> None:
        """`folder` is made with its first memory; `keyring`: of memories that are encrypted."""
        self.folder, self._keyring = folder, keyring

    def names(self) -> list[str]:
        """All that are there, sorted."""
        return sorted(path.name.removesuffix(SUFFIX) for path in self.folder.glob("*" + SUFFIX))

    def exists(self, name: str) -> bool:
        """Whether a file of exactly this name is there; raises NotFound for another spelling."""
        path = self._path(name)
        if not path.exists():
            return False
        # Where the disk ignores case, "Alice" finds the file of "alice". Only there the folder is
        # read, as that takes long where it holds thousands.
        blind = path.with_name(path.name.swapcase()).exists()
        if blind and not any(one.name == path.name for one in self.folder.iterdir()):
            raise NotFound("a memory whose name differs only in case is there: name another")
        return True

    def nearest(
        self,
        _vector: NDArray[np.floating[Any]],
        _embedder: str,
        patterns: Sequence[str],
        most: int,
    ) -> list[str]:
        """All of these names, since a folder has no index; raises InvalidInput for too many."""
        found = [
            one for one in self.names() if any(fnmatchcase(one, pattern) for pattern in patterns)
        ]
        if len(found) > most:
            raise InvalidInput(
                f"{self.folder} holds {len(found)} memories and no index over them, so at most "
                f"{most} are looked into at once: name them, or keep memories in PostgreSQL",
                folder=str(self.folder),
            )
        return found

    def open(self, name: str, branch: str = FIRST) -> SqliteStore:
        """The memory on a branch, made where it is not there; raises as `SqliteStore.open` does."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return SqliteStore.open(self._path(name), branch=branch, keyring=self._keyring)

    def remove(self, name: str) -> None:
        """Delete the files of a memory, and its key, so that no backup of it can be read.

        Raises NotFound.
        """
        path = self._path(name)
        if not path.exists():
            raise NotFound(f"there is no memory {name!r}", namespace=name)
        key = None if self._keyring is None else key_of(path)
        if self._keyring is not None and key is not None:
            with suppress(MissingKey):  # it was destroyed before
                self._keyring.shred(key)
        # Exact names only: a file whose name merely begins like this may be another memory.
        for copy in copies(path):
            copy.unlink(missing_ok=True)
        for end in BESIDE:
            path.with_name(path.name + end).unlink(missing_ok=True)

    def size(self) -> int:
        """Bytes of all files of memories, their write-ahead logs among them."""
        if not self.folder.is_dir():
            return 0
        ends, total = tuple(SUFFIX + end for end in BESIDE), 0
        with os.scandir(self.folder) as entries:
            for one in entries:
                if one.name.endswith(ends):
                    with suppress(FileNotFoundError):  # deleted since it was listed
                        total += one.stat().st_size
        return total

    def writable(self) -> bool:
        """Whether the disk takes a file of `TRIAL_BYTES`, which leaves nothing behind."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.folder) as trial:
                trial.write(b"\0" * TRIAL_BYTES)
                trial.flush()
                os.fsync(trial.fileno())
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Nothing to release."""

    def _path(self, name: str) -> Path:
        return self.folder / (name + SUFFIX)
