"""One evaluation of a decider over samples, kept as JSON, shown as tables and as a picture."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mags.errors import CorruptFile, MissingExtra
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.evaluate.deciders import Decider
from mags_lab.training.evaluate.intervals import RatioInterval
from mags_lab.training.evaluate.scores import JudgedDecision, RoleScores, cells, judge
from mags_lab.training.reward import Fidelity


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """How much is looked at. Each a number of samples of a role and split.

    `most`: decided at all. `probed`: applied to a scratch memory (store fidelity), of writing.
    `repeated`: decided `draws` times more, for homogeneity.
    """

    most: int = 200
    probed: int = 50
    repeated: int = 20
    draws: int = 4
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one decider reached, cell by cell. `lacks`: roles that were looked at and it has not."""

    name: str
    cells: tuple[RoleScores, ...]
    lacks: tuple[str, ...] = ()

    def cell(self, role: str, split: str) -> RoleScores | None:
        """The cell of a role and split, or None."""
        found = (one for one in self.cells if (one.role, one.split) == (role, split))
        return next(found, None)


def evaluate(
    decider: Decider,
    samples: Iterable[Sample],
    config: EvaluationConfig,
    *,
    fidelity: Fidelity | None = None,
    on_cell: Callable[[str, str], None] = lambda role, split: None,
) -> Evaluation:
    """Decide samples and judge the decisions; `on_cell` hears of each cell before it begins.

    Samples of a role that the decider lacks are left out: there is nothing of it to judge.
    """
    verdicts: list[JudgedDecision] = []
    lacks: set[Role] = set()
    for (role, split), some in chosen(samples, config).items():
        if role not in decider.roles:
            lacks.add(role)
            continue
        on_cell(role, split)
        verdicts += _judged(decider, some, config, fidelity)
    return Evaluation(
        name=decider.name,
        cells=cells(verdicts, seed=config.seed),
        lacks=tuple(role.value for role in Role if role in lacks),
    )


def chosen(
    samples: Iterable[Sample], config: EvaluationConfig
) -> Mapping[tuple[Role, str], Sequence[Sample]]:
    """At most `most` samples of each role and split, drawn by the seed, the same for everyone."""
    found: dict[tuple[Role, str], list[Sample]] = defaultdict(list)
    for sample in samples:
        found[sample.role, sample.split.value].append(sample)
    return {
        key: some
        if len(some) <= config.most
        else Random(f"{config.seed} {key}").sample(some, config.most)
        for key, some in found.items()
    }


def _judged(
    decider: Decider, some: Sequence[Sample], config: EvaluationConfig, fidelity: Fidelity | None
) -> list[JudgedDecision]:
    decided = decider.decide(some)
    sampled = decider.sample(some[: config.repeated], config.draws) if config.repeated else ()
    return [
        judge(
            sample,
            decision,
            sampled[i] if i < len(sampled) else (),
            fidelity=fidelity if i < config.probed else None,
        )
        for i, (sample, decision) in enumerate(zip(some, decided, strict=True))
    ]


def to_json(found: Sequence[Evaluation]) -> str:
    """Evaluations as JSON, read back by `from_json`."""
    return json.dumps([asdict(one) for one in found], indent=1)


def from_json(path: Path) -> list[Evaluation]:
    """Read what `to_json` wrote; raises CorruptFile."""
    try:
        return [_evaluation(one) for one in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise CorruptFile(f"{path} holds no evaluation ({failure!r})", path=path) from failure


def _evaluation(written: Mapping[str, Any]) -> Evaluation:
    read = [
        RoleScores(
            **{**one, "measures": {n: RatioInterval(**i) for n, i in one["measures"].items()}}
        )
        for one in written["cells"]
    ]
    lacks = tuple(str(role) for role in written.get("lacks", ()))
    return Evaluation(name=written["name"], cells=tuple(read), lacks=lacks)


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


def plot(found: Sequence[Evaluation], path: Path) -> None:
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


def _shown(cell: RoleScores, name: str) -> str:
    known = cell.measures.get(name)
    if known is None:
        cost = getattr(cell, name, None)
        return "" if cost is None else f"{cost:.1f}" if name.endswith("_ms") else f"{cost:.0f}"
    share = f"{100 * known.mean:.1f}"
    return f"{share} ({100 * known.low:.0f}-{100 * known.high:.0f})" if name == "exact" else share
