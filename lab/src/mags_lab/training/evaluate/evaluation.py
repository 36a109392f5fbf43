"""One evaluation: a decider over samples, what is measured besides bounded by what it costs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from mags.errors import CorruptFile
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.evaluate.deciders import Decider
from mags_lab.training.evaluate.intervals import Interval
from mags_lab.training.evaluate.scores import Cell, Verdict, cells, judge
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
    cells: tuple[Cell, ...]
    lacks: tuple[str, ...] = ()

    def cell(self, role: str, split: str) -> Cell | None:
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
    verdicts: list[Verdict] = []
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
) -> list[Verdict]:
    decided = decider.decide(some)
    drawn = decider.draw(some[: config.repeated], config.draws) if config.repeated else ()
    return [
        judge(
            sample,
            decision,
            drawn[i] if i < len(drawn) else (),
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
        Cell(**{**one, "measures": {n: Interval(**i) for n, i in one["measures"].items()}})
        for one in written["cells"]
    ]
    lacks = tuple(str(role) for role in written.get("lacks", ()))
    return Evaluation(name=written["name"], cells=tuple(read), lacks=lacks)
