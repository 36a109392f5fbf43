"""How fast a talk is taken in: `observe_many` and `observe`, in turns a second.

    python -m benchmarks.timing.bulk [--turns 500] [--rounds 3] [--against ../before/src]

Turns of LoCoMo go into a new file with the default policy and the shipped embedder, by each way
in turn, every round in a process of its own that has written a few turns before. `--against`: the
`src` of another MAGS, which writes the same turns in the same rounds. Printed are the medians of
wall time and of processor time (of all threads), and how many facts and closings were left.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import mags
from benchmarks.results import CACHE, DATA, ROOT
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.ports.policy import Turn
from mags.settings import Settings
from mags_lab.evaluation.datasets.locomo import load_locomo

WAYS = ("observe_many", "observe")
_WARM = 32
_AWAKE = Settings(memory=MemorySettings(sleep_every=0))  # nobody's config file, no sleep by itself


def said(count: int) -> list[Turn]:
    """The first `count` turns of LoCoMo, talk after talk."""
    talks = load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz")
    return [
        Turn(
            text=turn.text,
            speaker=turn.speaker,
            at=turn.at.timestamp(),
            session=f"{talk.id} {turn.session}",
        )
        for talk in talks
        for turn in talk.turns
    ][:count]


def take_in(memory: Memory, turns: Sequence[Turn], way: str) -> None:
    """Observe turns together or one by one."""
    if way == "observe_many":
        memory.observe_many(turns)
        return
    for turn in turns:
        memory.observe(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)


def measure(way: str, count: int) -> dict[str, float]:
    """Turns a second of a way, by the clock and by processor time, and what was left."""
    turns = said(count + _WARM)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        with mags.open(Path(folder) / "warm.mags", settings=_AWAKE) as memory:
            take_in(memory, turns[count:], way)
        with mags.open(Path(folder) / "talk.mags", settings=_AWAKE) as memory:
            began, spent = time.perf_counter(), time.process_time()
            take_in(memory, turns[:count], way)
            took, cpu = time.perf_counter() - began, time.process_time() - spent
            facts = memory.facts()
    closed = sum(fact.valid_to is not None for fact in facts)
    return {
        "turns_a_second": count / took,
        "turns_a_cpu_second": count / cpu,
        "facts": len(facts),
        "closed": closed,
    }


def run(sources: Mapping[str, Path], count: int, rounds: int) -> None:
    """Print the medians of every source and way, measured by turns."""
    CACHE.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name, source in sources.items():
            for way in WAYS:
                command = [sys.executable, "-m", "benchmarks.timing.bulk", "--child", way]
                command += ["--turns", str(count)]
                where = {**os.environ, "PYTHONPATH": str(source)}
                done = subprocess.run(
                    command, cwd=ROOT, env=where, check=True, stdout=subprocess.PIPE, text=True
                )
                found.setdefault((name, way), []).append(json.loads(done.stdout.splitlines()[-1]))
    for (name, way), figures in found.items():
        middle = {key: round(median(one[key] for one in figures), 1) for key in figures[0]}
        print(json.dumps({"source": name, "way": way, **middle}), flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.bulk", description=__doc__)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path, help="`src` of another MAGS")
    parser.add_argument("--child", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(measure(options.child, options.turns)))
        return 0
    sources = {"this": Path(mags.__file__).parents[1]}
    if options.against:
        sources["other"] = options.against.resolve()
    run(sources, options.turns, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
