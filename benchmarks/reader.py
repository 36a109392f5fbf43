"""`python -m benchmarks.reader`: what the games' reader makes of lines, by how many mislead.

Tasks of the reader's own world (`mags_lab.training.reader`), all with names of syllables that
training never had: phrases that training had (`seen`), phrases it had not (`phrasings`), and whole
relations it had not (`relations`). Given no line; the lines needed; and 5, 20, 50 lines more.
Beside it the walk over rare words that needs no weights, the embedder's cosine, and chance.

`--weights FILE` measures another reader; `--save` keeps the figures for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.results import result, save
from benchmarks.systems import System
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.reader.network import ReaderFile
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.games.reader import LexicalReader, opened, shipped_reader
from mags_lab.games.reader.reader import guess
from mags_lab.games.turns import Choice, GameReader
from mags_lab.training.reader.book import PHRASES, SIDES, Side
from mags_lab.training.reader.tasks import Task, bare, task, tasks

COMMAND = "python -m benchmarks.reader --save"
EXTRA = (0, 5, 20, 50)
SLOW = 100
"""Tasks of a cell for the embedder's cosine, which embeds every line anew."""
FRAMES = (
    "Please tell me: {}",
    "Here is what I want to know. {}",
    "{} Choose well.",
    "Well then: {}",
)
NOTES = {
    "reader": "the embedded reader, as shipped: some 370,000 weights, numpy",
    "walk": "over lines that share rare words, no weights",
    "cosine": "the action whose question and text are nearest to a line, by the embedder",
}


class CosineReader:
    """The action that, put after the question, is nearest to any one line."""

    def __init__(self) -> None:
        self._embedder = OnnxEmbedder()

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """By the greatest cosine."""
        if not lines:
            return guess(question, actions)
        asked = self._embedder.embed([f"{question} {action}" for action in actions])
        near = (asked @ self._embedder.embed(list(lines)).T).max(axis=1)
        return Choice(action=actions[int(near.argmax())], sure=1.0 / len(actions))


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print. `words`: those of the command line, `sys.argv` when None."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reader", description=__doc__)
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--count", type=int, default=400, help="tasks of a cell")
    parser.add_argument("--only", choices=("reader", "walk", "cosine"), default=None)
    parser.add_argument("--seed", type=int, default=2031)
    parser.add_argument("--save", action="store_true")
    given = parser.parse_args(words)
    trained = opened(ReaderFile(path=given.weights)) if given.weights else shipped_reader()
    readers: dict[str, Callable[[], GameReader]] = {
        "reader": lambda: trained,
        "walk": LexicalReader,
        "cosine": CosineReader,
    }
    console = Console(width=130)
    for name, make in readers.items():
        if given.only in {None, name}:
            count = min(given.count, SLOW) if name == "cosine" else given.count
            _measure(name, make(), count, given.seed, console, keep=given.save)
    return 0


def _measure(
    name: str, reader: GameReader, count: int, seed: int, console: Console, *, keep: bool
) -> None:
    columns = ("side", "chance", "none", *(f"+{n}" for n in EXTRA), "cited", "ms at +20")
    table = Table("reader", *columns, title="right actions, %")
    for side_name, side in SIDES.items():
        groups, facts = curve(reader, side, count, seed)
        own = groups["all"]
        shown = [own[m].mean for m in ("none", *(f"+{n}" for n in EXTRA))]
        figures = [facts["chance"], *(100 * x for x in shown), facts["cited"], facts["ms"]]
        table.add_row(name, side_name, *(f"{x:.1f}" for x in figures))
        if keep:
            system = System(name=name, note=NOTES[name])
            save(result(f"reader-{side_name}", system, groups, facts, COMMAND))
    console.print(table)
    traps = trapped(reader, count, seed) | declined(reader, count, seed)
    console.print({trap: f"{100 * found.mean:.1f}" for trap, found in traps.items()})
    if keep:
        system = System(name=name, note=NOTES[name])
        save(result("reader-traps", system, {"all": traps}, {}, COMMAND))


def curve(
    reader: GameReader, side: Side, count: int, seed: int
) -> tuple[Mapping[str, Mapping[str, Interval]], dict[str, float]]:
    """Right actions by how many lines are too many; chance, lines cited rightly, milliseconds."""
    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    facts: dict[str, float] = {}
    for extra in EXTRA:
        some = list(tasks(seed, side, count, extra=extra))
        began = time.process_time()
        choices = [reader.choose(one.lines, one.question, one.actions) for one in some]
        spent = 1000.0 * (time.process_time() - began) / count
        _note(found, f"+{extra}", some, choices)
        if extra == 0:
            none = [bare(one) for one in some]
            blind = [reader.choose((), one.question, one.actions) for one in none]
            _note(found, "none", some, blind)
            facts["chance"] = 100.0 * float(
                np.mean([len(one.right) / len(one.actions) for one in some])
            )
        if extra == 20:
            facts["ms"] = spent
            cited = [
                bool(set(choice.cited) & set(one.needed))
                for one, choice in zip(some, choices, strict=True)
            ]
            facts["cited"] = 100.0 * float(np.mean(cited))
    groups = {
        group: {measure: bootstrap(values) for measure, values in sorted(own.items())}
        for group, own in found.items()
    }
    return groups, facts


def _note(
    found: dict[str, dict[str, list[float]]],
    measure: str,
    some: Sequence[Task],
    choices: Sequence[Choice],
) -> None:
    """Put each task's outcome under all and under its kind."""
    for one, choice in zip(some, choices, strict=True):
        for group in ("all", f"kind:{one.kind}", f"kind:{one.hops} hops"):
            found[group].setdefault(measure, []).append(float(choice.action in one.right))


def trapped(reader: GameReader, count: int, seed: int) -> dict[str, Interval]:
    """Dated tasks as they are, with their lines out of order, and with a question framed anew."""
    rng = Random(seed)
    some = [
        one
        for one in tasks(seed + 1, PHRASES, 2 * count, extra=10)
        if all(line.startswith("[") for line in one.lines)
    ]
    mixed = [replace(one, lines=tuple(rng.sample(one.lines, len(one.lines)))) for one in some]
    framed = [replace(one, question=rng.choice(FRAMES).format(one.question)) for one in some]

    def right(given: Sequence[Task]) -> Interval:
        return bootstrap(
            [
                float(reader.choose(one.lines, one.question, one.actions).action in one.right)
                for one in given
            ]
        )

    return {"as told": right(some), "lines shuffled": right(mixed), "asked anew": right(framed)}


def declined(reader: GameReader, count: int, seed: int) -> dict[str, Interval]:
    """An action declines, in words that training never had: nothing was told, or all was; and what
    may be done and what not.
    """
    found = {}
    for name, kind in (("never told", "untold"), ("told", "told"), ("may one", "law")):
        rng = Random(seed)
        some = [task(rng, PHRASES, extra=5, kind=kind) for _ in range(count)]
        found[name] = bootstrap(
            [
                float(reader.choose(one.lines, one.question, one.actions).action in one.right)
                for one in some
            ]
        )
    return found


if __name__ == "__main__":
    sys.exit(main())
