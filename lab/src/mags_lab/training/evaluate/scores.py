"""The measures: each decision judged, then summed up by role and split with intervals.

- exact: the decision is the target, item for item, in whatever order;
- precision, recall, F1: of operations, or of the items of a plan, over the whole cell;
- function: it asks, writes or does nothing as it should; gist: it comes to the same;
- refused: grammar or guardrail turned it down; mixed: memory tokens of another function;
- fidelity: what a memory knows afterwards; agreement: of the decisions drawn for one sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mags.models.grammar import Engram
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.evaluate.deciders import Decision
from mags_lab.training.evaluate.intervals import Interval, mean, ratio
from mags_lab.training.evaluate.readings import said, same_function, same_gist
from mags_lab.training.reward import Fidelity, read

SHARES = ("exact", "function", "gist", "refused", "mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One decision judged; what was not looked at is None. `shared` of `said` are `wanted`."""

    role: Role
    split: str
    exact: float
    function: float
    gist: float
    refused: float
    mixed: float
    shared: int
    said: int
    wanted: int
    fidelity: float | None = None
    agreement: float | None = None
    seconds: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One role on one split. `measures`: by name; times in milliseconds, None where unmeasured."""

    role: str
    split: str
    n: int
    measures: Mapping[str, Interval]
    p50_ms: float | None
    p95_ms: float | None
    tokens: float | None


def judge(
    sample: Sample,
    decision: Decision,
    drawn: Sequence[Decision] = (),
    *,
    fidelity: Fidelity | None = None,
) -> Verdict:
    """Hold a decision against the target; `drawn`: others for the same sample."""
    target = read(sample, sample.target)
    if target is None:
        raise ValueError(f"the target of {sample.id} is no reply")
    reading = decision.reading
    got, want = said(reading) if reading is not None else None, said(target)
    mixed = [decision.mixed, *(one.mixed for one in drawn)]
    return Verdict(
        role=sample.role,
        split=sample.split.value,
        exact=float(got == want),
        function=float(reading is not None and same_function(reading, target)),
        gist=float(reading is not None and same_gist(reading, target)),
        refused=float(reading is None),
        mixed=sum(mixed) / len(mixed),
        shared=(got & want).total() if got is not None else 0,
        said=got.total() if got is not None else 0,
        wanted=want.total(),
        fidelity=_known_after(sample, decision, fidelity),
        agreement=agreement(drawn) if len(drawn) > 1 else None,
        seconds=decision.seconds,
        tokens=decision.tokens,
    )


def agreement(drawn: Sequence[Decision]) -> float:
    """Share of pairs that say the same; a refused one agrees with none."""
    found = [said(one.reading) if one.reading is not None else None for one in drawn]
    pairs = list(combinations(found, 2))
    return sum(one is not None and one == other for one, other in pairs) / len(pairs)


def cells(verdicts: Iterable[Verdict], *, seed: int = 0) -> tuple[Cell, ...]:
    """One cell for each role and split that occurs, in the order of both."""
    found: dict[tuple[Role, str], list[Verdict]] = {}
    for one in verdicts:
        found.setdefault((one.role, one.split), []).append(one)
    roles = list(Role)
    order = sorted(found, key=lambda key: roles.index(key[0]))
    return tuple(cell(role, split, found[role, split], seed=seed) for role, split in order)


def cell(role: Role, split: str, verdicts: Sequence[Verdict], *, seed: int = 0) -> Cell:
    """The measures of one role on one split."""
    measures = {name: mean(_measured(verdicts, name), seed=seed) for name in SHARES}
    shared, told, wanted = (_measured(verdicts, name) for name in ("shared", "said", "wanted"))
    nothing = float(wanted.sum() == 0.0)
    measures["precision"] = ratio(shared, told, empty=nothing, seed=seed)
    measures["recall"] = ratio(shared, wanted, empty=float(told.sum() == 0.0), seed=seed)
    measures["f1"] = ratio(2.0 * shared, told + wanted, empty=1.0, seed=seed)
    for name in ("fidelity", "agreement"):
        known = _measured(verdicts, name)
        if len(known):
            measures[name] = mean(known, seed=seed)
    times = _measured(verdicts, "seconds")
    tokens = _measured(verdicts, "tokens")
    return Cell(
        role=role.value,
        split=split,
        n=len(verdicts),
        measures=measures,
        p50_ms=1e3 * float(np.percentile(times, 50)) if len(times) else None,
        p95_ms=1e3 * float(np.percentile(times, 95)) if len(times) else None,
        tokens=float(tokens.mean()) if len(tokens) else None,
    )


def _known_after(sample: Sample, decision: Decision, fidelity: Fidelity | None) -> float | None:
    if fidelity is None or sample.role is not Role.WRITE:
        return None
    done = decision.reading.operations if isinstance(decision.reading, Engram) else ()
    return fidelity(sample, done)


def _measured(verdicts: Sequence[Verdict], name: str) -> NDArray[np.float64]:
    """One number of each verdict that has it."""
    found = (getattr(one, name) for one in verdicts)
    return np.array([one for one in found if one is not None], dtype=np.float64)
