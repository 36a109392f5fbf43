"""`mags train heads`: the heads on the frozen embedder, made from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mags.extras import bring

Out = Annotated[Path, typer.Option("--out", help="File (.npz) of the heads.")]
Train = Annotated[int, typer.Option(min=1, help="Samples to train by, made by the generator.")]
Dev = Annotated[int, typer.Option(min=1, help="Samples on which the thresholds are found.")]
Tests = Annotated[
    int, typer.Option(min=0, help="Samples of each test split to measure on; 0 measures nothing.")
]
Epochs = Annotated[int, typer.Option(min=1, help="Times that every sample is seen.")]
Width = Annotated[int, typer.Option(min=1, help="Numbers a word is told by inside the tagger.")]
Seed = Annotated[int, typer.Option(help="The same seed and threads give the same weights.")]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]
Cache = Annotated[Path, typer.Option(help="Folder that keeps the encoder's states of the samples.")]


def heads(
    file: Out,
    train: Train = 70_000,
    dev: Dev = 1_000,
    tests: Tests = 600,
    epochs: Epochs = 3,
    width: Width = 128,
    seed: Seed = 7,
    threads: Threads = 1,
    cache: Cache = Path(".cache/heads"),
) -> None:
    """Train the heads: a tagger for write, probes for the rest, on the states of the embedder.

    Prints exact adherence and F1 beside those of the rules.
    """
    made = bring("mags.training.heads.__main__", extra="train", needed_for="mags train heads")
    given = {
        "out": file,
        "train": train,
        "dev": dev,
        "tests": tests,
        "epochs": epochs,
        "width": width,
        "seed": seed,
        "threads": threads,
        "cache": cache,
    }
    made.main([word for name, value in given.items() for word in (f"--{name}", str(value))])
