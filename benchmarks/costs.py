"""The objective of the suites: what MAGS's memories held and did, and the chapter of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from benchmarks.results import Result
from mags_lab.evaluation.objective import Quality, Weights, objective, terms_of
from mags_lab.evaluation.protocol import Weighed

Made = TypeVar("Made")
TERMS = ("prediction", "reward", "graph", "regularisation")
_TEXT = """\
`L = prediction - reward + 0.1 graph + 0.01 regularisation`, each term in [0, 1], the smaller the
better (`mags_lab.evaluation.objective`). *prediction*: the share of questions whose first hit is no
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
