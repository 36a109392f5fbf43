"""`python -m benchmarks`: run the suites, keep the figures, rewrite docs/benchmarks.md.

With no argument everything runs. Embeddings are kept under `.cache/benchmarks`,
so a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from benchmarks.places import CACHE
from benchmarks.results import save
from benchmarks.scored import SUITES, run_suite
from benchmarks.systems import baselines
from benchmarks.vectors import shipped
from mags.errors import MagsError


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    options = _options(arguments)
    embedder = shipped(CACHE)
    systems = [s for s in baselines(embedder) if not options.system or s.name in options.system]
    for name in options.suite or SUITES:
        for system in systems:
            began = time.perf_counter()
            try:
                found = run_suite(name, system, embedder, "make bench")
            except MagsError as failure:
                print(f"{name}: {failure}", file=sys.stderr)
                return 1
            for item in found:
                print(f"{save(item).name}  ({time.perf_counter() - began:.0f} s)", flush=True)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--suite", action="append", choices=list(SUITES), help="only this one")
    parser.add_argument("--system", action="append", help="only the system of this name")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
