"""The objective of the suites: what MAGS's memories held and did, and the chapter of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from benchmarks.results import Result
from mags.evaluation.objective import (
    Cost,
    GraphCounts,
    Load,
    Quality,
    Weights,
    objective,
    terms_of,
)
from mags.evaluation.protocol import Weighed
from mags.memory.memory import Memory
from mags.ports.relations import canonical
from mags.recall.found import FactView
from mags.settings import Settings

Made = TypeVar("Made")
TERMS = ("prediction", "reward", "graph", "regularisation")
_TEXT = """\
`L = prediction - reward + 0.1 graph + 0.01 regularisation`, each term in [0, 1], the smaller the
better (`mags.evaluation.objective`). *prediction*: the share of questions whose first hit is no
evidence (MQuAKE: whose chain is not whole, or has a stale fact, in ten hits). *reward*: the share
of questions with the whole evidence in ten hits (Letta: the mean of the new fact before the old
and of the F1 of closings); the form of operations is not counted, the rules' is right by
construction. *graph*: density, conflicts among open facts, pruned arcs, and recalls beyond one a
question. *regularisation*: fill of the limits (none are set) and the share of the records that a
turn changes; of a suite's memories the mean. L alone would reward storing little: it is read
beside the tables above."""


class Kept(Generic[Made]):
    """A factory that keeps what it made, to be weighed after the run."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []

    def __call__(self) -> Made:
        """Make another one."""
        self._made.append(self._make())
        return self._made[-1]

    def objective(self, quality: Quality) -> dict[str, float]:
        """Return the four terms and their sum L, or nothing where a system cannot be weighed."""
        costs = [one.cost() for one in self._made if isinstance(one, Weighed)]
        if not costs:
            return {}
        terms = terms_of(quality, costs)
        return {**{name: getattr(terms, name) for name in TERMS}, "L": objective(terms, Weights())}


def cost_of(memory: Memory, *, recalls: int, questions: int, turns: int) -> Cost:
    """Return what a memory of MAGS costs.

    `recalls` were made for `questions`; `turns` were told. Every turn is to be kept, so no
    engram is beyond need.
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
    """Return how many open facts share a slot that takes one value by the relation table."""
    slots = Counter(_slot(fact) for fact in facts if _takes_one(fact.relation))
    return sum(n for n in slots.values() if n > 1)


def _takes_one(relation: str) -> bool:
    known = canonical(relation)
    return known is not None and known.one


def _slot(fact: FactView) -> tuple[str, str, str]:
    return fact.subject, fact.relation, dict(fact.qualifiers).get("kind", "")


def _number(reason: Mapping[str, Any], name: str) -> int:
    return int(reason.get(name, 0))


def chapter(results: Sequence[Result]) -> str:
    """Return the chapter of docs/benchmarks.md: a line a suite, or nothing without a figure."""
    rows = [
        " | ".join(["", r.suite, *(f"{r.objective[name]:.3f}" for name in (*TERMS, "L")), ""])
        for r in results
        if r.objective
    ]
    if not rows:
        return ""
    head = [
        "| suite | prediction | reward | graph | regularisation | L |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join(["## The objective", "", _TEXT, "", *head, *(r.strip() for r in rows), ""])
