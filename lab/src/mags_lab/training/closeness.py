"""How near a reply comes to its target: F1 in which a near miss counts in part.

Every item of a reply (an operation, a line of a plan) is laid beside one of the target's, so that
the whole is greatest, and is worth the mean of its fields: act and relation right or wrong, names
by how many letters must be changed. "Zorra | lives in | Oslo" is nearly right, silence is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from mags.caches import cached
from mags.models.grammar import Engram
from mags.ports.policy import Act, Operation, Plan, Route

HALF = 0.5
"""Names that share less than this are as good as different."""
Reading = Engram | Plan | Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """`sort`: only items of one sort are compared. `said`: right or wrong; `names`: in part."""

    sort: str
    said: tuple[object, ...] = ()
    names: tuple[str, ...] = ()


def closeness(got: Reading, want: Reading) -> float:
    """F1 in part, in [0, 1]: 1 where both say the same (or nothing), 0 where one says nothing."""
    ours, theirs = items(got), items(want)
    if not ours or not theirs:
        return float(not ours and not theirs)
    worth = np.array([[likeness(one, other) for other in theirs] for one in ours])
    return 2.0 * float(worth[linear_sum_assignment(-worth)].sum()) / (len(ours) + len(theirs))


def likeness(one: Item, other: Item) -> float:
    """The mean of what the fields of two items have in common; 0 for items of two sorts."""
    if one.sort != other.sort or len(one.names) != len(other.names):
        return 0.0
    fields = [float(a == b) for a, b in zip(one.said, other.said, strict=True)]
    fields += [alike(a, b) for a, b in zip(one.names, other.names, strict=True)]
    return sum(fields) / len(fields)


@cached(65_536)
def alike(one: str, other: str) -> float:
    """1 less the letters to be changed over the longer one's; 0 below `HALF`."""
    longer = max(len(one), len(other))
    share = 1.0 - distance(one, other) / longer if longer else 1.0
    return share if share >= HALF else 0.0


def distance(one: str, other: str) -> int:
    """Letters to be put in, taken out or changed (Levenshtein 1966)."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def items(reading: Reading) -> Sequence[Item]:
    """What a reading says, item by item."""
    if isinstance(reading, Engram):
        return [_operation(one) for one in reading.operations]
    if isinstance(reading, Route):
        weights = (round(reading.episodic, 2), round(reading.semantic, 2))
        return [Item(sort="route", said=(reading.recall, reading.write, *weights))]
    found = [Item(sort="entity", names=(name.casefold(),)) for name in reading.entities]
    found += [
        Item(sort="hop", said=(place, h.relation, h.inverse), names=(h.subject.casefold(),))
        for place, h in enumerate(reading.hops)
    ]
    found += [Item(sort="query", names=(query.casefold(),)) for query in reading.queries[1:]]
    plain: dict[str, object] = {"since": reading.since, "until": reading.until}
    plain |= {"past": reading.past or None, "kind": reading.answer_kind or None}
    return found + [Item(sort=k, said=(v,)) for k, v in plain.items() if v is not None]


def _operation(one: Operation) -> Item:
    if one.act is Act.NOTE:
        return Item(sort="note", names=(" ".join(one.text.casefold().split()),))
    more = tuple(sorted((name, value.casefold()) for name, value in one.qualifiers.items()))
    said = (one.act.value, one.relation.casefold(), more, one.valid_from, one.valid_to)
    names = (one.subject.casefold(), one.object.casefold())
    return Item(sort="operation", said=(said[0], said[1], said[2:]), names=names)
