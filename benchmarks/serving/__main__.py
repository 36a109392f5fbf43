"""Load a real server and kill it; print, save and put into the page what came of it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import report
from benchmarks.peers.__main__ import environment
from benchmarks.results import ROOT, load, result, save
from benchmarks.serving.fairness import every_kind
from benchmarks.serving.fuzz import fuzz
from benchmarks.serving.holders import one_node, one_of_three, shared
from benchmarks.serving.loads import Crowd, kills, mixture, recalls
from benchmarks.serving.many import costs, served
from benchmarks.serving.probes import probes
from benchmarks.systems import System

COMMAND = "python -m benchmarks.serving"
SUITE = "serving"
LOADS = (
    "recall",
    "mixture",
    "kills",
    "probes",
    "fuzz",
    "fairness",
    "workers",
    "worker-killed",
    "machine-killed",
)
MANY = ("memories", "costs")


def main() -> int:
    """Measure, save and rewrite the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--only", choices=(*LOADS, *MANY, "library"), default=None)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--probes", type=int, default=20_000)
    parser.add_argument(
        "--state", type=Path, help="where --only kills, probes or fuzz is kept, to go on later"
    )
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5, help="of fairness, for each kind")
    options = parser.parse_args()
    crowd = Crowd(clients=64, memories=100)
    loads = {
        "recall": lambda at: recalls(at, nodes=options.nodes, clients=8, each=150),
        "mixture": lambda at: mixture(at, crowd, seconds=options.seconds),
        "kills": lambda at: kills(
            at, crowd, times=options.kills, state=options.state or at / "state"
        ),
        "workers": lambda at: shared(at, each=150),
        "worker-killed": one_of_three,
        "machine-killed": one_node,
        "probes": lambda at: probes(at, times=options.probes, state=options.state or at / "state"),
        "fuzz": lambda at: fuzz(at, options.state or at / "state", requests=options.requests),
        "fairness": lambda at: every_kind(at, seconds=5.0, rounds=options.rounds),
    }
    for name, work in loads.items():
        if options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory(prefix="mags-serving-") as folder:
            found = work(Path(folder))
        print(name, {key: round(value, 2) for key, value in found.items()}, flush=True)
        command = f"{COMMAND} --only {name}"
        save(result(f"{SUITE}-{name}", System(name="MAGS"), {}, found, command))
    count = options.memories
    for name, measure in (("costs", costs), ("memories", lambda: served(count, cold=400))):
        if options.only != name:  # minutes and gigabytes: only where it is asked for
            continue
        found = measure()
        print(name, {key: round(value, 2) for key, value in found.items()}, flush=True)
        suite, more = f"{SUITE}-{name}", ""
        if name == "memories":
            suite, more = f"{suite}-{count}", f" --memories {count}"
        save(result(suite, System(name="MAGS"), {}, found, f"{COMMAND} --only {name}{more}"))
    if options.only in (None, "library"):
        for name, python in (("MAGS", sys.executable), ("mem0", str(environment()))):
            found = library(name, python)
            print("library", name, {key: round(value, 2) for key, value in found.items()})
            command = f"{COMMAND} --only library"
            save(result(f"{SUITE}-library", System(name=name), {}, found, command))
    report.write(load())
    return 0


def library(name: str, python: str) -> dict[str, float]:
    """The mixture by calls of a library, in a process of its own."""
    quiet = {
        "OMP_NUM_THREADS": "1",
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(ROOT / ".cache" / "mem0"),
        "HF_HUB_OFFLINE": "1",
    }
    done = subprocess.run(
        [python, "-m", "benchmarks.serving.library", name],
        cwd=ROOT, env=os.environ | quiet, check=True, capture_output=True, text=True,
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    sys.exit(main())
