"""The heads that ship: one course after another, each from where the last one ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mags.models.policy.heads.weights import SHIPPED, HeadsFile
from mags_lab.training.heads.making import Files, make
from mags_lab.training.heads.recipes import recipe, series
from mags_lab.training.runs import RunFile


def train(
    name: str, folder: Path, *, seed: int = 0, threads: int = 1, console: Console | None = None
) -> RunFile:
    """Take every course of a series that is not taken yet; the last leaves the file to use.

    A course that was stopped goes on from its last whole round. Raises ConfigurationError where
    the folder is of another series.
    """
    told = series(name)
    ledger = RunFile(folder, {"name": name, "heads": told, "seed": seed, "threads": threads})
    start: HeadsFile | None = None
    for place, one in enumerate(told, start=1):
        last = place == len(told)
        out = folder / (SHIPPED.path.name if last else f"heads-{place}.npz")
        step = f"heads-{place}-{one}"
        if not ledger.is_done(step):
            course = recipe(one)
            course = replace(course, seed=course.seed + seed, threads=threads)
            files = Files(out=out, folder=folder / step, start=start)
            with ledger.step(step) as noted:
                made = make(course, files, console or Console(quiet=True))
                size = round(out.stat().st_size / 1e6, 2)
                noted |= {"rounds": course.rounds, "megabytes": size, "sha256": made.file.sha256}
        start = HeadsFile(path=out)
    return ledger
