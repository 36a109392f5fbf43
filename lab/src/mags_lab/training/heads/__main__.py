"""Make the heads from nothing: `python -m mags_lab.training.heads --out heads.npz`.

Takes the course of a recipe (`mags_lab.training.heads.recipes`), finds the thresholds on `dev`,
writes the file, and prints exact adherence and F1 beside those of the rules. A course that was
stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mags.models.policy.heads.weights import HeadsFile
from mags.models.policy.rules import RulePolicy
from mags_lab.training.heads.making import Files, make
from mags_lab.training.heads.material import Material
from mags_lab.training.heads.recipes import RECIPES, Course, recipe
from mags_lab.training.heads.states import states_of
from mags_lab.training.heads.table import table

TOLD = ("rounds", "fresh", "real", "rate", "cool", "width", "seed", "threads")
"""What the command line may put in place of the recipe's."""


def main(words: Sequence[str] | None = None) -> None:
    """Train and write the heads. `words`: those of the command line, `sys.argv` when None."""
    given = arguments(words)
    console = Console()
    start = HeadsFile(path=given.start) if given.start else None
    files = Files(out=given.out, folder=given.folder, start=start)
    made = make(chosen(given), files, console)
    least, file = made.trained.about.thresholds, made.file
    console.print(f"{least}\n{file.path} {file.path.stat().st_size} bytes, sha256 {file.sha256}")
    tests = measured(made.held, given.tests)
    if tests.tests:
        shown = states_of(tests.tests, files.states, tuned=made.trained.tuned)
        console.print(table(made.trained, least, RulePolicy(), shown))


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
    course = recipe(given.recipe)
    told = {name: getattr(given, name) for name in TOLD if getattr(given, name) is not None}
    if course.tuning and given.share is not None:
        told["tuning"] = replace(course.tuning, share=given.share)
    return replace(course, **told)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.training.heads", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("heads-minilm.npz"))
    parser.add_argument("--recipe", default="frozen", help=", ".join(RECIPES))
    parser.add_argument("--folder", type=Path, default=Path(".cache/heads"), help="of the run")
    parser.add_argument("--tests", type=int, default=600, help="samples of each test split, <= 600")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--fresh", type=int, default=None, help="generated samples of a round")
    parser.add_argument("--real", type=int, default=None, help="real passages of a round")
    parser.add_argument("--rate", type=float, default=None)
    parser.add_argument("--cool", type=int, default=None, help="last rounds, of a falling rate")
    parser.add_argument("--start", type=Path, default=None, help="heads to go on from")
    parser.add_argument("--share", type=float, default=None, help="of the way, of the encoder's")
    parser.add_argument("--width", type=int, default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--seed", type=int, default=None)
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
