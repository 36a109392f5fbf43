"""Evaluations to look at: a table, and a picture where matplotlib is there (extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.table import Table

from mags.errors import MissingExtra
from mags.training.evaluate.evaluation import Evaluation
from mags.training.evaluate.scores import Cell

SHOWN = (
    *("exact", "gist", "precision", "recall", "f1", "function"),
    *("refused", "mixed", "fidelity", "agreement"),
)
WIDE = ("exact",)
"""Measures that are shown with their interval."""


def table(found: Sequence[Evaluation]) -> Table:
    """One row for each role, split and decider; shares in per cent, times in milliseconds."""
    made = Table(title="Shares in %, exact with its 95% interval; ms and tokens a decision")
    for name in ("role", "split", "policy"):
        made.add_column(name)
    for name in ("n", *SHOWN, "p50", "p95", "tokens"):
        made.add_column(name, justify="right")
    for role, split in _keys(found):
        for one in found:
            cell = one.cell(role, split)
            if cell is not None:
                made.add_row(role, split, one.name, *_row(cell))
    return made


def draw(found: Sequence[Evaluation], path: Path) -> None:
    """Write a picture: exact adherence of each decider, by role and split, with its interval.

    The ending of `path` says of what form (.svg). Raises MissingExtra without matplotlib.
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


def _row(cell: Cell) -> list[str]:
    shares = []
    for name in SHOWN:
        known = cell.measures.get(name)
        if known is None:
            shares.append("")
        else:
            shares.append(str(known) if name in WIDE else f"{100 * known.mean:.1f}")
    costs = (cell.p50_ms, cell.p95_ms)
    times = ["" if cost is None else f"{cost:.1f}" for cost in costs]
    tokens = "" if cell.tokens is None else f"{cell.tokens:.0f}"
    return [str(cell.n), *shares, *times, tokens]
