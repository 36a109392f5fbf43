"""What the world tells of a turn without telling what should have been written or looked for.

After a turn a *writer* is examined on its store: slots are looked up ("who is Ana's boss?"), the
open values are held against what is so, and facts that nobody told are charged. An *asker* is
examined on what its plan finds: a memory holds the answer among other facts of the same people and
other people's facts of the same relation, and the plan is worth the reciprocal rank of the answer.

The exam is drawn up with the turn, as a simulated conversation knows the world it speaks of. What
the judge is given besides is the turn with its target taken out (`blind`): operations and plans of
the generator cannot reach the reward. Where samples have no such world, their targets stand for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from mags.memory.memory import Memory
from mags.models.grammar import Engram, read_engram, read_plan
from mags.ports.policy import Act, Plan
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.fidelity import (
    LONG_AGO_S,
    Dictated,
    Gold,
    fidelity_of,
    gold_of,
    scratch,
    taken_in,
)
from mags_lab.training.generate.names import made_up
from mags_lab.training.reward import Reading, gate, nothing_invented, read

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
    exam: Gold | Search


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
    if isinstance(reading, Engram) and isinstance(task.exam, Gold):
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
        silent = isinstance(reading, Engram) and not reading.operations
        return self.silence if silent and isinstance(task.exam, Gold) else 0.0
