"""The figures of a match, and of a player over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.objective import Quality, objective, terms_of
from mags_lab.evaluation.proving.adaptability import (
    Adaptability,
    adaptability,
    adapted,
    after_change,
)
from mags_lab.evaluation.proving.fidelity import Fidelity
from mags_lab.evaluation.proving.records import Played, Record
from mags_lab.evaluation.proving.scores import (
    Kept,
    by_change,
    by_facts,
    by_kind,
    chance,
    explained,
    recall_accuracy,
    retention,
    score,
    told,
    total,
    whole_recall,
)
from mags_lab.games.adventures.catalogue import POINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One match in numbers; what does not apply is None. See docs/reference/metrics.md.

    `score`: mean reward a turn, or the sum of rewards in an adventure, whose points are to be
    had once each. `told`: the score that what was told is worth. `facts`: `retention` by how many
    facts decide, three and more as 3. `kinds`: score by kind of question, `sorts`: by the sort of
    the change that touched it.
    `nodes`, `arcs`: for each rule that holds; `recall_ms`, `engram_ms`: mean processor time a
    turn, `turn_ms`: median of the whole; `objective`: L. `cpu_s`: processor time of the match, of
    its choices alone where the rest was not measured; `commit`: of the sources that played it.
    """

    played: Played
    turns: int
    score: float
    chance: float
    told: float
    recall: float
    whole: float
    explained: float
    after: float | None
    adapting: Adaptability | None
    retention: tuple[Kept, ...]
    facts: dict[int, tuple[Kept, ...]]
    kinds: dict[str, float]
    sorts: dict[str, float]
    shown: float
    tokens: float
    recall_ms: float
    engram_ms: float
    turn_ms: float
    fidelity: Fidelity | None = None
    nodes: float | None = None
    arcs: float | None = None
    objective: float | None = None
    cpu_s: float = 0.0
    commit: str = ""


def figures(kept: Record) -> Figures:
    """Every measure of one match."""
    turns, left = kept.turns, kept.left
    whole = whole_recall(turns)
    scored = total if kept.played.game.partition("/")[0] in POINTS else score
    return Figures(
        played=kept.played,
        turns=len(turns),
        score=scored(turns),
        chance=chance(turns),
        told=told(turns),
        recall=recall_accuracy(turns),
        whole=whole,
        explained=explained(turns),
        after=after_change(turns),
        adapting=adaptability(adapted(turns)),
        retention=retention(turns),
        facts=by_facts(turns),
        kinds=by_kind(turns, scored),
        sorts=by_change(turns),
        shown=_mean([float(turn.shown) for turn in turns]),
        tokens=_mean([float(turn.tokens) for turn in turns]),
        recall_ms=1_000 * _mean([turn.recall_s for turn in turns]),
        engram_ms=1_000 * _mean([turn.engram_s for turn in turns]),
        turn_ms=1_000 * median(turn.choose_s for turn in turns),
        fidelity=None if left is None else left.fidelity,
        nodes=None if left is None else left.cost.counts.nodes / max(1, kept.rules),
        arcs=None if left is None else left.cost.counts.arcs / max(1, kept.rules),
        objective=None if left is None else _objective(kept, whole),
        cpu_s=kept.cpu_s or sum(turn.choose_s for turn in turns),
        commit=kept.commit,
    )


def _objective(kept: Record, whole: float) -> float:
    assert kept.left is not None
    wrong = sum(not turn.right for turn in kept.turns) / len(kept.turns)
    quality = Quality(wrong=wrong, carried=whole, f1=kept.left.fidelity.f1)
    return objective(terms_of(quality, [kept.left.cost]))


def over_seeds(
    found: Sequence[Figures], measure: Callable[[Figures], float | None]
) -> Interval | None:
    """Mean of a measure with its 95% bootstrap interval over matches; None where none has it."""
    values = [value for one in found if (value := measure(one)) is not None]
    return bootstrap(values) if values else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
