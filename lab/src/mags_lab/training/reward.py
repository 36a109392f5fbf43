"""What a reply of a policy is worth: named parts in [0, 1], a gate, and a weighted mean.

A reply that the grammar refuses is worth nothing, and one that names what nobody said is charged.
Beyond that gate count the items it got right (F1), how near it came to the others (`closeness`),
whether all of it is right, and, for writing, what a memory would know by it (`fidelity`). Form
alone earns nothing: silence on a turn that tells something has no item right, and is worth 0.

Closeness is F1 in which a near miss counts in part. Every item of a reply is laid beside one of the
target's, so that the whole is greatest, and is worth the mean of its fields: act and relation right
or wrong, names by how many letters must be changed. "Zorra | lives in | Oslo" is nearly right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.optimize import linear_sum_assignment

from mags.caches import cached
from mags.errors import ModelReplyError
from mags.models.grammar import EngramBlock, check_invented, read_engram, read_plan, read_route
from mags.models.policy.taught import expand
from mags.ports.policy import Act, Operation, Plan, Route
from mags_lab.training.chains.schema import Role, Sample

Reading = EngramBlock | Plan | Route
HALF = 0.5
"""Names that share less than this are as good as different."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """`sort`: only compared of one sort are compared. `said`: right or wrong; `names`: in part."""

    sort: str
    said: tuple[object, ...] = ()
    names: tuple[str, ...] = ()


def closeness(got: Reading, want: Reading) -> float:
    """F1 in part, in [0, 1]: 1 where both say the same (or nothing), 0 where one says nothing."""
    ours, theirs = compared(got), compared(want)
    if not ours or not theirs:
        return float(not ours and not theirs)
    worth = np.array([[likeness(one, other) for other in theirs] for one in ours])
    return 2.0 * float(worth[linear_sum_assignment(-worth)].sum()) / (len(ours) + len(theirs))


def likeness(one: Item, other: Item) -> float:
    """The mean of what the fields of two compared have in common; 0 for compared of two sorts."""
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


def compared(reading: Reading) -> Sequence[Item]:
    """What a reading says, item by item."""
    if isinstance(reading, EngramBlock):
        return [_compared(one) for one in reading.operations]
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


def _compared(one: Operation) -> Item:
    if one.act is Act.NOTE:
        return Item(sort="note", names=(" ".join(one.text.casefold().split()),))
    more = tuple(sorted((name, value.casefold()) for name, value in one.qualifiers.items()))
    said = (one.act.value, one.relation.casefold(), more, one.valid_from, one.valid_to)
    names = (one.subject.casefold(), one.object.casefold())
    return Item(sort="operation", said=(said[0], said[1], said[2:]), names=names)


Fidelity = Callable[[Sample, Sequence[Operation]], float]
"""What a memory would know of a sample after these operations, in [0, 1]."""
COUNTED = ("format", "f1", "near", "exact", "fidelity")


class Reward(StrEnum):
    """What replies are reinforced by: the label of each sample, or what a memory does with them."""

    LABELS = "labels"
    STORE = "store"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardWeights:
    """Shares of the parts beyond the gate; they are scaled to sum to 1.

    `invented`: what naming something that nobody said takes away, 1 for all of it.
    """

    format: float = 0.0
    f1: float = 0.3
    near: float = 0.3
    exact: float = 0.4
    fidelity: float = 0.0
    invented: float = 0.5


def read(sample: Sample, reply: str) -> Reading | None:
    """The reply as the grammar reads it, in short or in full; None where it refuses."""
    whole = expand(reply, sample.turn, sample.recent)
    try:
        if sample.role is Role.WRITE:
            return read_engram(whole)
        if sample.role is Role.ASK:
            return read_plan(whole, sample.turn.text)
        return read_route(whole)
    except ModelReplyError:
        return None


def adherence(sample: Sample, reading: Reading | None) -> float:
    """1 where the reply says exactly what the target says, in whatever order, else 0."""
    target = read(sample, sample.target)
    return float(reading is not None and target is not None and items(reading) == items(target))


def item_f1(sample: Sample, reading: Reading | None) -> float:
    """F1 of the reply's items against the target's; 1 where both have none."""
    target = read(sample, sample.target)
    if reading is None or target is None:
        return 0.0
    got, want = items(reading), items(target)
    shared = (got & want).total()
    return 2.0 * shared / (got.total() + want.total()) if got or want else 1.0


def nearness(sample: Sample, reading: Reading | None) -> float:
    """F1 in which a near miss counts in part (`mags_lab.training.reward`)."""
    target = read(sample, sample.target)
    return 0.0 if reading is None or target is None else closeness(reading, target)


def gate(well_formed: float, grounded: float, *, invented: float) -> float:
    """What the other parts are multiplied by: 0 for malformed, 1 - `invented` for ungrounded."""
    return well_formed * (1.0 - invented * (1.0 - grounded))


def nothing_invented(sample: Sample, reading: Reading | None) -> float:
    """1 where every name and object was said or recalled, else 0."""
    if reading is None:
        return 0.0
    if isinstance(reading, Route):
        return 1.0
    named = reading.operations if isinstance(reading, EngramBlock) else _named(reading)
    try:
        check_invented(named, source_of(sample))
    except ModelReplyError:
        return 0.0
    return 1.0


def parts_of(
    sample: Sample, reply: str, weights: RewardWeights, fidelity: Fidelity | None = None
) -> Mapping[str, float]:
    """Each part and the "reward" they make; `fidelity` is asked only where it has a weight.

    "gate" is what the weighted mean of the others is multiplied by.
    """
    reading = read(sample, reply)
    parts = {
        "format": float(reading is not None),
        "grounded": nothing_invented(sample, reading),
        "f1": item_f1(sample, reading),
        "near": nearness(sample, reading),
        "exact": adherence(sample, reading),
    }
    if fidelity is not None and weights.fidelity and isinstance(reading, EngramBlock):
        parts["fidelity"] = fidelity(sample, reading.operations)
    parts["gate"] = gate(parts["format"], parts["grounded"], invented=weights.invented)
    shares = {name: share for name, share in shares_of(weights).items() if name in parts}
    whole = sum(shares.values())
    worth = sum(share * parts[name] for name, share in shares.items()) / whole if whole else 0.0
    return {**parts, "reward": parts["gate"] * worth}


def shares_of(weights: RewardWeights) -> dict[str, float]:
    """The parts that count, with their weights."""
    named = {name: float(getattr(weights, name)) for name in COUNTED}
    return {name: share for name, share in named.items() if share}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldJudge:
    """Judges replies against samples (`mags_lab.training.experience.Judge`)."""

    weights: RewardWeights = RewardWeights()
    fidelity: Fidelity | None = None

    def __call__(
        self, tasks: Sequence[Sample], replies: Sequence[str]
    ) -> Sequence[Mapping[str, float]]:
        """One mapping a reply; the same reply to the same sample is judged once."""
        known: dict[tuple[str, str], Mapping[str, float]] = {}
        for sample, reply in zip(tasks, replies, strict=True):
            if (sample.id, reply) not in known:
                known[sample.id, reply] = parts_of(sample, reply, self.weights, self.fidelity)
        return [known[s.id, reply] for s, reply in zip(tasks, replies, strict=True)]


def items(reading: Reading) -> Counter[Hashable]:
    """What a reply says, as things that can be counted; names in any case."""
    if isinstance(reading, Route):
        weights = (round(reading.episodic, 2), round(reading.semantic, 2))
        return Counter([("recall", reading.recall), ("write", reading.write), weights])
    if isinstance(reading, EngramBlock):
        return Counter(_operation(one) for one in reading.operations)
    said: list[Hashable] = [("entity", name.casefold()) for name in reading.entities]
    said += [
        ("hop", place, hop.subject.casefold(), hop.relation.casefold(), hop.inverse)
        for place, hop in enumerate(reading.hops)
    ]
    said += [("query", query.casefold()) for query in reading.queries[1:]]
    said += [("since", reading.since)] if reading.since is not None else []
    said += [("until", reading.until)] if reading.until is not None else []
    said += [("kind", reading.answer_kind)] if reading.answer_kind else []
    said += [("past", True)] if reading.past else []
    return Counter(said)


def source_of(sample: Sample) -> str:
    """All words a reply may use: the turn, what was said before, what was recalled, who spoke."""
    heard = [f"{one.speaker} {one.text}" for one in (sample.turn, *sample.recent)]
    return "\n".join((*heard, *(f"{one.speaker} {one.text}" for one in sample.recalled)))


def _operation(one: Operation) -> Hashable:
    if one.act is Act.NOTE:
        return ("NOTE", " ".join(one.text.casefold().split()))
    triple = (one.subject.casefold(), one.relation.casefold(), one.object.casefold())
    more = tuple(sorted((name, value.casefold()) for name, value in one.qualifiers.items()))
    return (one.act.value, *triple, more, one.valid_from, one.valid_to)


def _named(plan: Plan) -> tuple[Operation, ...]:
    names = (*plan.entities, *(hop.subject for hop in plan.hops if hop.subject))
    return tuple(Operation(act=Act.ADD, subject=name) for name in names)
