"""Readings made comparable: whoever decided, the same decision is the same thing.

Rules and heads give plans and operations, models give strings of memory tokens that are read into
them. Relations are brought to their canonical name (`mags.ports.relations`) on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

from mags.models.grammar import Engram
from mags.ports.policy import Act, Operation, Plan, Route
from mags.ports.relations import kind_of, normalise
from mags_lab.training.reward import Reading, items


def canonical(reading: Reading) -> Reading:
    """The same reading with every relation under its canonical name, its kind as a qualifier."""
    if isinstance(reading, Engram):
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
    if isinstance(reading, Engram):
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
    if isinstance(reading, Engram) and isinstance(target, Engram):
        return _facts(reading) == _facts(target)
    if isinstance(reading, Plan) and isinstance(target, Plan):
        return _way(reading) == _way(target)
    return same_function(reading, target)


def _facts(reading: Engram) -> Counter[Hashable]:
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
