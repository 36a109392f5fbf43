"""What a real memory does with a reply: store fidelity, and exams that never show the target.

A reply's operations are applied to the memory that ships (in RAM, with an embedder by hashing),
whose policy says what the reply said. Probes then ask: is the right fact open, is the old one
closed, were unrelated slots left alone? Facts that nobody asked for are charged.

In an exam a *writer* is asked what the turn told. An *asker* is examined on what its plan finds: a
memory holds the answer among other facts of the same people and other people's facts of the same
relation, and the plan is worth the reciprocal rank of the answer. The judge is given the turn with
its target taken out (`blind`), so the generator's operations and plans cannot reach the reward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings, Parts
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.embed.hashing import HashEmbedder
from mags.models.grammar import EngramBlock, read_engram, read_plan
from mags.ports.policy import Act, Operation, Plan, Recalled, Route, Turn, Writing
from mags.store.ram import RamStore
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.generate.fillers import made_up
from mags_lab.training.reward import Reading, gate, nothing_invented, read

LONG_AGO_S = 60 * 31_557_600.0
BYSTANDERS = (("Orsolo", "lives in", "Brentavia"), ("Marvekka", "works at", "Tolbrunn"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProbe:
    """One question to the store: is the fact open (`holds`) or not, afterwards?

    `told`: the turn told what it asks; the others are of bystanders.
    """

    subject: str
    relation: str
    object: str
    holds: bool
    told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedFacts:
    """What the memory held before a turn, and what it should and should not hold after it."""

    before: tuple[tuple[str, str, str], ...]
    probes: tuple[FactProbe, ...]


def gold_of(sample: Sample) -> ExpectedFacts:
    """The gold store of a writing sample, from its target.

    An update gets an older value to replace, a retraction the fact it ends; bystanders and
    everything else known should be as before.
    """
    before = list(BYSTANDERS)
    probes = [
        FactProbe(subject=s, relation=r, object=o, holds=True, told=False) for s, r, o in BYSTANDERS
    ]
    for one in read_engram(sample.target).operations:
        if one.act is Act.NOTE:
            continue
        slot = (one.subject, _full(one))
        if one.act is Act.UPDATE:
            before.append((*slot, _older(one)))
            probes.append(
                FactProbe(subject=slot[0], relation=slot[1], object=_older(one), holds=False)
            )
        held = one.object or _older(one)
        if one.act is Act.RETRACT:
            before.append((*slot, held))
        holds = one.act is not Act.RETRACT
        probes.append(FactProbe(subject=slot[0], relation=slot[1], object=held, holds=holds))
    return ExpectedFacts(before=tuple(before), probes=tuple(probes))


class StoreFidelity:
    """Applies operations to scratch memories; a `mags_lab.training.reward.Fidelity`."""

    def __call__(self, sample: Sample, operations: Sequence[Operation]) -> float:
        """Probes passed over probes and facts too many, in [0, 1]."""
        return fidelity_of(gold_of(sample), sample.turn, operations)


def fidelity_of(
    gold: ExpectedFacts, turn: Turn, operations: Sequence[Operation], *, by: Scoring | None = None
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


def score(gold: ExpectedFacts, before: frozenset[Fact], after: frozenset[Fact]) -> float:
    """Share of probes passed, open facts that nobody asked for counted as probes failed."""
    wanted = {_triple(p) for p in gold.probes if p.holds}
    passed = sum(_passes(p, after) for p in gold.probes)
    extra = len(after - before - wanted)
    return passed / (len(gold.probes) + extra)


def taken_in(gold: ExpectedFacts, before: frozenset[Fact], after: frozenset[Fact]) -> float:
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
Scoring = Callable[[ExpectedFacts, frozenset[Fact], frozenset[Fact]], float]
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


def _passes(probe: FactProbe, after: frozenset[Fact]) -> bool:
    return (_triple(probe) in after) == probe.holds


def _triple(probe: FactProbe) -> Fact:
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


Triple = tuple[str, str, str]
DAY_S = 86_400.0
DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A world to look into. `held`: facts that are so; `closed`: those that were; `answer`: one."""

    held: tuple[Triple, ...]
    closed: tuple[Triple, ...]
    answer: Triple
    steps: tuple[Triple, ...] = ()
    """Facts on the way to the answer, which may stand before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A turn whose target was taken out, and the exam that follows it."""

    sample: Sample
    exam: ExpectedFacts | Search


def blind(sample: Sample, relations: Sequence[str]) -> Examined:
    """The exam of a sample, and the sample without its target. `relations`: of other facts."""
    exam = gold_of(sample) if sample.role is Role.WRITE else search_of(sample, relations)
    return Examined(sample=replace(sample, target="", tags=()), exam=exam)


def has_exam(sample: Sample) -> bool:
    """Whether an exam would tell a right reply from a wrong one.

    Notes are no facts, a route is not seen in a store, and a question that names no relation, or a
    time, finds nothing by a fact alone.
    """
    if sample.role is Role.WRITE:
        return all(one.act is not Act.NOTE for one in read_engram(sample.target).operations)
    if sample.role is Role.ROUTER:
        return False
    plan = read_plan(sample.target, sample.turn.text)
    return bool(plan.hops) and plan.since is None and plan.until is None


def relations_of(samples: Sequence[Sample]) -> tuple[str, ...]:
    """The relations that questions ask for, in the order of the alphabet."""
    asked = (one for one in samples if one.role is Role.ASK)
    plans = (read_plan(one.target, one.turn.text) for one in asked)
    return tuple(sorted({hop.relation for plan in plans for hop in plan.hops}))


def search_of(sample: Sample, relations: Sequence[str]) -> Search:
    """A world in which a question has an answer; values are made up, by the sample's id.

    Where the answer is so now, another one was so before, and where it was so, another is now.
    """
    plan, rng = read_plan(sample.target, sample.turn.text), Random(f"world {sample.id}")
    held: list[Triple] = []
    chain: list[Triple] = []
    at = ""
    for hop in plan.hops:
        at, other = hop.subject or at, _name(rng)
        fact = (other, hop.relation, at) if hop.inverse else (at, hop.relation, other)
        chain.append(fact)
        others = [r for r in relations if r != hop.relation]
        for relation in rng.sample(others, min(3, len(others))):
            held.append((_name(rng), relation, at) if hop.inverse else (at, relation, _name(rng)))
        held += [(_name(rng), hop.relation, _name(rng)) for _ in range(2)]
        at = other
    answer = chain[-1]
    last = plan.hops[-1]
    rival = (_name(rng), *answer[1:]) if last.inverse else (*answer[:2], _name(rng))
    steps = tuple(chain[:-1])
    if plan.past:
        return Search(held=(*held, *steps, rival), closed=(answer,), answer=answer, steps=steps)
    return Search(held=(*held, *chain), closed=(rival,), answer=answer, steps=steps)


def found_rank(search: Search, plan: Plan, *, at: float) -> float:
    """Reciprocal rank of the answer among the facts that a plan finds in this world."""
    with scratch(Dictated(), at=at) as memory:
        ids = _filled(memory, search, at)
        hits = memory.recall(plan, k=DEPTH).hits
    steps = {ids[fact] for fact in search.steps}
    ranked = [hit.id for hit in hits if hit.kind == "fact" and hit.id not in steps]
    wanted = ids[search.answer]
    return 1.0 / (1 + ranked.index(wanted)) if wanted in ranked else 0.0


def examine(task: Examined, reading: Reading | None) -> float:
    """How a decision does in its exam, in [0, 1]; 0 for none, or for one of another function."""
    if isinstance(reading, EngramBlock) and isinstance(task.exam, ExpectedFacts):
        return fidelity_of(task.exam, task.sample.turn, reading.operations, by=taken_in)
    if isinstance(reading, Plan) and isinstance(task.exam, Search):
        return found_rank(task.exam, reading, at=task.sample.now)
    return 0.0


def _filled(memory: Memory, search: Search, at: float) -> Mapping[Triple, int]:
    ids: dict[Triple, int] = {}
    for fact in search.closed:
        seen = memory.assert_fact(*fact, at=at - LONG_AGO_S, until=at - 400 * DAY_S)
        ids[fact] = seen.facts[0]
    for fact in search.held:
        seen = memory.assert_fact(*fact, at=at - 300 * DAY_S)
        ids[fact] = (*seen.facts, *seen.confirmed)[0]
    return ids


def _name(rng: Random) -> str:
    return made_up(rng, held=False).capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindJudge:
    """Judges replies by what a memory does with them; it has never seen a target.

    `invented`: what naming something that nobody said takes away. `silence`: what it is worth on a
    turn that tells something: a memory that knows nothing does less harm than one that is wrong.
    """

    invented: float = 0.5
    silence: float = 0.15

    def __call__(
        self, tasks: Sequence[Examined], replies: Sequence[str]
    ) -> Sequence[Mapping[str, float]]:
        """One mapping a reply; the same reply to the same task is judged once."""
        known: dict[tuple[str, str], Mapping[str, float]] = {}
        for task, reply in zip(tasks, replies, strict=True):
            key = task.sample.id, reply
            if key not in known:
                known[key] = self._parts(task, reply)
        return [known[t.sample.id, reply] for t, reply in zip(tasks, replies, strict=True)]

    def _parts(self, task: Examined, reply: str) -> Mapping[str, float]:
        reading = read(task.sample, reply)
        grounded = nothing_invented(task.sample, reading)
        fidelity = max(examine(task, reading), self._quiet(task, reading))
        passes = gate(float(reading is not None), grounded, invented=self.invented)
        return {
            "format": float(reading is not None),
            "grounded": grounded,
            "fidelity": fidelity,
            "gate": passes,
            "reward": passes * fidelity,
        }

    def _quiet(self, task: Examined, reading: Reading | None) -> float:
        """What a decision is worth for storing nothing."""
        silent = isinstance(reading, EngramBlock) and not reading.operations
        return self.silence if silent and isinstance(task.exam, ExpectedFacts) else 0.0
