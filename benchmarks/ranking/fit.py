"""The fit: a soft rank of each gold turn, minimised over all sets at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.ranking.table import CandidateTable

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What is fitted: `names` with L2 of `l2`; `positive` ones stay at or above 0.

    `fixed`: weights that are given. `within`: rank up to which a gold turn costs little.
    """

    names: tuple[str, ...]
    positive: Collection[str]
    fixed: Mapping[str, float]
    l2: float = 5e-3
    within: float = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    features: Vector
    offset: Vector
    others: NDArray[np.bool_]
    golds: list[NDArray[np.int64]]
    weight: float


def fit(groups: Sequence[tuple[Sequence[CandidateTable], float]], what: Fit) -> dict[str, float]:
    """Weights by name. `groups`: tables with the weight of the whole group.

    Loss of a gold turn: log(1 + sum over other candidates of exp(s - s_gold) / within), where
    s_gold is the log-sum-exp of the candidates that stand for it (its episode, its facts).
    """
    questions = [q for group, weight in groups for q in _questions(group, weight, what)]

    def loss(w: Vector) -> tuple[float, Vector]:
        total, slope = what.l2 * float(w @ w), 2 * what.l2 * w
        for question in questions:
            part, down = _loss(question, w, what.within)
            total += part
            slope = slope + down
        return total, slope

    bounds = [(0.0, None) if n in what.positive else (None, None) for n in what.names]
    found = minimize(loss, np.zeros(len(what.names)), jac=True, method="L-BFGS-B", bounds=bounds)
    return {**dict(zip(what.names, map(float, found.x), strict=True)), **what.fixed}


def _questions(group: Sequence[CandidateTable], weight: float, what: Fit) -> list[_Question]:
    usable = [t for t in group if any(g >= 0 for g in t.gold)]
    out = []
    for table in usable:
        golds = [np.flatnonzero(table.turn == g) for g in table.gold if g >= 0]
        others = np.ones(len(table.turn), np.bool_)
        others[np.concatenate(golds)] = False
        out.append(
            _Question(
                features=table.columns(what.names),
                offset=table.scores(what.fixed).astype(np.float64),
                others=others,
                golds=golds,
                weight=weight / len(usable),
            )
        )
    return out


def _loss(question: _Question, w: Vector, within: float) -> tuple[float, Vector]:
    scores = question.features @ w + question.offset
    mass = np.exp(scores - scores.max())
    rest = mass[question.others]
    all_rest = rest.sum()
    pull = (question.features[question.others] * rest[:, None]).sum(axis=0) / all_rest
    total, slope = 0.0, np.zeros(len(w))
    share = question.weight / len(question.golds)
    for rows in question.golds:
        own = mass[rows].sum()
        ratio = all_rest / own / within
        total += share * float(np.log1p(ratio))
        mean = (question.features[rows] * mass[rows][:, None]).sum(axis=0) / own
        slope += share * ratio / (1 + ratio) * (pull - mean)
    return total, slope
