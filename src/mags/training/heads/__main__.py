"""Make the heads from nothing: `python -m mags.training.heads --out heads.npz`.

Takes the course of a recipe (`mags.training.heads.recipes`), finds the thresholds on `dev` (turns
generated, of conversation and by hand), writes the file, and prints exact adherence and F1 beside
those of the rules. A course that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mags.errors import NotFound
from mags.models.policy.heads.weights import HeadsFile, Thresholds, Trained
from mags.models.policy.rules import RulePolicy
from mags.training.chains.schema import Sample
from mags.training.heads.course import Place, attend, held_back
from mags.training.heads.decide import best_fact, worths
from mags.training.heads.export import save, thresholds, trained
from mags.training.heads.labels import taught
from mags.training.heads.material import Material, passages
from mags.training.heads.recipes import RECIPES, Course, recipe
from mags.training.heads.states import Shown, states_of
from mags.training.heads.table import table
from mags.training.progress import Logbook
from mags.training.real.files import data_folder
from mags.training.recipe.ledger import peak_mb

TOLD = ("rounds", "fresh", "real", "rate", "cool", "width", "seed", "threads")
"""What the command line may put in place of the recipe's."""


def main(words: Sequence[str] | None = None) -> None:
    """Train and write the heads. `words`: those of the command line, `sys.argv` when None."""
    given = arguments(words)
    console = Console()
    course = chosen(given)
    began = time.process_time()
    held = held_back(course)
    place = Place(
        folder=given.folder / "rounds",
        held=held,
        start=HeadsFile(path=given.start) if given.start else None,
        real=read_passages(console) if course.real else (),
    )
    log = given.folder / "log"
    with Logbook(log, title="heads", steps=course.rounds, console=console) as watch:
        model = attend(course, place, watch)
    spent = time.process_time() - began
    console.print(f"trained in {spent:.0f} CPU-s, at most {peak_mb():.0f} MB")
    made = trained(model, taught())
    shown = states_of(held.dev, given.folder / "held")
    least = found_on(made, shown)
    file = save(model, replace(made.about, thresholds=least), given.out)
    console.print(f"{least}\n{file.path} {file.path.stat().st_size} bytes, sha256 {file.sha256}")
    tests = measured(held, given.tests)
    if tests.tests:
        shown = states_of(tests.tests, given.folder / "held")
        console.print(table(made, least, RulePolicy(), shown))


def read_passages(console: Console) -> tuple[Sample, ...]:
    """The real passages; none, and it says so, where the sets are not there."""
    try:
        return tuple(passages(data_folder(os.environ), taught()))
    except NotFound as missing:
        console.print(f"Real text is left out, on which the heads will read less. {missing}")
        return ()


def found_on(made: Trained, shown: Sequence[Shown]) -> Thresholds:
    """The thresholds by which heads and rules are worth most together on samples of `dev`."""
    rules = RulePolicy()
    least = thresholds(worths(made, rules, shown))
    return replace(least, fact=best_fact(made, rules, shown, least))


def measured(held: Material, most: int) -> Material:
    """The first `most` samples of each test split."""
    splits: dict[str, int] = {}
    tests = []
    for sample in held.tests:
        splits[sample.split] = splits.get(sample.split, 0) + 1
        if splits[sample.split] <= most:
            tests.append(sample)
    return replace(held, tests=tuple(tests))


def chosen(given: argparse.Namespace) -> Course:
    """The recipe that was named, with what was told to be otherwise."""
    told = {name: getattr(given, name) for name in TOLD}
    return replace(recipe(given.recipe), **{k: v for k, v in told.items() if v is not None})


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mags.training.heads", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("heads-minilm.npz"))
    parser.add_argument("--recipe", default="shipped", help=", ".join(RECIPES))
    parser.add_argument("--folder", type=Path, default=Path(".cache/heads"), help="of the run")
    parser.add_argument("--tests", type=int, default=600, help="samples of each test split, <= 600")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--fresh", type=int, default=None, help="generated samples of a round")
    parser.add_argument("--real", type=int, default=None, help="real passages of a round")
    parser.add_argument("--rate", type=float, default=None)
    parser.add_argument("--cool", type=int, default=None, help="last rounds, of a falling rate")
    parser.add_argument("--start", type=Path, default=None, help="heads to go on from")
    parser.add_argument("--width", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--seed", type=int, default=None)
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
