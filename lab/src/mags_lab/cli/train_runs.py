"""`mags train all`: the heads that ship, by all their courses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mags.cli.shared import out
from mags.errors import InvalidInput
from mags.extras import bring
from mags.models.policy.heads.weights import SHIPPED
from mags.settings import NANO_GONE
from mags_lab.training.heads.recipes import SERIES, series
from mags_lab.training.runs import Ledger

Preset = Annotated[str, typer.Option("--preset", help=f"How long: {', '.join(SERIES)}.")]
Out = Annotated[
    Path, typer.Option("--out", help="Folder of the run; one that was begun goes on there.")
]
Seed = Annotated[int, typer.Option(help="The same seed and threads give the same weights.")]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]


def everything(
    folder: Out, preset_name: Preset = "full", seed: Seed = 0, threads: Threads = 2
) -> None:
    """Train the heads by one course after another: `full` makes those that ship."""
    if preset_name == "nano":
        raise InvalidInput(f"{NANO_GONE} The heads that ship: --preset full.", preset=preset_name)
    series(preset_name)
    road = bring("mags_lab.training.heads.series", extra="train", needed_for="mags train all")
    ledger = road.train(preset_name, folder, seed=seed, threads=threads, console=out)
    out.print(_costs(ledger))
    place = folder / SHIPPED.path.name
    out.print(f"Use them with: mags models use {place}", markup=False, soft_wrap=True)


def _costs(ledger: Ledger) -> Table:
    made = Table(title=f"What each step cost ({ledger.folder / 'run.json'})")
    made.add_column("step")
    for name in ("s", "CPU-s", "peak MB"):
        made.add_column(name, justify="right")
    for name, step in ledger.steps.items():
        figures = (step["wall_s"], step["cpu_s"], step["peak_mb"])
        made.add_row(name, *(f"{one:.1f}" for one in figures))
    return made
