"""`python -m benchmarks.ways`: how many sentences that tell how places lie the rules read.

240 sentences written apart, without sight of the rules (`banks/ways.jsonl`): ways from one place to
another, exits of one, and some that tell neither. The rules were mended on those of odd number;
those of even number say what they are worth. `--real`: every such fact that is read in the real
texts of the shared data, with its sentence, to be judged by hand.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.results import DATA, ROOT
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.ports.policy import Operation, Turn
from mags_lab.evaluation.datasets.source import read_json, read_jsonl
from mags_lab.games.players.directions import LYING, OPPOSITE, WayPolicy, exits_of, lying

LINES = ROOT / "benchmarks" / "banks" / "ways.jsonl"
REAL = ("locomo", "lifebench", "longmemeval", "multihop", "redocred", "personamem", "knowledgenet")
POLICY = WayPolicy()
Told = tuple[str, str, str] | tuple[str, frozenset[str]]
"""A place, the side it lies on, of which place; or a place, and its exits."""


def main(arguments: Sequence[str]) -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ways", description=__doc__)
    parser.add_argument("--real", action="store_true", help="list what real texts give")
    if parser.parse_args(arguments).real:
        return _real()
    table = Table("sentences", "half", "n", "read", "something wrong")
    every = list(read_jsonl(LINES))
    for kind in ("way", "exits", "none"):
        for half, odd in (("mended on", 1), ("held out", 0)):
            lines = [one for one in every if one["kind"] == kind and one["id"] % 2 == odd]
            both = [(told(one["text"]), _gold(one)) for one in lines]
            right = sum(bool(found & gold) for found, gold in both)
            wrong = sum(bool(found - gold) for found, gold in both)
            table.add_row(
                kind, half, str(len(lines)), "-" if kind == "none" else str(right), str(wrong)
            )
    Console(width=100).print(table)
    return 0


def told(text: str) -> frozenset[Told]:
    """What a text tells of how places lie, as the rules read it."""
    read = POLICY.write(Turn(text=text, speaker="guide", at=0.0), (), ())
    return frozenset(found for op in read.operations if (found := _told(op)) is not None)


def _told(op: Operation) -> Told | None:
    if op.relation in LYING:
        return _bare(op.subject), LYING[op.relation], _bare(op.object)
    exits = exits_of(op.subject, op.object)
    return (_bare(op.subject), exits) if exits else None


def _gold(line: Mapping[str, Any]) -> frozenset[Told]:
    """What a sentence tells, a way in both directions of which one is kept."""
    if line["kind"] == "way":
        start, side, end = _bare(line["from"]), line["side"], _bare(line["to"])
        return frozenset({(end, side, start), (start, OPPOSITE[side], end)})
    if line["kind"] == "exits":
        return frozenset({(_bare(line["place"]), frozenset(line["sides"]))})
    return frozenset()


def _bare(name: str) -> str:
    return name.lower().removeprefix("the ")


def _real() -> int:
    looked = dict.fromkeys(one for name in REAL for path in _files(name) for one in _lines(path))
    for one in looked:
        for op in lying(tokenise(one)):
            print(f"{op.text} <- {one[:200]}")
    print(f"{len(looked)} sentences with a side")
    return 0


def _files(name: str) -> list[Path]:
    return sorted(path for path in (DATA / name).rglob("*.json*") if path.is_file())


def _lines(path: Path) -> Iterator[str]:
    """The sentences of a file of any shape that have the word of a side."""
    whole = list(read_jsonl(path)) if ".jsonl" in path.name else read_json(path)
    for text in _texts(whole):
        for one in sentences(text) if any(side in text for side in OPPOSITE) else ():
            if any(side in one for side in OPPOSITE):
                yield one


def _texts(thing: object) -> Iterator[str]:
    if isinstance(thing, str):
        yield thing
    elif isinstance(thing, Mapping):
        for one in thing.values():
            yield from _texts(one)
    elif isinstance(thing, list):
        for one in thing:
            yield from _texts(one)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
