"""Store fidelity: a reply's operations are applied to a real memory, which is then asked.

A gold store, and probes that the policy cannot see: is the right fact the open one, is the old one
closed, were unrelated slots left alone? Facts that nobody asked for are charged. The memory is the
one that ships (in RAM, with an embedder by hashing, since the facts and not the ranking are
asked); only its policy is replaced, by one that says what the reply said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings, Parts
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.embed.hashing import HashEmbedder
from mags.models.grammar import read_engram
from mags.ports.policy import Act, Operation, Plan, Recalled, Route, Turn, Writing
from mags.store.ram import RamStore
from mags_lab.training.chains.schema import Sample

LONG_AGO_S = 60 * 31_557_600.0
BYSTANDERS = (("Orsolo", "lives in", "Brentavia"), ("Marvekka", "works at", "Tolbrunn"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question to the store: is the fact open (`holds`) or not, afterwards?

    `told`: the turn told what it asks; the others are of bystanders.
    """

    subject: str
    relation: str
    object: str
    holds: bool
    told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """What the memory held before a turn, and what it should and should not hold after it."""

    before: tuple[tuple[str, str, str], ...]
    probes: tuple[Probe, ...]


def gold_of(sample: Sample) -> Gold:
    """The gold store of a writing sample, from its target.

    An update gets an older value to replace, a retraction the fact it ends; bystanders and
    everything else known should be as before.
    """
    before = list(BYSTANDERS)
    probes = [
        Probe(subject=s, relation=r, object=o, holds=True, told=False) for s, r, o in BYSTANDERS
    ]
    for one in read_engram(sample.target).operations:
        if one.act is Act.NOTE:
            continue
        slot = (one.subject, _full(one))
        if one.act is Act.UPDATE:
            before.append((*slot, _older(one)))
            probes.append(Probe(subject=slot[0], relation=slot[1], object=_older(one), holds=False))
        held = one.object or _older(one)
        if one.act is Act.RETRACT:
            before.append((*slot, held))
        holds = one.act is not Act.RETRACT
        probes.append(Probe(subject=slot[0], relation=slot[1], object=held, holds=holds))
    return Gold(before=tuple(before), probes=tuple(probes))


class StoreFidelity:
    """Applies operations to scratch memories; a `mags_lab.training.reward.Fidelity`."""

    def __call__(self, sample: Sample, operations: Sequence[Operation]) -> float:
        """Probes passed over probes and facts too many, in [0, 1]."""
        return fidelity_of(gold_of(sample), sample.turn, operations)


def fidelity_of(
    gold: Gold, turn: Turn, operations: Sequence[Operation], *, by: Scoring | None = None
) -> float:
    """What a scratch memory knows after these operations of a turn, held against a gold store.

    `by`: how it is scored; None for `score`.
    """
    policy = Dictated()
    with scratch(policy, at=turn.at) as memory:
        for subject, relation, held in gold.before:
            memory.assert_fact(subject, relation, held, at=turn.at - LONG_AGO_S)
        known = _open(memory)
        policy.says = tuple(operations)
        memory.observe(turn.text, speaker=turn.speaker, at=turn.at)
        after = _open(memory)
    return (by or score)(gold, known, after)


def score(gold: Gold, before: frozenset[Fact], after: frozenset[Fact]) -> float:
    """Share of probes passed, open facts that nobody asked for counted as probes failed."""
    wanted = {_triple(p) for p in gold.probes if p.holds}
    passed = sum(_passes(p, after) for p in gold.probes)
    extra = len(after - before - wanted)
    return passed / (len(gold.probes) + extra)


def taken_in(gold: Gold, before: frozenset[Fact], after: frozenset[Fact]) -> float:
    """Share of what the turn told that is known now, less what nobody told: silence earns nothing.

    Bystanders only take away: the share of them that is as it was multiplies the rest. A turn that
    told nothing is worth 1 where nothing was stored.
    """
    told = [p for p in gold.probes if p.told]
    others = [p for p in gold.probes if not p.told]
    extra = len(after - before - {_triple(p) for p in told if p.holds})
    asked = len(told) + extra
    known = sum(_passes(p, after) for p in told) / asked if asked else 1.0
    return known * (sum(_passes(p, after) for p in others) / len(others) if others else 1.0)


Fact = tuple[str, str, str]
Scoring = Callable[[Gold, frozenset[Fact], frozenset[Fact]], float]
"""A number in [0, 1] from a gold store and the open facts before and after."""


class Dictated:
    """A policy that proposes what it was told to, once, and plans and routes nothing of its own."""

    name = "dictated"

    def __init__(self) -> None:
        self.says: tuple[Operation, ...] = ()

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Write only."""
        return Route(recall=False)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """The question itself."""
        return Plan(queries=(question.text,))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """The operations that were given, with the confidence of a plain statement."""
        return Writing(operations=tuple(replace(one, confidence=0.8) for one in self.says))


def scratch(policy: Dictated, *, at: float) -> Memory:
    """An empty memory in RAM for which it is always `at`, with this policy."""

    def clock() -> float:
        return at

    parts = Parts(
        embedder=HashEmbedder(),
        policy=policy,
        answerer=ExtractiveAnswerer(),
        clock=clock,
        settings=MemorySettings(sleep_every=0),
    )
    return Memory(RamStore(), parts)


def _open(memory: Memory) -> frozenset[Fact]:
    return frozenset(
        _folded(f.subject, _with_kind(f.relation, f.qualifiers), f.object)
        for f in memory.facts(current=True)
    )


def _passes(probe: Probe, after: frozenset[Fact]) -> bool:
    return (_triple(probe) in after) == probe.holds


def _triple(probe: Probe) -> Fact:
    return _folded(probe.subject, probe.relation, probe.object)


def _folded(*words: str) -> Fact:
    subject, relation, held = (" ".join(word.casefold().split()) for word in words)
    return subject, relation, held


def _full(one: Operation) -> str:
    return _with_kind(one.relation, tuple(one.qualifiers.items()))


def _with_kind(relation: str, qualifiers: Sequence[tuple[str, str]]) -> str:
    kind = dict(qualifiers).get("kind", "")
    return f"{relation} {kind}" if kind and not relation.endswith(kind) else relation


def _older(one: Operation) -> str:
    return "Quillamar" if one.object_is_name else "something older"
