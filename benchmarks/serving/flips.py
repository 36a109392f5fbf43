"""Flip one bit in copies of a memory and of its write-ahead log, and see whether it is noticed.

    python -m benchmarks.serving.flips [flips]

A process writes a memory, closes it (`file`), opens it again, writes on and is killed (`log`).
Then, of 1,000 copies, 600 get one flipped bit anywhere in the closed file, 200 one in the log
beside its index, and 200 one in a log without (as after a power cut, or where only file and log
were copied). `noticed`: `mags verify` names it; `at opening`: so does opening the memory for
writing, or it warns. What nothing names is compared row by row: `harmless` is a flip that changes
no row, `unnoticed` one that does. Besides, the log is cut at 100 random places, and the file copied
without it.
"""

from __future__ import annotations

import json
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import apsw

import mags
from mags.errors import StoreError
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings
from mags.store.sqlite import SqliteStore, verify

ENDS = ("", "-wal", "-shm")
TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
WRITER = """
import os, sys
from benchmarks.serving.flips import talk
talk(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), killed=sys.argv[4] == "1")
"""


def talk(path: str, first: int, last: int, *, killed: bool) -> None:
    """Write turns; `killed`: and die."""
    memory = mags.open(path, settings=Settings(), embedder=HashEmbedder(64))
    for i in range(first, last):
        memory.observe(f"I bought {i} apples in town {i % 17}, they were {'very ' * (i % 9)}red.")
        if i == last // 2:
            memory.snapshot(f"at {i}")
            memory._live.checkpoint()
    if killed:
        os.kill(os.getpid(), 9)
    memory.close()


def written(folder: Path, name: str) -> tuple[Path, Path]:
    """The closed file, and the one whose writer was killed."""
    log = folder / f"{name}-log.mags"
    for first, last, killed in ((0, 150, 0), (150, 200, 1)):
        words = [sys.executable, "-c", WRITER, str(log), str(first), str(last), str(killed)]
        subprocess.run(words, check=not killed)
        if not killed:
            shutil.copy(log, folder / f"{name}-file.mags")
    return folder / f"{name}-file.mags", log


def copied(path: Path, folder: Path, ends: tuple[str, ...]) -> Path:
    """A fresh copy of a memory's files."""
    place = folder / "copy.mags"
    for end in ENDS:
        Path(f"{place}{end}").unlink(missing_ok=True)
        if end in ends and Path(f"{path}{end}").exists():
            shutil.copy(f"{path}{end}", f"{place}{end}")
    return place


def named(path: Path) -> bool:
    """Whether `mags verify` names something."""
    try:
        verify(path)
    except StoreError:
        return True
    return False


class Heard(logging.Handler):
    """Whether anything was warned of."""

    warned = False

    def emit(self, _: logging.LogRecord) -> None:
        """Remember it."""
        self.warned = True


def told(path: Path) -> bool:
    """Whether opening fails or warns."""
    heard = Heard()
    logging.getLogger("mags.store").addHandler(heard)
    try:
        SqliteStore.open(path).close()
    except StoreError:
        return True
    finally:
        logging.getLogger("mags.store").removeHandler(heard)
    return heard.warned


def rows(path: Path) -> list[object]:
    """All rows of all tables."""
    db = apsw.Connection(str(path))
    try:
        tables = [name for (name,) in db.execute(TABLES)]
        found = {name: list(db.execute(f"SELECT * FROM {name}")) for name in tables}
    finally:
        db.close()
    del found["file"]  # whether it is open
    return sorted(found.items())


def campaign(folder: Path, flips: int, seed: int = 0) -> dict[str, dict[str, int]]:
    """Every flip and cut, counted."""
    chance = random.Random(seed)
    file, log = written(folder, "made")
    whole = {file: rows(copied(file, folder, ("",))), log: rows(copied(log, folder, ENDS))}
    out: dict[str, dict[str, int]] = {}
    kinds = (
        ("file", file, ("",), "", flips * 6 // 10),
        ("log with index", log, ENDS, "-wal", flips * 2 // 10),
        ("log without index", log, ENDS[:2], "-wal", flips * 2 // 10),
    )
    for name, path, ends, end, count in kinds:
        found: Counter[str] = Counter(flips=count, noticed=0, harmless=0, unnoticed=0)
        for _ in range(count):
            place = copied(path, folder, ends)
            target = Path(f"{place}{end}")
            data = bytearray(target.read_bytes())
            bit = chance.randrange(len(data) * 8)
            data[bit // 8] ^= 1 << bit % 8
            target.write_bytes(data)
            if named(place):
                found["noticed"] += 1
            else:
                same = rows(copied_as_is(place, folder)) == whole[path]
                found["harmless" if same else "unnoticed"] += 1
            place = copied(path, folder, ends)
            target.write_bytes(data)
            found["at opening"] += told(place)
        out[name] = dict(found)
    cuts: Counter[str] = Counter(cuts=flips // 10, told=0)
    for _ in range(flips // 10):
        place = copied(log, folder, ENDS)
        os.truncate(f"{place}-wal", chance.randrange(Path(f"{place}-wal").stat().st_size))
        cuts["told"] += told(place)
    out["log cut short"] = dict(cuts)
    alone = copied(log, folder, ("",))
    out["file copied without its log"] = {"copies": 1, "told": int(told(alone))}
    return out


def copied_as_is(place: Path, folder: Path) -> Path:
    """A copy of a copy, to be read without a look."""
    other = folder / "look.mags"
    for end in ENDS:
        Path(f"{other}{end}").unlink(missing_ok=True)
        if Path(f"{place}{end}").exists():
            shutil.copy(f"{place}{end}", f"{other}{end}")
    return other


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mags-flips-") as folder:
        found = campaign(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    print(json.dumps(found, indent=1))
