"""What heads and rules make of samples, and what each is worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mags.models.grammar import EngramBlock
from mags.models.policy.heads.choices import operations_of, plan_of
from mags.models.policy.heads.decoding import asked, routed, written
from mags.models.policy.heads.memories import with_memories
from mags.models.policy.heads.union import joined
from mags.models.policy.heads.weights import Thresholds, Trained
from mags.ports.policy import Operation, Policy
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.heads.states import Shown
from mags_lab.training.reward import Reading, item_f1


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What was decided, how surely, and which threshold it is held against.

    `facts`: how sure each single fact is, with its operations.
    """

    reading: Reading
    confidence: float
    threshold: str
    facts: tuple[tuple[float, tuple[Operation, ...]], ...] = ()


def by_heads(trained: Trained, shown: Shown) -> Decided:
    """The decision of the heads alone."""
    sample, layout, known = shown.sample, shown.layout, trained.about.vocabulary
    states = np.asarray(shown.states, dtype=np.float32)
    signs = np.asarray(shown.marks, dtype=np.float32)
    if sample.role is not Role.ROUTER:
        recalled = sample.recalled if sample.role is Role.WRITE else ()
        signs = with_memories(layout, signs, recalled, known)
    if sample.role is Role.ASK:
        question, sure = asked(trained.network, layout, states, signs, known)
        plan = plan_of(layout, question, sample.turn, known)
        return Decided(reading=plan, confidence=sure, threshold="ask")
    if sample.role is Role.ROUTER:
        route, sure = routed(trained.network, states, signs)
        return Decided(reading=route, confidence=sure, threshold="route")
    found = written(trained.network, layout, states, signs, known)
    made = operations_of(layout, found.facts, sample.turn, sample.recalled, known)
    return Decided(
        reading=EngramBlock(operations=made),
        confidence=found.confidence,
        threshold="write" if found.facts else "nothing",
        facts=tuple(
            (fact.confidence, operations_of(layout, [fact], sample.turn, sample.recalled, known))
            for fact in found.facts
        ),
    )


def by_policy(policy: Policy, sample: Sample) -> Reading:
    """The decision of any policy."""
    if sample.role is Role.ASK:
        return policy.ask(sample.turn, sample.recent)
    if sample.role is Role.ROUTER:
        return policy.route(sample.turn, sample.recent)
    made = policy.write(sample.turn, sample.recent, sample.recalled)
    return EngramBlock(operations=made.operations)


def worths(
    trained: Trained, rules: Policy, shown: Sequence[Shown]
) -> Mapping[str, list[tuple[float, float, float]]]:
    """By threshold: confidence, the F1 of the heads' decision, that of the rules'."""
    found: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for one in shown:
        mine = by_heads(trained, one)
        theirs = by_policy(rules, one.sample)
        sample = one.sample
        worth = mine.confidence, item_f1(sample, mine.reading), item_f1(sample, theirs)
        found[mine.threshold].append(worth)
    return found


def best_fact(trained: Trained, rules: Policy, shown: Sequence[Shown], least: Thresholds) -> float:
    """The least confidence by which single facts are worth keeping, by the F1 of `shown`.

    Turns that were generated and turns by hand count alike, however many there are of each: the
    more generated ones are shown, the less would it matter else what is written of small talk.
    """
    made: dict[bool, list[tuple[Sample, Decided, Reading]]] = defaultdict(list)
    for one in shown:
        if one.sample.role is Role.WRITE:
            mine, theirs = by_heads(trained, one), by_policy(rules, one.sample)
            made[by_hand(one.sample)].append((one.sample, mine, theirs))

    def worth(sure: float) -> float:
        tried = replace(least, fact=sure)
        return sum(
            sum(item_f1(sample, together(mine, theirs, tried)) for sample, mine, theirs in some)
            / len(some)
            for some in made.values()
        )

    return max((place / 20 for place in range(20)), key=worth)


def by_hand(sample: Sample) -> bool:
    """Whether a turn was written by hand, as a whole or as one of a conversation."""
    return sample.source == "hand" or "dialogue" in sample.tags


def together(mine: Decided, theirs: Reading, least: Thresholds) -> Reading:
    """What the policy makes of both: see `HeadsPolicy`."""
    decides = mine.confidence >= getattr(least, mine.threshold)
    if not isinstance(theirs, EngramBlock):
        return mine.reading if decides else theirs
    kept = [made for found, some in mine.facts if found >= least.fact for made in some]
    return EngramBlock(operations=tuple(kept) if decides else joined(kept, theirs.operations))
