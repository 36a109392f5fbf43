"""`mags train heads`: the heads on the embedder, made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mags.extras import bring
from mags_lab.training.heads.recipes import RECIPES, recipe

Out = Annotated[Path, typer.Option("--out", help="File (.npz) of the heads.")]
Recipe = Annotated[
    str, typer.Option("--recipe", help=f"How long they are trained: {', '.join(RECIPES)}.")
]
Folder = Annotated[
    Path, typer.Option(help="Folder of the run; one that was stopped goes on from there.")
]
Tests = Annotated[
    int, typer.Option(min=0, help="Samples of each test split to measure on; 0 measures nothing.")
]
Rounds = Annotated[int | None, typer.Option(min=1, help="Rounds, in place of the recipe's.")]
Start = Annotated[
    Path | None,
    typer.Option(
        "--start",
        help="Heads (.npz) to go on from; else from nothing, and `whole` from those that ship.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(help="In place of the recipe's. The same seed and threads give the same weights."),
]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]


def heads(
    file: Out,
    recipe_name: Recipe = "frozen",
    folder: Folder = Path(".cache/heads"),
    tests: Tests = 600,
    rounds: Rounds = None,
    start: Start = None,
    seed: Seed = None,
    threads: Threads = 1,
) -> None:
    """Train the heads: a tagger for write, probes for the rest, on the states of the embedder.

    The recipe `whole` trains the embedder's upper layers with them. Prints exact adherence and F1
    beside those of the rules, where the recipe has tests.
    """
    recipe(recipe_name)
    made = bring("mags_lab.training.heads.__main__", extra="train", needed_for="mags train heads")
    given = {
        "out": file,
        "recipe": recipe_name,
        "folder": folder,
        "tests": tests,
        "rounds": rounds,
        "start": start,
        "seed": seed,
        "threads": threads,
    }
    told = {name: str(value) for name, value in given.items() if value is not None}
    made.main([word for name, value in told.items() for word in (f"--{name}", value)])
