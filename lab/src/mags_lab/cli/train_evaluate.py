"""`mags train evaluate`: policies side by side, on samples that none of them was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from mags.cli.shared import AsJson, out, print_json
from mags.errors import InvalidInput, MissingExtra
from mags_lab.cli.deciders import decider
from mags_lab.training.chains.schema import Role, Sample, Split, read_samples
from mags_lab.training.chains.splits import TESTS
from mags_lab.training.chains.variety import Known
from mags_lab.training.evaluate.deciders import Decider
from mags_lab.training.evaluate.evaluation import (
    Evaluation,
    EvaluationConfig,
    draw,
    tables,
    to_json,
)
from mags_lab.training.evaluate.evaluation import evaluate as measure
from mags_lab.training.fidelity import StoreFidelity
from mags_lab.training.generate.samples import of_split

Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL...",
        help="rules, heads, both, prompted, configured, or a path; NAME=WHAT calls it NAME.",
        show_default="rules",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(help="Samples: a file, or a folder of splits; else new ones are made."),
]
Splits = Annotated[list[Split] | None, typer.Option("--split", help="Only these splits.")]
Roles = Annotated[list[Role] | None, typer.Option("--role", help="Only these roles.")]
Most = Annotated[int, typer.Option(min=1, help="Samples of each role and split.")]
Probed = Annotated[
    int, typer.Option(min=0, help="Of those, tried on a scratch memory (store fidelity).")
]
Draws = Annotated[
    int,
    typer.Option(
        min=0,
        help="Decisions drawn for each of some samples (homogeneity: the share of pairs that "
        "agree, blank of rules, heads and both, which always decide the same).",
    ),
]
Seed = Annotated[int, typer.Option(help="Of the samples that are taken, and of what is drawn.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder for evaluation.json and exact.svg.")
]


def evaluate(
    models: Models = None,
    data: Data = None,
    split: Splits = None,
    role: Roles = None,
    most: Most = 200,
    probed: Probed = 50,
    draws: Draws = 4,
    seed: Seed = 0,
    out_folder: Out = None,
    json: AsJson = False,
) -> None:
    """Measure policies: adherence, F1, function, homogeneity, store fidelity, time and tokens."""
    deciders = [decider(given, seed=seed) for given in models or ["rules"]]
    chosen = _samples(data, split, role, most, seed)
    config = EvaluationConfig(
        most=most, probed=probed, repeated=20 if draws else 0, draws=draws, seed=seed
    )
    found = _measured(deciders, chosen, config)
    if not any(one.cells for one in found):
        names = " and ".join(one.name for one in deciders)
        raise InvalidInput(f"{names} has no model for these roles: the rules decide them.")
    if out_folder is not None:
        _write(out_folder, found)
    if json:
        print_json(found)
    else:
        out.print(tables(found))


def _samples(
    data: Path | None,
    splits: Sequence[Split] | None,
    roles: Sequence[Role] | None,
    most: int,
    seed: int,
) -> list[Sample]:
    read = _made(most, seed) if data is None else _read(data, trained=bool(splits))
    chosen = [
        one
        for one in read
        if (not splits or one.split in splits) and (not roles or one.role in roles)
    ]
    if not chosen:
        raise InvalidInput("There are no samples of these splits and roles.", samples=0)
    return chosen


def _read(data: Path, *, trained: bool) -> Iterator[Sample]:
    if not data.is_dir():
        yield from read_samples(data)
        return
    for path in sorted(data.glob("*.jsonl")):
        if trained or path.stem != Split.TRAIN.value:
            yield from read_samples(path)


def _made(most: int, seed: int) -> Iterator[Sample]:
    known = Known()
    for split in TESTS:
        yield from of_split(split, 3 * most, seed, known)


def _measured(
    deciders: Sequence[Decider], chosen: Sequence[Sample], config: EvaluationConfig
) -> list[Evaluation]:
    fidelity = StoreFidelity() if config.probed else None
    with Progress(transient=True) as progress:

        def one(decider: Decider) -> Evaluation:
            task = progress.add_task(decider.name, total=None)

            def tell(role: str, split: str) -> None:
                progress.update(task, description=f"{decider.name}: {role}, {split}")

            return measure(decider, chosen, config, fidelity=fidelity, on_cell=tell)

        return [one(decider) for decider in deciders]


def _write(folder: Path, found: Sequence[Evaluation]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evaluation.json").write_text(to_json(found), encoding="utf-8")
    try:
        draw(found, folder / "exact.svg")
    except MissingExtra as failure:
        out.print(f"No picture: {failure}.", markup=False)
