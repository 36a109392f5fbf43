"""Evaluations to look at: tables, and a picture where matplotlib is there (extra `plot`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mags.errors import MissingExtra
from mags_lab.training.evaluate.evaluation import Evaluation
from mags_lab.training.evaluate.scores import Cell

SAID = {"n": "n", "exact": "exact", "gist": "gist", "precision": "P", "recall": "R", "f1": "F1"}
DONE = {
    **{"function": "func", "refused": "ref", "mixed": "mix", "fidelity": "fid"},
    **{"agreement": "agr", "p50_ms": "p50", "p95_ms": "p95", "tokens": "tok"},
}
"""Columns of the two tables of a role: what is looked up in a cell, and what stands above it."""


def tables(found: Sequence[Evaluation]) -> Group:
    """Two tables a role, eighty columns wide: what was said, and how that was done and at what
    cost. Shares in per cent (exact with its 95% interval), times in milliseconds. Below them a
    line on each policy that lacks a role.
    """
    made: list[RenderableType] = []
    for role in dict.fromkeys(role for role, _ in _keys(found)):
        made.append(_table(found, role, f"{role}: what it says, %", SAID))
        made.append(_table(found, role, f"{role}: how, %, and at what cost, ms and tokens", DONE))
    made += [_lacking(one) for one in found if one.lacks]
    return Group(*made)


def _table(found: Sequence[Evaluation], role: str, title: str, columns: Mapping[str, str]) -> Table:
    cells = [
        (split, one.name, cell)
        for named, split in _keys(found)
        if named == role
        for one in found
        if (cell := one.cell(role, split)) is not None
    ]
    known = [name for name in columns if any(_shown(cell, name) for _, _, cell in cells)]
    made = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    made.add_column("split")
    made.add_column("policy", overflow="fold", max_width=16)
    for name in known:
        made.add_column(columns[name], justify="right", no_wrap=True)
    for split, name, cell in cells:
        made.add_row(split, name, *(_shown(cell, column) for column in known))
    return made


def _lacking(one: Evaluation) -> Text:
    roles = " and no ".join(one.lacks)
    return Text(f"{one.name} has no {roles}: where it is in use, the rules decide that.")


def draw(found: Sequence[Evaluation], path: Path) -> None:
    """Write a picture: exact adherence of each decider, by role and split, with its interval.

    The ending of `path` says of what form (.svg). Raises MissingExtra without matplotlib. At least
    one decider has a cell.
    """
    try:
        figure_of: Any = import_module("matplotlib.figure").Figure
    except ImportError as failure:
        raise MissingExtra(extra="plot", needed_for="a picture of an evaluation") from failure
    roles = list(dict.fromkeys(role for role, _ in _keys(found)))
    figure = figure_of(figsize=(4.0 * len(roles), 3.6), layout="constrained")
    for axes, role in zip(figure.subplots(1, len(roles), squeeze=False)[0], roles, strict=True):
        _bars(axes, found, role)
    figure.axes[0].set_ylabel("exact, %")
    figure.axes[-1].legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _bars(axes: Any, found: Sequence[Evaluation], role: str) -> None:  # noqa: ANN401 - matplotlib
    splits = [split for named, split in _keys(found) if named == role]
    width = 0.8 / len(found)
    for place, one in enumerate(found):
        known = [(i, one.cell(role, split)) for i, split in enumerate(splits)]
        shown = [(i, cell.measures["exact"]) for i, cell in known if cell is not None]
        axes.bar(
            [i + (place - (len(found) - 1) / 2) * width for i, _ in shown],
            [100 * exact.mean for _, exact in shown],
            width,
            yerr=[
                [100 * max(0.0, exact.mean - exact.low) for _, exact in shown],
                [100 * max(0.0, exact.high - exact.mean) for _, exact in shown],
            ],
            label=one.name,
        )
    axes.set_title(role)
    axes.set_ylim(0, 100)
    axes.set_xticks(range(len(splits)), splits, rotation=30, ha="right")


def _keys(found: Sequence[Evaluation]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((c.role, c.split) for one in found for c in one.cells))


def _shown(cell: Cell, name: str) -> str:
    known = cell.measures.get(name)
    if known is None:
        cost = getattr(cell, name, None)
        return "" if cost is None else f"{cost:.1f}" if name.endswith("_ms") else f"{cost:.0f}"
    share = f"{100 * known.mean:.1f}"
    return f"{share} ({100 * known.low:.0f}-{100 * known.high:.0f})" if name == "exact" else share
