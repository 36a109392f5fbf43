"""Damage on the disk: checksums of pages, and whether the end of a write-ahead log is lost.

SQLite's checksum VFS (`cksumvfs`, shipped in apsw's wheels) keeps eight bytes at the end of each
page of the main file and compares them at each read. The frames of the log have sums of SQLite's
own (file format, section 4), but a bad one only ends the log without a word: whatever was committed
after it is gone. So the log is read here before SQLite sees it.
"""

from __future__ import annotations

import logging
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw
import apsw.sqlite_extra
import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile

LOG = logging.getLogger("mags.store")
SUM_BYTES = 8
"""At the end of each page, for the checksum VFS, which asks for just so many."""
TRIES = 5
"""Reads of a page whose sum is wrong: another process may be writing it."""

LOG_HEADER = struct.Struct(">IIII8sII")
"""Magic number, version, bytes of a page, checkpoints, both salts, both sums."""
MAGIC = 0x377F0682
"""Of a log whose sums are of little-endian words; one more: of big-endian ones."""
INDEX = struct.Struct("=IIIBBHIIII8s")
"""The beginning of the log's index in shared memory, up to the salts."""
INDEX_BYTES = 48
FRAME_HEAD = 24
FRAMES_AT_ONCE = 1000


def _load() -> bool:
    """Have SQLite use the checksum VFS; it passes files without sums through as they are."""
    try:
        apsw.sqlite_extra.load(apsw.Connection(":memory:"), "cksumvfs")
    except (apsw.sqlite_extra.NotAvailable, LookupError, apsw.Error) as failure:
        LOG.warning(
            "this apsw has no cksumvfs (%s): new memories are written without checksums, so damage "
            "on the disk may go unnoticed; install apsw's wheel from PyPI",
            failure,
        )
        return False
    return True


CHECKING = _load()
"""Whether pages can carry checksums here."""


def bad_page(db: apsw.Connection, path: Path) -> int | None:
    """The first page of the main file, from 1, whose sum is wrong, free pages included, or None."""
    if db.reserve_bytes() != SUM_BYTES:
        return None
    # Through SQLite's own file: closing one of Python's would release the locks of the process.
    file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0])
    size = int(db.pragma("page_size"))
    try:
        pages = range(0, file.xFileSize() // size * size, size)
        return next((at // size + 1 for at in pages if not _reads(file, size, at)), None)
    finally:
        file.xClose()


def _reads(file: apsw.VFSFile, size: int, at: int) -> bool:
    for attempt in range(TRIES):
        with suppress(apsw.IOError):  # its sum is wrong
            file.xRead(size, at)
            return True
        time.sleep(0.01 * attempt)
    return False


# -- the write-ahead log -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LostEnd:
    """`what` of a log cannot be read; `sure`: it was acknowledged, so it is no write cut short."""

    what: str
    sure: bool


def lost_end(path: Path) -> LostEnd | None:
    """What a file's log has lost at its end; to be asked before SQLite opens the file.

    Nobody in this process may have the file open: closing the index releases their locks.
    """
    index = _index(path)
    try:
        with Path(f"{path}-wal").open("rb") as log:
            head = log.read(LOG_HEADER.size)
            if len(head) < LOG_HEADER.size:
                return None
            magic, _, page, _, salts, *sums = LOG_HEADER.unpack(head)
            words = np.frombuffer(head[:24], "<u4" if magic == MAGIC else ">u4").astype(np.uint32)
            if magic & ~1 != MAGIC or _chained((0, 0), words[None])[0] != tuple(sums):
                return LostEnd("its header is damaged, so none of it can be read", sure=True)
            chain = _Chain((sums[0], sums[1]), salts, "<u4" if magic == MAGIC else ">u4")
            while data := log.read(FRAMES_AT_ONCE * (FRAME_HEAD + page)):
                whole = len(data) // (FRAME_HEAD + page) * (FRAME_HEAD + page)
                chain.add(np.frombuffer(data[:whole], np.uint8).reshape(-1, FRAME_HEAD + page))
                chain.cut(len(data) - whole)
    except FileNotFoundError:
        return None
    if index is not None and index[1] == salts:
        # The index counts what was synced and acknowledged, and outlives a killed process.
        if index[0] <= chain.committed:
            return None
        return LostEnd(f"of {index[0]} pages in it, {chain.committed} can be read", sure=True)
    if not chain.broken:
        return None
    what = f"page {chain.valid + 1} in it is damaged or cut short"
    # Frames are written in order: only damage leaves a bad one before others.
    return LostEnd(what, sure=chain.broken > 1)


def _index(path: Path) -> tuple[int, bytes] | None:
    """How many frames a log's index counts, and the salts of that log; None where it is unusable.

    The index is in shared memory, a file beside the log, and holds its head twice.
    """
    try:
        with Path(f"{path}-shm").open("rb") as file:
            first, second = file.read(INDEX_BYTES), file.read(INDEX_BYTES)
    except OSError:
        return None
    if len(first) < INDEX_BYTES or first != second:
        return None
    _, _, _, made, _, _, frames, _, _, _, salts = INDEX.unpack_from(first)
    return (frames, salts) if made else None


class _Chain:
    """The frames of a log, each of whose sums goes on from the one before.

    `valid`: frames whose sums are right; `committed`: of these, up to the last commit; `broken`:
    frames of this log from the first bad one on. What an older log left behind it is not counted.
    """

    def __init__(self, sums: tuple[int, int], salts: bytes, order: str) -> None:
        self._sums, self._order = sums, order
        self._salts = np.frombuffer(salts, ">u4")
        self._ended = False
        self.valid = self.committed = self.broken = 0

    def add(self, frames: NDArray[np.uint8]) -> None:
        """Go on with frames, shape (n, 24 + bytes of a page)."""
        if self._ended or not len(frames):
            return
        heads = np.ascontiguousarray(frames[:, :FRAME_HEAD]).view(">u4")
        # A flipped bit spares one salt; a frame of an older log has neither.
        ours = (heads[:, 2:4] == self._salts).any(axis=1)
        if not self.broken:
            summed = np.concatenate([frames[:, :8], frames[:, FRAME_HEAD:]], axis=1)
            words = summed.view(self._order).astype(np.uint32)
            sums = _chained(self._sums, words)
            right = (heads[:, 4:6] == np.array(sums)).all(axis=1)
            right &= (heads[:, 2:4] == self._salts).all(axis=1)
            whole = len(right) if right.all() else int(right.argmin())
            commits = np.flatnonzero(heads[:whole, 1])
            if len(commits):
                self.committed = self.valid + int(commits[-1]) + 1
            self.valid += whole
            if whole:
                self._sums = sums[whole - 1]
            ours = ours[whole:]
        whole = len(ours) if ours.all() else int(ours.argmin())
        self.broken += whole
        self._ended = whole < len(ours)

    def cut(self, rest: int) -> None:
        """The file ends after `rest` bytes of a frame."""
        self.broken += rest > 0 and not self._ended


def _chained(sums: tuple[int, int], words: NDArray[np.uint32]) -> list[tuple[int, int]]:
    """The sums after each row of words, shape (n, even), each going on from the one before.

    For each two words: s1 += first + s2, then s2 += second + s1. That is linear, so all words of
    a row are added up at once.
    """
    weights, carried = _weights(words.shape[1])
    out = []
    for first, second in (words @ weights).tolist():
        sums = tuple(
            (a * sums[0] + b * sums[1] + added) & 0xFFFFFFFF
            for (a, b), added in zip(carried, (first, second), strict=True)
        )
        out.append(sums)
    return out


def _weights(count: int) -> tuple[NDArray[np.uint32], tuple[tuple[int, int], tuple[int, int]]]:
    """What each of `count` words adds to both sums, shape (count, 2), and what the old sums do."""
    weights = np.empty((count, 2), np.uint32)
    first, second = (1, 1), (0, 1)
    for i in range(count - 2, -1, -2):
        weights[i], weights[i + 1] = first, second
        first, second = _step(first), _step(second)
    (a, c), (b, d) = weights[0].tolist(), second
    return weights, ((a, b), (c, d))


def _step(sums: tuple[int, int]) -> tuple[int, int]:
    one = (sums[0] + sums[1]) & 0xFFFFFFFF
    return one, (one + sums[1]) & 0xFFFFFFFF


def check_log(path: Path, *, strict: bool = False) -> None:
    """Raise CorruptFile where a log has surely lost its end; warn where it may have.

    `strict`: raise in both cases.
    """
    lost = lost_end(path)
    if lost is None:
        return
    text = f"the end of the write-ahead log of {path} is lost ({lost.what})"
    if not lost.sure:
        text += (
            ". If the machine or MAGS was stopped while writing, nothing that was acknowledged is "
            "gone, else what was written last"
        )
    if lost.sure or strict:
        raise CorruptFile(
            f"{text}: restore a backup, or go on with what is left by `mags verify --go-on {path}`",
            path=path,
        )
    LOG.warning("%s: `mags verify` looks at the rest", text)
