"""`python -m benchmarks`: run the suites, keep the figures, rewrite docs/benchmarks.md.

With no argument everything runs: MAGS and the plain baselines on every suite,
then speed, size and the embedder's throughput. Embeddings are kept under
`.cache/benchmarks`, so a second run embeds nothing. The peers have an entry
of their own (`make peers`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import get_args

from benchmarks import report
from benchmarks.results import CACHE, REPORT, ROOT, load, save
from benchmarks.scored import SUITES, run_suite
from benchmarks.systems import baselines, mags_system
from benchmarks.timing import embedding, speed
from benchmarks.vectors import shipped
from mags.errors import MagsError
from mags.ports.policy import Tier

COMMAND = "make bench"
POLICY = "python -m benchmarks"
SPEED = "speed"
APART = (SPEED, embedding.SUITE)


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    options = _options(arguments)
    wanted = [] if options.report else options.suite or [*SUITES, *APART]
    try:
        suites = [name for name in wanted if name not in APART]
        _scored(suites, options)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    if SPEED in wanted:
        speed.run([int(n) for n in options.nodes.split(",")], COMMAND)
    if embedding.SUITE in wanted:
        embedding.record(COMMAND)
    report.write(load())
    print(f"wrote {REPORT.relative_to(ROOT)}")
    return 0


def _scored(suites: Sequence[str], options: argparse.Namespace) -> None:
    embedder = shipped(CACHE)
    chosen = {key: vars(options)[key] for key in ("policy", "tier") if vars(options)[key]}
    systems = [mags_system(embedder, **chosen), *([] if chosen else baselines(embedder))]
    only = options.system
    for name in suites:
        for system in systems:
            if only and system.name not in only:
                continue
            began = time.perf_counter()
            asked = "".join(f" --{key} {value}" for key, value in chosen.items())
            command = f"{POLICY}{asked}" if asked else COMMAND
            for item in run_suite(name, system, embedder, command):
                print(f"{save(item).name}  ({time.perf_counter() - began:.0f} s)", flush=True)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    suites = [*SUITES, *APART]
    parser.add_argument("--suite", action="append", choices=suites, help="only this one")
    parser.add_argument("--system", action="append", help="only the system of this name")
    sizes = ",".join(map(str, speed.SIZES))
    parser.add_argument("--nodes", default=sizes, help="sizes of the speed runs")
    kinds = ("rules", "both")
    parser.add_argument("--policy", default="", choices=kinds, help="MAGS alone, with this policy")
    parser.add_argument("--tier", choices=get_args(Tier), help="MAGS alone, recalling so carefully")
    parser.add_argument("--report", action="store_true", help="only rewrite the page")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
