"""How long a process takes to start, in seconds of processor and of wall, medians.

    python -m benchmarks.timing.start [--rounds 7] [--against ../before/src]

`import`: `import mags` alone; `memory`: until `mags.open` is there; `help`: `mags --help`; `turn`:
until the first turn of a new memory is told and a question answered. Each round is a process of its
own, with compiled sources in place; `--against`: the `src` of another MAGS, in the same rounds.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.results import ROOT

WAYS = {
    "import": "import mags",
    "memory": "import mags; mags.open",
    "help": "import sys; sys.argv = ['mags', '--help']; from mags.cli import main; main()",
    "turn": (
        "import mags\nwith mags.open(None) as memory:\n"
        "    memory.observe('I live in Oslo.', speaker='Ana')\n"
        "    memory.ask('Where does Ana live?')"
    ),
}


def seconds(script: str, src: Path) -> tuple[float, float]:
    """Seconds of processor and of wall that one process takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(src)},
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> None:
    """Print a line for each way and source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    sources = [ROOT / "src", *([given.against.resolve()] if given.against else [])]
    for src in sources:
        compileall.compile_dir(src, quiet=2)
    for way, script in WAYS.items():
        taken: dict[Path, list[tuple[float, float]]] = {src: [] for src in sources}
        for _ in range(given.rounds):
            for src in sources:
                taken[src].append(seconds(script, src))
        for src, some in taken.items():
            spent, wall = (median(column) for column in zip(*some, strict=True))
            print(f"{way:7} {spent:6.2f} s of processor {wall:6.2f} s  {src}")


if __name__ == "__main__":
    main()
