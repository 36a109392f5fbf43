"""Make the heads from nothing: `python -m mags.training.heads --out heads.npz`.

Generates samples, keeps the encoder's states of them under `--cache`, trains (from nothing, or on
from other heads), finds the thresholds of writing and routing on those of `dev` that are
conversation or by hand, that of asking on all of `dev`, writes the file, and prints exact adherence
and F1 beside those of the rules.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mags.models.policy.heads.weights import HeadsFile
from mags.models.policy.rules import RulePolicy
from mags.training.heads.decide import best_fact, worths
from mags.training.heads.export import save, thresholds, trained
from mags.training.heads.fit import Fitting, fit
from mags.training.heads.labels import vocabulary
from mags.training.heads.material import material, unlike
from mags.training.heads.model import Shape
from mags.training.heads.states import states_of
from mags.training.heads.table import table
from mags.training.progress import Logbook


def main(words: Sequence[str] | None = None) -> None:
    """Train and write the heads. `words`: those of the command line, `sys.argv` when None."""
    given = arguments(words)
    console = Console()
    began = time.process_time()
    talk = given.train // 6 if given.talk is None else given.talk
    found = material(
        train=given.train, dev=given.dev, tests=given.tests, seed=given.seed, talk=talk
    )
    shown = states_of(found.train, given.cache)
    console.print(f"{len(shown)} samples, states made in {time.process_time() - began:.0f} CPU-s")
    known = vocabulary(found.train)
    shape = Shape(relations=len(known.relations), layers=3, width=given.width)
    fitting = Fitting(
        epochs=given.epochs,
        rows=given.rows,
        rate=given.rate,
        seed=given.seed if given.order is None else given.order,
        threads=given.threads,
        most=given.most,
        start=HeadsFile(path=given.start) if given.start else None,
    )
    began = time.process_time()
    with Logbook(given.log, title="heads", steps=0, console=console) as watch:
        model = fit(shown, known, shape, fitting, watch)
    console.print(f"trained in {time.process_time() - began:.0f} CPU-s")
    rules = RulePolicy()
    made = trained(model, known)
    save(model, made.about, given.out)
    held = states_of(found.dev, given.cache)
    strange = [one for one in held if unlike(one.sample)]
    unlike_worth = worths(made, rules, strange)
    least = thresholds({**unlike_worth, "ask": worths(made, rules, held)["ask"]})
    least = replace(least, fact=best_fact(made, rules, strange, least))
    about = replace(made.about, thresholds=least)
    file = save(model, about, given.out)
    console.print(f"{least}\n{file.path} {file.path.stat().st_size} bytes, sha256 {file.sha256}")
    if found.tests:
        console.print(table(made, least, rules, states_of(found.tests, given.cache)))


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m mags.training.heads", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("heads-minilm.npz"))
    parser.add_argument("--cache", type=Path, default=Path(".cache/heads"))
    parser.add_argument("--log", type=Path, default=None, help="folder of scalars.jsonl")
    parser.add_argument("--train", type=int, default=70_000)
    parser.add_argument(
        "--talk", type=int, default=None, help="turns of conversation besides; a sixth"
    )
    parser.add_argument("--dev", type=int, default=1000)
    parser.add_argument("--tests", type=int, default=600, help="samples of each test split")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--most", type=int, default=0, help="samples to draw of all; 0: all")
    parser.add_argument("--start", type=Path, default=None, help="heads to go on from")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=7, help="of the samples")
    parser.add_argument("--order", type=int, default=None, help="seed of the training; as --seed")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
