"""The objective: the worth and the cost of a memory as one number, the smaller the better.

``L = prediction - reward_weight * reward + graph_weight * graph
+ regularisation_weight * regularisation``, every term in [0, 1]. Used alone it could reward storing
nothing. So choose the setting of least cost whose quality is within one point of the best
(`affordable`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.ports.relations import canonical
from mags.recall.found import FactView
from mags.settings import Settings

FULL_DEGREE = 24.0
"""Mean arcs per node at which a graph counts as full: as many as crowding keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermWeights:
    """The weight of each term; the prediction error has weight 1."""

    reward: float = 1.0
    graph: float = 0.1
    regularisation: float = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The four terms, each in [0, 1]; raises InvalidInput otherwise.

    `prediction`: error of the answers; `reward`: how well memory was used; `graph`: cost of the
    graph; `regularisation`: how full it is and how much it changes.
    """

    prediction: float
    reward: float
    graph: float
    regularisation: float

    def __post_init__(self) -> None:
        """Check the range of every term."""
        for field in fields(self):
            _check(field.name, getattr(self, field.name))


def objective(terms: Terms, weights: TermWeights | None = None) -> float:
    """L, the smaller the better; in [-1, 1.11] with the default weights."""
    w = TermWeights() if weights is None else weights
    return (
        terms.prediction
        - w.reward * terms.reward
        + w.graph * terms.graph
        + w.regularisation * terms.regularisation
    )


def prediction_error(*, wrong: float, cross_entropy_nats: float | None = None) -> float:
    """Return the share of wrong answers, or 1 - e^-H if the mean cross-entropy H is known.

    1 - e^-H is one minus the geometric mean of the probabilities of the right answers.
    """
    _check("wrong", wrong)
    if cross_entropy_nats is None:
        return wrong
    _check_count("cross_entropy_nats", cross_entropy_nats)
    return 1.0 - math.exp(-cross_entropy_nats)


def memory_reward(
    *, carried: float, adherence: float | None = None, f1: float | None = None
) -> float:
    """Return the mean of up to three shares: how well the memory was used.

    `carried`: recalls whose context had the right answer; `adherence`: memory operations in the
    required form; `f1`: of the operations against those due. None, for what an evaluation cannot
    measure, is left out of the mean.
    """
    named = {"adherence": adherence, "f1": f1, "carried": carried}
    shares = {name: share for name, share in named.items() if share is not None}
    for name, share in shares.items():
        _check(name, share)
    return _mean(shares.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCounts:
    """Counts of a graph over an evaluation, none negative.

    `nodes`, `arcs`: at the end; `facts`: open ones; `conflicts`: open facts that contradict
    another; `pruned`: arcs that were made and pruned again; `recalls`, `engrams`: how many were
    made; `recalls_needed`, `engrams_needed`: how many the answers and the operations due required.
    """

    nodes: int
    arcs: int
    facts: int = 0
    conflicts: int = 0
    pruned: int = 0
    recalls: int = 0
    recalls_needed: int = 0
    engrams: int = 0
    engrams_needed: int = 0


def graph_cost(counts: GraphCounts) -> float:
    """Return the mean of five shares.

    Density: arcs per node, divided by 24, at most 1. Conflicts: of the open facts. Pruning: pruned
    arcs, of all that were made. Recalls and engrams: those not needed, of those made.
    """
    for field in fields(counts):
        _check_count(field.name, getattr(counts, field.name))
    return _mean(
        (
            min(1.0, _share(counts.arcs, counts.nodes) / FULL_DEGREE),
            min(1.0, _share(counts.conflicts, counts.facts)),
            _share(counts.pruned, counts.arcs + counts.pruned),
            _share(max(0, counts.recalls - counts.recalls_needed), counts.recalls),
            _share(max(0, counts.engrams - counts.engrams_needed), counts.engrams),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How full a memory is and how much it changes; none negative.

    `nodes`, `edges`, `size_bytes` against their `max_` (None: no limit, counts 0);
    `changed_per_turn`: mean share of the graph's records that a turn changes, in [0, 1];
    `adapter_l2`: sum of squares of adapter weights, 0 without adapters.
    """

    nodes: int = 0
    max_nodes: int | None = None
    edges: int = 0
    max_edges: int | None = None
    size_bytes: int = 0
    max_bytes: int | None = None
    changed_per_turn: float = 0.0
    adapter_l2: float = 0.0


def regularisation(load: Load) -> float:
    """Return the mean of five shares: nodes, edges, bytes, change, and x / (1 + x) of the L2."""
    _check("changed_per_turn", load.changed_per_turn)
    for field in fields(load):
        _check_count(field.name, getattr(load, field.name) or 0)
    return _mean(
        (
            _filled(load.nodes, load.max_nodes),
            _filled(load.edges, load.max_edges),
            _filled(load.size_bytes, load.max_bytes),
            load.changed_per_turn,
            load.adapter_l2 / (1.0 + load.adapter_l2),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of one memory of an evaluation."""

    counts: GraphCounts
    load: Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """The quality of an evaluation, in shares: `wrong` answers, recalls that `carried` the answer.

    `f1`: of memory operations against those due; None if the evaluation has none.
    """

    wrong: float
    carried: float
    f1: float | None = None


def terms_of(quality: Quality, costs: Sequence[Cost]) -> Terms:
    """Return the four terms of an evaluation over one or more memories, whose costs are averaged.

    Raises InvalidInput if there is no memory, or if a share is not in [0, 1].
    """
    if not costs:
        raise InvalidInput("there is no memory to weigh: hand in the cost of at least one")
    return Terms(
        prediction=prediction_error(wrong=quality.wrong),
        reward=memory_reward(carried=quality.carried, f1=quality.f1),
        graph=_mean(graph_cost(cost.counts) for cost in costs),
        regularisation=_mean(regularisation(cost.load) for cost in costs),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingTrial:
    """One setting that was tried: its name, its quality (0 to 100) and its terms."""

    name: str
    quality: float
    terms: Terms


def affordable(trials: Iterable[SettingTrial], *, within: float = 1.0) -> SettingTrial:
    """Return the trial of least cost among those `within` points of the best quality.

    The cost is L without its prediction and reward terms; ties go to the better quality, then to
    the first. Raises InvalidInput if nothing was tried.
    """
    tried = list(trials)
    if not tried:
        raise InvalidInput("there is no trial to choose from: measure at least one setting")
    best = max(trial.quality for trial in tried)
    good = [trial for trial in tried if trial.quality >= best - within]
    return min(good, key=lambda trial: (_cost(trial.terms), -trial.quality))


def _cost(terms: Terms) -> float:
    weights = TermWeights()
    return weights.graph * terms.graph + weights.regularisation * terms.regularisation


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _filled(used: int, limit: int | None) -> float:
    # A limit of 0 counts as full: there is nothing to divide by.
    return 0.0 if limit is None else min(1.0, used / limit) if limit else 1.0


def _mean(shares: Iterable[float]) -> float:
    values = tuple(shares)
    return sum(values) / len(values)


def _check(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(f"{name} lies in [0, 1], not {value}", name=name, value=value)


def _check_count(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise InvalidInput(f"{name} is a number from 0 on, not {value}", name=name, value=value)


def cost_of(memory: Memory, *, recalls: int, questions: int, turns: int) -> Cost:
    """Return the cost of a memory of MAGS.

    `recalls` were made for `questions`; `turns` were told. Every turn is to be kept, so every
    engram is needed.
    """
    stats, log = memory.stats(), memory.log()
    nodes, arcs = sum(stats.nodes.values()), sum(stats.arcs.values())
    changed = sum(entry.nodes + entry.arcs for entry in log)
    pruned = sum(_number(r, "pruned") for entry in log for r in entry.reasons)
    limits = Settings().sleep.capacity
    return Cost(
        counts=GraphCounts(
            nodes=nodes,
            arcs=arcs,
            facts=stats.open_facts,
            conflicts=conflicts(memory.facts(current=True)),
            pruned=pruned,
            recalls=recalls,
            recalls_needed=questions,
        ),
        load=Load(
            nodes=nodes,
            max_nodes=limits.max_nodes if limits else None,
            edges=arcs,
            max_edges=limits.max_edges if limits else None,
            size_bytes=stats.bytes_in_memory,
            max_bytes=limits.max_bytes if limits else None,
            changed_per_turn=min(1.0, changed / max(1, turns) / max(1, nodes + arcs)),
        ),
    )


def conflicts(facts: Iterable[FactView]) -> int:
    """Return how many open facts share a slot that has one value by the table of relations."""
    slots = Counter(_slot(fact) for fact in facts if _takes_one(fact.relation))
    return sum(n for n in slots.values() if n > 1)


def _takes_one(relation: str) -> bool:
    known = canonical(relation)
    return known is not None and known.one


def _slot(fact: FactView) -> tuple[str, str, str]:
    return fact.subject, fact.relation, dict(fact.qualifiers).get("kind", "")


def _number(reason: Mapping[str, Any], name: str) -> int:
    return int(reason.get(name, 0))
