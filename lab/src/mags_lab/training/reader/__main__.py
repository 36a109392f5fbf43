"""Train the games' reader on its own world: `python -m mags_lab.training.reader --out reader.npz`.

Draws tasks as it goes (in a process beside), trains, and writes the weights every 50 steps. Rate
goes down over the last `--cool` steps; `--start FILE` trains on from a file. `benchmarks.reader`
measures what came of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import torch
from rich.console import Console

from mags_lab.training.reader.batches import stream
from mags_lab.training.reader.export import load, save
from mags_lab.training.reader.fit import Fitting, fit
from mags_lab.training.reader.model import ReaderNet, Shape, between

OFTEN = 50


def main(words: Sequence[str] | None = None) -> None:
    """Train and write the reader. `words`: those of the command line, `sys.argv` when None."""
    given = arguments(words)
    console = Console()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    shape = Shape(width=given.width, inner=2 * given.width, blocks=given.blocks)
    model = load(given.start) if given.start else ReaderNet(shape)
    began = time.process_time()

    def report(step: int, choice: float, lines: float, right: float) -> None:
        spent = time.process_time() - began
        console.print(f"{step} loss {choice:.3f} lines {lines:.3f} right {right:.3f} {spent:.0f} s")
        if step % OFTEN == 0:
            save(model, given.out)

    fitting = Fitting(
        steps=given.steps, cool=given.cool, rate=given.rate, again=given.again, mean=given.mean
    )
    batches = stream(
        given.seed, given.steps, tokens=given.tokens, easy=given.easy, workers=given.workers
    )
    fit(model, batches, fitting, Random(given.seed), report)
    if given.share < 1.0:
        model = between(load(given.mix or given.start), model, given.share)
    file = save(model, given.out)
    console.print(f"{file.path} {file.path.stat().st_size} bytes, sha256 {file.sha256}")


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.training.reader", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("reader.npz"))
    parser.add_argument("--start", type=Path, default=None, help="weights to train on from")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--cool", type=int, default=1200, help="steps over which the rate falls")
    parser.add_argument("--easy", type=int, default=500, help="first batches with few lines")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--tokens", type=int, default=3000, help="about so many in a batch")
    parser.add_argument("--again", type=int, default=1, help="how often a batch is met again")
    parser.add_argument("--mean", type=float, default=0.0, help="last share of steps averaged")
    parser.add_argument("--share", type=float, default=1.0, help="of the way from --mix kept")
    parser.add_argument("--mix", type=Path, default=None, help="weights; else those of --start")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(words)
    if given.share < 1.0 and not (given.mix or given.start):
        parser.error("--share needs the weights that it starts from: --mix or --start FILE")
    return given


if __name__ == "__main__":
    main()
