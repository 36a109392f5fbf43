"""The reader's own curve: how well the frozen model reads, by how many misleading lines it gets.

It is measured outside of games by `python -m benchmarks.reader --save`, which writes one file
`reader-SIDE--SYSTEM.json` for each side of its world and each system. The folder of a report may
have such files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import Interval
from mags_lab.evaluation.proving.tables import Grid, percent, shown
from mags_lab.evaluation.report.page import Prose, ReportTable, Section

SIDES = ("seen", "phrasings", "relations")
MEASURES = ("none", "+0", "+5", "+20", "+50")
HEADS = ("no line", "the lines that decide", "and 5 that mislead", "and 20", "and 50")
TEXT = (
    "The reader by itself, before any memory: tasks of its own world with names that its training "
    "never had; right actions in percent, with 95% intervals over tasks. It is given no line, the "
    "lines that decide (what the oracle gives it in games), and with them 5, 20 and 50 lines that "
    "mislead, those that mislead most first. seen: phrases that training had; phrasings: others; "
    "relations: whole relations it never had. walk: over rare words that lines share, without "
    "weights; cosine: the embedder alone; cited: among 20 that mislead, the share of tasks in "
    "which it names a line that decides; chance: of an action taken blindly."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curved:
    """One reader on one side of its world. `right`: the share of right actions for each measure.

    `chance`, `cited`: in percent; `made`: the command, the commit and the date.
    """

    side: str
    system: str
    right: tuple[Interval, ...]
    chance: float
    cited: float
    made: str


def read_curves(folders: Iterable[Path]) -> tuple[Curved, ...]:
    """The curves in these folders; each side and system from the first folder that has it.

    Sides in the order of SIDES, and in each the system `reader` first. Raises InvalidInput.
    """
    found: dict[tuple[str, str], Curved] = {}
    for folder in folders:
        for side in SIDES:
            for path in sorted(folder.glob(f"reader-{side}--*.json")):
                one = _read(path, side)
                found.setdefault((side, one.system), one)
    order = sorted(found, key=lambda key: (SIDES.index(key[0]), key[1] != "reader", key[1]))
    return tuple(found[key] for key in order)


def reader_section(found: Sequence[Curved]) -> Section:
    """A row for each side and system, and below it where the figures come from."""
    rows = tuple(
        (
            one.side,
            one.system,
            *(shown(percent(right)) for right in one.right),
            f"{one.chance:.1f}",
            f"{one.cited:.1f}",
        )
        for one in found
    )
    grid = Grid(head=("side", "system", *HEADS, "chance", "cited"), rows=rows)
    made = "; ".join(dict.fromkeys(one.made for one in found))
    return Section(
        id="reader",
        title="The frozen reader by itself",
        blocks=(
            Prose(text=TEXT),
            ReportTable(caption="Right actions by how many lines mislead", grid=grid, lead=2),
            Prose(text=f"Measured by {made}."),
        ),
    )


def _read(path: Path, side: str) -> Curved:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        right, facts, made = given["groups"]["all"], given["facts"], given["made"]
        return Curved(
            side=side,
            system=str(given["system"]),
            right=tuple(Interval(**right[measure]) for measure in MEASURES),
            chance=float(facts["chance"]),
            cited=float(facts["cited"]),
            made=f"{made['command']} at {made['commit']}, {made['date']}",
        )
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as failure:
        raise InvalidInput(
            f"{path} is no curve of a reader: {failure}", path=str(path)
        ) from failure
