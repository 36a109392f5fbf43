"""The measures: each decision judged, then summed up by role and split with intervals.

- exact: the decision is the target, item for item, in whatever order;
- precision, recall, F1: of operations, or of the items of a plan, over the whole cell;
- function: it asks, writes or does nothing as it should; gist: it comes to the same;
- refused: grammar or guardrail turned it down; mixed: memory tokens of another function;
- fidelity: what a memory knows afterwards; agreement: of the decisions sampled for one sample.

Rules and heads give plans and operations, models give strings of memory tokens that are read into
them. Relations are brought to their canonical name (`mags.ports.relations`) on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mags.models.grammar import EngramBlock
from mags.ports.policy import Act, Operation, Plan, Route
from mags.ports.relations import kind_of, normalise
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.evaluate.deciders import Decision
from mags_lab.training.evaluate.intervals import RatioInterval, mean, ratio
from mags_lab.training.reward import Fidelity, Reading, items, read


def canonical(reading: Reading) -> Reading:
    """The same reading with every relation under its canonical name, its kind as a qualifier."""
    if isinstance(reading, EngramBlock):
        return replace(reading, operations=tuple(_operation(one) for one in reading.operations))
    if isinstance(reading, Plan):
        hops = tuple(replace(hop, relation=_relation(hop.relation)) for hop in reading.hops)
        return replace(reading, hops=hops)
    return reading


def said(reading: Reading) -> Counter[Hashable]:
    """What a reading says, as things that can be counted, relations canonical."""
    return items(canonical(reading))


def is_empty(reading: Reading) -> bool:
    """Whether it stores nothing, looks for nothing beyond the question, or routes nowhere."""
    if isinstance(reading, EngramBlock):
        return not reading.operations
    if isinstance(reading, Plan):
        looks = (*reading.queries[1:], *reading.entities, *reading.hops)
        return not looks and reading.since is None and reading.until is None
    return not (reading.recall or reading.write)


def same_function(reading: Reading, target: Reading) -> bool:
    """Whether it does the right thing, whatever its words: asks, writes, neither.

    Of a route, what is recalled and written; of a plan or an engram, whether there is anything.
    """
    if isinstance(reading, Route) and isinstance(target, Route):
        return (reading.recall, reading.write) == (target.recall, target.write)
    return type(reading) is type(target) and is_empty(reading) == is_empty(target)


def same_gist(reading: Reading, target: Reading) -> bool:
    """Whether it comes to the same, conventions of wording aside.

    Facts without their times and whether they were added or updated; the hops of a plan, or where
    there are none its names and times; of a route, where it leads.
    """
    if isinstance(reading, EngramBlock) and isinstance(target, EngramBlock):
        return _facts(reading) == _facts(target)
    if isinstance(reading, Plan) and isinstance(target, Plan):
        return _way(reading) == _way(target)
    return same_function(reading, target)


def _facts(reading: EngramBlock) -> Counter[Hashable]:
    found: Counter[Hashable] = Counter()
    for one in map(_operation, reading.operations):
        if one.act is Act.NOTE:
            found["note"] += 1
            continue
        kind = one.qualifiers.get("kind", "")
        words = (one.subject, one.relation, one.object, kind)
        found[(one.act is Act.RETRACT, *(word.casefold() for word in words))] += 1
    return found


def _way(plan: Plan) -> Hashable:
    if plan.hops:
        hops = tuple((h.subject.casefold(), _relation(h.relation), h.inverse) for h in plan.hops)
        return hops, plan.past
    return frozenset(name.casefold() for name in plan.entities), plan.since, plan.until


def _operation(one: Operation) -> Operation:
    if one.act is Act.NOTE:
        return one
    kind = one.qualifiers.get("kind") or kind_of(one.relation)
    qualifiers = {**one.qualifiers, **({"kind": kind} if kind else {})}
    return replace(one, relation=normalise(one.relation).name, qualifiers=qualifiers)


def _relation(phrase: str) -> str:
    kind = kind_of(phrase)
    return f"{normalise(phrase).name} {kind}".strip()


SHARES = ("exact", "function", "gist", "refused", "mixed")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDecision:
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
class RoleScores:
    """One role on one split. `measures`: by name; times in milliseconds, None where unmeasured."""

    role: str
    split: str
    n: int
    measures: Mapping[str, RatioInterval]
    p50_ms: float | None
    p95_ms: float | None
    tokens: float | None


def judge(
    sample: Sample,
    decision: Decision,
    sampled: Sequence[Decision] = (),
    *,
    fidelity: Fidelity | None = None,
) -> JudgedDecision:
    """Hold a decision against the target; `sampled`: others for the same sample."""
    target = read(sample, sample.target)
    if target is None:
        raise ValueError(f"the target of {sample.id} is no reply")
    reading = decision.reading
    got, want = said(reading) if reading is not None else None, said(target)
    mixed = [decision.mixed, *(one.mixed for one in sampled)]
    return JudgedDecision(
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
        agreement=agreement(sampled) if len(sampled) > 1 else None,
        seconds=decision.seconds,
        tokens=decision.tokens,
    )


def agreement(sampled: Sequence[Decision]) -> float:
    """Share of pairs that say the same; a refused one agrees with none."""
    found = [said(one.reading) if one.reading is not None else None for one in sampled]
    pairs = list(combinations(found, 2))
    return sum(one is not None and one == other for one, other in pairs) / len(pairs)


def cells(verdicts: Iterable[JudgedDecision], *, seed: int = 0) -> tuple[RoleScores, ...]:
    """One cell for each role and split that occurs, in the order of both."""
    found: dict[tuple[Role, str], list[JudgedDecision]] = {}
    for one in verdicts:
        found.setdefault((one.role, one.split), []).append(one)
    roles = list(Role)
    order = sorted(found, key=lambda key: roles.index(key[0]))
    return tuple(cell(role, split, found[role, split], seed=seed) for role, split in order)


def cell(
    role: Role, split: str, verdicts: Sequence[JudgedDecision], *, seed: int = 0
) -> RoleScores:
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
    return RoleScores(
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
    done = decision.reading.operations if isinstance(decision.reading, EngramBlock) else ()
    return fidelity(sample, done)


def _measured(verdicts: Sequence[JudgedDecision], name: str) -> NDArray[np.float64]:
    """One number of each verdict that has it."""
    found = (getattr(one, name) for one in verdicts)
    return np.array([one for one in found if one is not None], dtype=np.float64)
