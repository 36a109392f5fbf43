"""`python -m benchmarks.rl`: GRPO, GRPO without labels, PPO, and two specialists against one.

Needs the extra `train`. A run lies in a folder and is taken up where it was left: each cell is made
once, and several processes may make the cells of different seeds. `--stop-after 3600` begins no new
cell after so many processor seconds; what is there so far becomes results, the picture of the
curves and the page.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.results import PICTURES, RESULTS, ROOT, load, save
from benchmarks.rl.cells import StudyRun, on_dev
from benchmarks.rl.chapter import PICTURE
from benchmarks.rl.figures import parted, plot, results
from benchmarks.rl.presets import LEAN, STUDIES
from benchmarks.rl.study import GRPO, SWEEP, StudyCell
from mags.errors import MagsError

COMMAND = "python -m benchmarks.rl"


def main(arguments: Sequence[str]) -> int:
    """Make what is missing, then write down what is there; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--study", choices=list(STUDIES), default=LEAN.name)
    parser.add_argument("--out", type=Path, default=ROOT / ".cache" / "rl", help="the run's folder")
    parser.add_argument("--stop-after", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--seed", type=int, action="append", help="only this one's cells")
    parser.add_argument("--kind", action="append", help="only cells of this kind")
    parser.add_argument(
        "--dev", action="store_true", help="only tell how what is there does on dev"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are written")
    parser.add_argument("--pictures", type=Path, default=PICTURES, help="where curves are drawn")
    options = parser.parse_args(arguments)
    run = StudyRun(study=STUDIES[options.study], folder=options.out / options.study)
    try:
        run.begin()
        chosen = [
            cell
            for cell in run.study.cells()
            if cell.seed in (options.seed or run.study.seeds)
            and (not options.kind or cell.kind in options.kind)
        ]
        if options.dev:
            return _tell(run, chosen)
        _make(run, chosen, options.stop_after)
    except MagsError as failure:
        print(failure, file=sys.stderr)
        return 1
    tests = run.tests()
    found = {
        (c.kind, c.seed): {**left, "measures": parted(left["measures"], tests)}
        for c in run.study.cells()
        if (left := run.read(c))
    }
    reinforced = GRPO in run.study.kinds
    kinds = run.study.kinds if reinforced else ()
    for one in results(found, f"{COMMAND} --study {options.study}", kinds):
        print(f"{save(one, options.results).name}")
    if reinforced:
        plot(found, options.pictures / PICTURE)
    if options.results == RESULTS:
        report.write(load())
    return 0


def _make(run: StudyRun, cells: Sequence[StudyCell], stop_after: float) -> None:
    for cell in cells:
        if run.read(cell) is None and time.process_time() > stop_after:
            return
        made = run.make(cell)
        exact = {n: f"{sum(m['exact']) / len(m['exact']):.3f}" for n, m in made["measures"].items()}
        print(f"seed {cell.seed} {cell.name}: {made['cpu_s']:.0f} s, {exact}", flush=True)


def _tell(run: StudyRun, cells: Sequence[StudyCell]) -> int:
    for cell in cells:
        if cell.kind != SWEEP and run.read(cell) is not None:
            exact = {role: f"{value:.3f}" for role, value in on_dev(run, cell).items()}
            print(f"seed {cell.seed} {cell.name}: {exact}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
