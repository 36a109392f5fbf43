"""`python -m mags_lab.training.heads.unheard`: heads on phrases that training never had.

Finds the thresholds of heads that are there anew, on `dev` and on `dev-phrasings` as the end of a
course does, and says what they are worth before and after on `dev`, on the phrases they were found
by, and on those of `dev-counted`, by which nothing is chosen. `--out` writes the heads with them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from mags.models.policy.heads.weights import SHIPPED, HeadsFile, opened
from mags.models.policy.rules import RulePolicy
from mags_lab.training.chains.schema import Sample, Split
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split
from mags_lab.training.heads.course import held_back
from mags_lab.training.heads.export import with_thresholds
from mags_lab.training.heads.making import found_on
from mags_lab.training.heads.recipes import WHOLE
from mags_lab.training.heads.states import states_of
from mags_lab.training.heads.table import table

SHOWN = (Split.DEV, Split.DEV_PHRASINGS, Split.DEV_COUNTED)


def main() -> None:
    """Print thresholds, and exact adherence and F1 by both."""
    parser = argparse.ArgumentParser(prog="python -m mags_lab.training.heads.unheard")
    parser.add_argument("--file", type=Path, default=None, help="of heads; default the shipped")
    parser.add_argument("--out", type=Path, default=None, help="where to write them anew")
    parser.add_argument("--samples", type=int, default=600, help="of each split that is shown")
    parser.add_argument("--seed", type=int, default=101, help="of what thresholds are found on")
    parser.add_argument("--cache", type=Path, default=Path(".cache/heads/unheard"))
    given = parser.parse_args()
    file = SHIPPED if given.file is None else HeadsFile(path=given.file)
    heads, rules, console = opened(file), RulePolicy(), Console()
    held = held_back(replace(WHOLE, seed=given.seed))
    found = found_on(heads, states_of(held.dev, given.cache, tuned=heads.tuned))
    tried = states_of(drawn(given.samples, given.seed), given.cache, tuned=heads.tuned)
    for least in (heads.about.thresholds, found):
        console.print(least)
        console.print(table(heads, least, rules, tried))
    if given.out is not None:
        console.print(with_thresholds(file, found, given.out))


def drawn(count: int, seed: int) -> list[Sample]:
    """Samples of every split that is shown, none near to another."""
    known = SeenTurns()
    return [sample for split in SHOWN for sample in of_split(split, count, seed, known)]


if __name__ == "__main__":
    main()
