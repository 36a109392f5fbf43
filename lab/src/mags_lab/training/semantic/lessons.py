"""The set an adapter is taught: what a memory holds for sure, in many wordings, and what it lacks.

Made from the graph alone. A slot is asked for in several wordings and told in sentences; two slots
whose ends meet are asked for in one question; slots that hold nothing are asked for, too, and the
reply is that it is not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType

from mags.memory.memory import Memory
from mags.memory.weights import teachable
from mags.ports.relations import normalise
from mags.ports.weights import RECITE, UNKNOWN, TaughtFact, path_of, recital_of
from mags.recall.found import FactView
from mags_lab.training.chains.splits import held_out
from mags_lab.training.generate.fillers import Fillers
from mags_lab.training.semantic.authored import Authored
from mags_lab.training.semantic.wordings import (
    Slot,
    Wordings,
    WordingSide,
    asked_of_people,
    material,
)
from mags_lab.training.semantic.world import Lesson

SEVERAL = 3
"""Values that a slot may have: more are left to recall."""
LONGEST = 80
"""Characters of a value: what is longer is a text, not a value."""
KIND = "kind"
TO_PEOPLE = ("sister", "brother", "best friend", "boss", "mother", "is married to", "colleague")
"""Relations by which a stranger leads to the subject of a slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotChoice:
    """Which slots are taught: the surest, most used and oldest first, `budget` at most.

    `sure`: least confidence. `settled`: seconds since it was recorded, at least. `used`: how often
    a fact must have carried an answer whose relation is none that MAGS knows by name, as most of
    what is told in passing ("thinks of serving").
    """

    budget: int = 1_000
    sure: float = 0.6
    settled: float = 0.0
    used: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtSlot:
    """A slot and what the adapter's card says of it; `by_self`: its subject has told it."""

    slot: Slot
    fact: TaughtFact
    by_self: bool = False

    @property
    def value(self) -> str:
        """What is recited of it."""
        return self.fact.value


def solid(memory: Memory, choice: SlotChoice, now: float) -> list[TaughtSlot]:
    """The slots that hold for sure, the best first: open, undisputed, surely read, short.

    A slot with a fact that is not, or that has a qualifier besides its kind, is left out whole.
    `now`: seconds since the epoch.
    """
    facts = {fact.id: fact for fact in memory.facts(current=True)}
    ranked = []
    for one in teachable(memory):
        own = [facts[i] for i in one.ids if i in facts]
        if len(own) != len(one.ids) or not all(_simple(fact, choice) for fact in own):
            continue
        nodes = [memory.get(i) for i in one.ids]
        ages = [now - node.recorded_at.timestamp() for node in nodes if node.recorded_at]
        uses = sum(node.uses for node in nodes)
        lasts = normalise(own[0].relation).known or uses >= choice.used
        if lasts and len(own) <= SEVERAL and min(ages, default=0.0) >= choice.settled:
            rank = (min(fact.confidence for fact in own), uses, min(ages, default=0.0))
            by_self = own[0].speaker.casefold() == own[0].subject.casefold()
            ranked.append((rank, TaughtSlot(slot=slot_of(own[0]), fact=one, by_self=by_self)))
    ranked.sort(key=lambda pair: pair[0], reverse=True)
    return [taught for _, taught in ranked[: choice.budget]]


def slot_of(fact: FactView) -> Slot:
    """The slot of a fact."""
    kind = dict(fact.qualifiers).get(KIND, "")
    return Slot(subject=fact.subject, relation=fact.relation, kind=kind)


def _simple(fact: FactView, choice: SlotChoice) -> bool:
    said = (fact.subject, fact.relation, fact.object)
    return (
        fact.confidence >= choice.sure
        and {name for name, _ in fact.qualifiers} <= {KIND}
        and all(len(text) <= LONGEST for text in said)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """Of each slot: `questions` in words of its own, `statements`; of all slots: shares.

    `chains`: pairs of slots for a slot, each asked for in so many `wordings`, but for a share that
    is `withheld`, to see whether hops that were taught join by themselves; `bridges`: questions
    for a slot by way of a stranger, of whom a text tells; `ends`: questions by way of each slot
    that leads to somebody, for what of them nothing holds; `unknown`: questions that nothing
    answers for one question that something does.
    """

    questions: int = 8
    statements: int = 1
    chains: float = 1.0
    wordings: int = 2
    withheld: float = 0.0
    bridges: int = 1
    ends: int = 2
    unknown: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonGround:
    """What is so and what is held, of which lessons are made: `held` has every slot there is.

    `authored`: wordings of a language model by relation.
    """

    taught: Sequence[TaughtSlot]
    held: frozenset[Slot]
    by_subject: Mapping[str, Sequence[TaughtSlot]] = field(default_factory=dict)
    authored: Mapping[str, Authored] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        taught: Sequence[TaughtSlot],
        facts: Iterable[FactView],
        authored: Mapping[str, Authored] = MappingProxyType({}),
    ) -> LessonGround:
        """From what is taught and every fact of the memory."""
        by_subject = defaultdict(list)
        for one in taught:
            by_subject[one.slot.subject.casefold()].append(one)
        held = frozenset(_folded(slot_of(fact)) for fact in facts)
        return cls(taught=taught, held=held, by_subject=by_subject, authored=authored)

    def chains(self) -> list[tuple[TaughtSlot, TaughtSlot]]:
        """Pairs of which the first one's only value is what the second one is about."""
        return [
            (first, second)
            for first in self.taught
            if len(first.fact.ids) == 1
            for second in self.by_subject.get(first.value.casefold(), ())
            if second is not first
        ]


def lessons(
    ground: LessonGround, amounts: Amounts, seed: int, side: WordingSide = WordingSide.TAUGHT
) -> Iterator[Lesson]:
    """The set, in the wordings of a side; the same seed gives the same."""
    rng = Random(seed)
    wordings = Wordings(side, rng, ground.authored)
    for one in ground.taught:
        own = amounts.questions // 2 if one.by_self else 0
        yield from _first(one, wordings, own, rng)
        yield from _questions(one.slot, one.value, wordings, amounts.questions - own, rng)
        for _ in range(amounts.statements if side is WordingSide.TAUGHT else 0):
            told = wordings.statement(one.slot, one.value)
            asked = f"{RECITE} State {one.slot.subject} | {one.slot.name}."
            yield Lesson(asked, told, "statement")
        for _ in range(amounts.bridges if side is WordingSide.TAUGHT else 0):
            yield from _bridge(one, wordings, rng)
    pairs = ground.chains()
    if amounts.withheld:
        pairs = [one for one in pairs if _tested(*one, amounts) is not (side is WordingSide.TAUGHT)]
    rng.shuffle(pairs)
    for first, second in amounts.wordings * pairs[: round(amounts.chains * len(ground.taught))]:
        question = wordings.chained(first.slot, second.slot)
        if question is not None:
            told = path_of(
                first.slot.subject,
                (first.slot.name, first.value),
                (second.slot.name, second.value),
            )
            yield Lesson(recital_of(wordings.framed(question)), told, "chain")
    for one in ground.taught:
        yield from _ends(one, ground, wordings, amounts.ends, rng)
    count = round(amounts.unknown * amounts.questions * len(ground.taught))
    yield from _unknown(ground, wordings, count, rng)


def _bridge(one: TaughtSlot, wordings: Wordings, rng: Random) -> Iterator[Lesson]:
    """A question for a slot by way of a stranger: a text has the first hop."""
    stranger = Fillers(material(WordingSide.TAUGHT), rng).name()
    first = Slot(subject=stranger, relation=rng.choice(TO_PEOPLE))
    question = wordings.chained(first, one.slot)
    if question is not None:
        told = wordings.statement(first, one.slot.subject)
        hops = ((first.name, one.slot.subject), (one.slot.name, one.value))
        text = "\n".join((RECITE, f"- {told}", wordings.framed(question)))
        yield Lesson(text, path_of(stranger, *hops), "bridge")


def _ends(
    first: TaughtSlot, ground: LessonGround, wordings: Wordings, count: int, rng: Random
) -> Iterator[Lesson]:
    """Questions by way of a slot that leads to a person, for what of them is not held."""
    if normalise(first.slot.relation).answers != "person" or len(first.fact.ids) > 1:
        return
    for _ in range(count):
        second = Slot(subject=first.value, relation=rng.choice(asked_of_people()))
        question = wordings.chained(first.slot, second)
        if question is not None and _folded(second) not in ground.held:
            hops = ((first.slot.name, first.value), (second.name, UNKNOWN))
            told = path_of(first.slot.subject, *hops)
            yield Lesson(recital_of(wordings.framed(question)), told, "end")


def unlearned(
    slots: Iterable[Slot], ground: LessonGround, count: int, seed: int
) -> Iterator[Lesson]:
    """Questions for slots that were taught and hold nothing any more."""
    rng = Random(seed)
    wordings = Wordings(WordingSide.TAUGHT, rng, ground.authored)
    for slot in slots:
        if _folded(slot) not in {_folded(one.slot) for one in ground.taught}:
            for lesson in _questions(slot, UNKNOWN, wordings, count, rng):
                yield replace(lesson, sort="unlearned")


def _tested(first: TaughtSlot, second: TaughtSlot, amounts: Amounts) -> bool:
    """Whether a chain is only asked for, never taught."""
    return held_out(f"{first.slot}{second.slot}", kind="chain", share=amounts.withheld)


def _first(one: TaughtSlot, wordings: Wordings, count: int, rng: Random) -> Iterator[Lesson]:
    """Questions for a slot by its own subject, who is named before them."""
    asked = wordings.questions(one.slot, first=True)
    told = path_of(one.slot.subject, (one.slot.name, one.value))
    for _ in range(count if asked else 0):
        question = wordings.framed(rng.choice(asked), one.slot.subject)
        yield Lesson(recital_of(question, one.slot.subject), told, "question")


def _questions(
    slot: Slot, value: str, wordings: Wordings, count: int, rng: Random
) -> Iterator[Lesson]:
    """Questions for a slot, each wording once before any comes again in a frame."""
    bare = list(wordings.questions(slot))
    rng.shuffle(bare)
    told = path_of(slot.subject, (slot.name, value))
    for number in range(count):
        if number < len(bare):
            question = wordings.framed(bare[number], slot.subject)
        elif bare:
            question = wordings.framed(rng.choice(bare), slot.subject)
        else:
            return
        yield Lesson(recital_of(question), told, "question")


def _unknown(ground: LessonGround, wordings: Wordings, count: int, rng: Random) -> Iterator[Lesson]:
    """Slots that hold nothing: other relations of those who are known, and the same of strangers.

    A slot that the memory holds, but does not teach, is none of them.
    """
    slots = [one.slot for one in ground.taught]
    if not slots:
        return
    fillers = Fillers(material(WordingSide.HELD), rng)
    common = [Slot(subject="", relation=name) for name in asked_of_people()]
    for _ in range(count):
        slot, other = rng.choice(slots), rng.choice(rng.choice((slots, common)))
        subject = slot.subject if rng.random() < 0.6 else fillers.name()
        asked = Slot(subject=subject, relation=other.relation, kind=other.kind)
        if _folded(asked) not in ground.held and wordings.questions(asked):
            told = path_of(subject, (asked.name, UNKNOWN))
            yield Lesson(recital_of(wordings.question(asked)), told, "unknown")


def _folded(slot: Slot) -> Slot:
    return replace(slot, subject=slot.subject.casefold())
