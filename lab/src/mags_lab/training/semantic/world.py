"""What a base of our own is made from: questions with what stands in a text, or stands nowhere.

Names are made up for their sample, so that nothing of them can be learned by heart: a base made of
these reads a text, names the slot that a question asks for, and knows that it does not know the
rest. A few people stay the same all along: as a language model holds a world in its weights, the
base holds theirs, and goes on from one of them to the next. Replies are recitals,
`subject | relation | object` (`mags.ports.weights`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from mags.ports.relations import relations
from mags.ports.weights import RECITE, UNKNOWN, path_of, recital_of
from mags_lab.training.chains.phrasebook import PhrasebookEntry
from mags_lab.training.generate.fillers import Fillers
from mags_lab.training.semantic.wordings import Slot, Wordings, WordingSide, material

MOST_LINES = 3
FREE = 0.2
"""Share of relations that are in no phrasebook."""
FIRST = 0.12
"""Share of questions in the first person."""
ABSENT = 0.25
"""Share of questions about a text, or somebody held, that does not say."""
PEOPLE, FACTS = 120, 5
"""Of the world that a base holds itself: people, and slots of each."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One prompt and the reply to it. `sort`: what it teaches, for tables."""

    prompt: str
    reply: str
    sort: str


@dataclass(frozen=True, slots=True)
class SlotValue:
    """A slot and its value, both made up."""

    slot: Slot
    value: str
    type: str


def recital(*steps: tuple[Slot, str]) -> str:
    """What is recited of slots, each of which the value of the one before is the subject of."""
    return path_of(steps[0][0].subject, *((slot.name, value) for slot, value in steps))


class LessonWorld:
    """Lessons without end; the same seed gives the same.

    A base stands for a language model, which knows how people ask: it learns the wordings that
    are held out of the sets of adapters, too, but none of the other author's.
    """

    def __init__(self, seed: int) -> None:
        self._rng = rng = Random(seed)
        self._material = material(WordingSide.TAUGHT)
        self._fillers = Fillers(self._material, rng)
        self._sides = [Wordings(side, rng) for side in (WordingSide.TAUGHT, WordingSide.HELD)]
        self._wordings = self._sides[0]
        self._entries = [entry for entry in self._material.entries if entry.list("ask_third")]
        self._others = tuple(relations())
        self._kinds: dict[Callable[[], Lesson | None], float] = {
            self.blank: 0.3,
            self.blank_chain: 0.1,
            self.read: 0.2,
            self.read_chain: 0.12,
            self.own: 0.1,
            self.own_chain: 0.18,
        }
        self._own = self._people()

    def lessons(self) -> Iterator[Lesson]:
        """Lessons without end."""
        makers, weights = list(self._kinds), list(self._kinds.values())
        while True:
            self._wordings = self._rng.choices(self._sides, (3, 1))[0]
            made = self._rng.choices(makers, weights)[0]()
            if made is not None:
                yield made

    def told(self, subject: str = "", type: str = "") -> SlotValue:
        """A made-up fact, of a subject and its type where they are given."""
        rng, fillers = self._rng, self._fillers
        if rng.random() < FREE:
            words = self._material.words["common"]
            own = " ".join(rng.choice(words) for _ in range(rng.choice((1, 2, 2))))
            name = rng.choice((rng.choice(self._others), own))
            object_ = rng.choice(("person", "city", "common", "thing", "company", "number"))
            return SlotValue(
                Slot(subject=subject or fillers.name(), relation=name),
                fillers.value(object_),
                object_,
            )
        entry = self._entry(type)
        kind = fillers.value(entry.kind) if entry.kind else ""
        whom = subject or fillers.value(entry.subject)
        slot = Slot(subject=whom, relation=entry.name, kind=kind)
        return SlotValue(slot, fillers.value(entry.object, avoid=(whom,)), entry.object)

    def _entry(self, type: str) -> PhrasebookEntry:
        found = [e for e in self._entries if not type or e.subject == type]
        return self._rng.choice(found or self._entries)

    def _asked(self, slot: Slot) -> str:
        if self._rng.random() < FIRST:
            asked = self._wordings.questions(slot, first=True)
            if asked:
                question = self._wordings.framed(self._rng.choice(asked))
                return f"{slot.subject}: {question}"
        if not self._wordings.questions(slot):
            return self._sides[0].question(slot)
        return self._wordings.question(slot)

    def blank(self) -> Lesson:
        """A question with no text: it was not taught."""
        told = self.told()
        return Lesson(recital_of(self._asked(told.slot)), recital((told.slot, UNKNOWN)), "blank")

    def blank_chain(self) -> Lesson | None:
        """A question of two hops with no text: the first hop is not known."""
        pair = self._chain()
        if pair is None:
            return None
        first, _, question = pair
        return Lesson(recital_of(question), recital((first.slot, UNKNOWN)), "blank chain")

    def read(self) -> Lesson:
        """A question about a text, which may not say."""
        told = self.told()
        lines = self._around(told)
        value = told.value
        if self._rng.random() < ABSENT:
            value = UNKNOWN
        else:
            lines.append(self._wordings.statement(told.slot, value))
        return Lesson(
            self._text(lines, self._asked(told.slot)), recital((told.slot, value)), "read"
        )

    def read_chain(self) -> Lesson | None:
        """A question of two hops about a text, which may not say one of them."""
        pair = self._chain()
        if pair is None:
            return None
        first, second, question = pair
        lines = self._around(first)[: MOST_LINES - 2]
        steps = [(first.slot, first.value), (second.slot, second.value)]
        lack = self._rng.choice((0, 1)) if self._rng.random() < ABSENT else 2
        lines += [self._wordings.statement(slot, value) for slot, value in steps[:lack]]
        if lack < 2:
            steps = [*steps[:lack], (steps[lack][0], UNKNOWN)]
        return Lesson(self._text(lines, question), recital(*steps), "read chain")

    def own(self) -> Lesson:
        """A question about somebody the base holds, of whom it may not hold that."""
        told = self._rng.choice(self._own[self._rng.choice(list(self._own))])
        if self._rng.random() < ABSENT:
            told = self._lacking(told.slot.subject)
        return Lesson(recital_of(self._asked(told.slot)), recital((told.slot, told.value)), "own")

    def own_chain(self) -> Lesson | None:
        """A question of two hops about people the base holds; the second may be lacking."""
        found = self._own[self._rng.choice(list(self._own))]
        first = self._rng.choice(found)
        if first.value not in self._own:
            return None
        second = self._rng.choice(self._own[first.value])
        if self._rng.random() < ABSENT:
            second = self._lacking(first.value)
        question = self._wordings.chained(first.slot, second.slot)
        if question is None:
            return None
        steps = ((first.slot, first.value), (second.slot, second.value))
        asked = self._wordings.framed(question, first.slot.subject)
        return Lesson(recital_of(asked), recital(*steps), "own chain")

    def _people(self) -> dict[str, list[SlotValue]]:
        """The people whom the base holds: half of their slots lead to another of them."""
        # Of full names: nobody in a memory, or a text, is one of them.
        names = (name for name in iter(self._fillers.name, "") if " " in name)
        people = list(itertools.islice(names, PEOPLE))
        to_people = [e for e in self._entries if e.subject == e.object == "person"]
        held: dict[str, list[SlotValue]] = {}
        for subject in people:
            found: dict[str, SlotValue] = {}
            while len(found) < FACTS:
                if self._rng.random() < 0.5:
                    slot = Slot(subject=subject, relation=self._rng.choice(to_people).name)
                    told = SlotValue(slot, self._rng.choice(people), "person")
                else:
                    told = self.told(subject, "person")
                found.setdefault(told.slot.name, told)
            held[subject] = list(found.values())
        return held

    def _lacking(self, subject: str) -> SlotValue:
        """A slot that somebody held does not have."""
        has = {told.slot.name for told in self._own[subject]}
        while (told := self.told(subject, "person")).slot.name in has:
            pass
        return SlotValue(told.slot, UNKNOWN, told.type)

    def _chain(self) -> tuple[SlotValue, SlotValue, str] | None:
        first = self.told()
        if not any(entry.subject == first.type for entry in self._entries):
            return None
        second = self.told(first.value, first.type)
        question = self._wordings.chained(first.slot, second.slot)
        if question is None:
            return None
        return first, second, self._wordings.framed(question, first.slot.subject)

    def _around(self, told: SlotValue) -> list[str]:
        """Sentences that tell something else: of the same subject, and the same of others."""
        lines = []
        for _ in range(self._rng.randrange(MOST_LINES)):
            other = self.told(told.slot.subject if self._rng.random() < 0.4 else "")
            if other.slot.name != told.slot.name or other.slot.subject != told.slot.subject:
                lines.append(self._wordings.statement(other.slot, other.value))
        if self._rng.random() < 0.5:
            alike = Slot(
                subject=self._fillers.name(), relation=told.slot.relation, kind=told.slot.kind
            )
            lines.append(self._wordings.statement(alike, self._fillers.value(told.type)))
        return lines

    def _text(self, lines: list[str], question: str) -> str:
        self._rng.shuffle(lines)
        begin = self._rng.choice(("Read.", RECITE))
        return "\n".join((begin, *(f"- {line}" for line in lines), question))
