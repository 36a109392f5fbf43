"""Turns that follow a telling of the same slot at once: changed, ended, put right, or as it was.

A memory hears "I live in Bergen." and, in the next breath, "I moved to Oslo!". What was just said
tells what "she", "that" or a bare "Oslo, actually" is about, and is no reason to keep nothing;
but neither is everything that follows a statement a change of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from mags.ports.policy import Act, Recalled, Turn
from mags_lab.training.chains.phrasebook import PhrasebookEntry
from mags_lab.training.chains.schema import OperationLine, sentence
from mags_lab.training.chains.splits import SplitMaterial
from mags_lab.training.generate import dates
from mags_lab.training.generate.fillers import Framer
from mags_lab.training.generate.statements import (
    Company,
    StatementMaker,
    ToldStatement,
    TurnDraft,
    lines_of,
    memory,
    old_of,
)

# Shares of what follows: a change or an end in its own words, one in a word or two ("Not Bergen,
# Oslo."), a plain statement with another value, one more value, the same again, or no fact at all.
WAYS = {
    "change": 0.34,
    "end": 0.16,
    "amend": 0.16,
    "anew": 0.12,
    "another": 0.08,
    "same": 0.05,
    "near": 0.09,
}
REMEMBERED = 0.6
"""Share whose first telling is remembered already."""
REPLIED = 0.2
"""Share with a line of the other between the two tellings."""
AMEND = "amend"
"""Tag of turns that are a word or two: nothing may be put around them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What follows. `old`: the first telling as a memory words it; `sure`: it is remembered."""

    text: str
    lines: tuple[OperationLine, ...]
    old: str
    tags: tuple[str, ...]
    sure: bool = False


class ChangeDrafts:
    """Makes drafts of one split."""

    def __init__(
        self, material: SplitMaterial, rng: Random, framer: Framer, teller: StatementMaker
    ) -> None:
        self._rng = rng
        self._material = material
        self._framer = framer
        self._teller = teller
        entries = material.entries
        self._one = [entry for entry in entries if entry.one and _changes(entry)]
        self._many = [entry for entry in entries if not entry.one]
        self._ends = [entry for entry in entries if _any(entry, "end")]

    def draft(self, who: Company) -> TurnDraft | None:
        """A turn right after a statement; None where this split has no fitting phrase."""
        way = self._rng.choices(list(WAYS), weights=list(WAYS.values()))[0]
        if way == "change":
            return self._told(who, Act.UPDATE)
        if way == "end":
            return self._told(who, Act.RETRACT)
        if way == "amend":
            return self._amended(who)
        return self._again(who, way)

    def _told(self, who: Company, act: Act) -> TurnDraft | None:
        """A change or an end in a phrase of its own, sometimes of "she"."""
        told = self._teller.tell(act, who.speaker)
        if told is None:
            return None
        before = self._before(who, told.entry, _as_it_was(told), told.first_person)
        if before is None:
            return None
        plain = told.can_be_pronoun and told.entry.object != "person"
        if plain and self._rng.random() < 0.4:
            told = self._teller.pronoun(told, self._rng.choice(("She", "He")))
        else:
            told = self._teller.dated(told, who.now)
        text = told.text
        if self._rng.random() < 0.4:
            text = self._framer.put(self._framer.frame("after_all"), {"x": text})
        elif "pronoun" not in told.tags:
            text = self._framer.around(text, "statement", names=tuple(told.values.values()))
        then = Next(text=text, lines=told.lines, old=told.old, tags=told.tags)
        return self._draft(who, before, then)

    def _amended(self, who: Company) -> TurnDraft | None:
        """A change in a word or two: what it is of stands in the statement before it."""
        kind = self._rng.choice(("amend", "amend", "amend_swap", "amend_swap", "amend_end"))
        pool = {"amend": self._one, "amend_swap": [*self._one, *self._many]}.get(kind, self._ends)
        if not pool:
            return None
        entry = self._rng.choice(pool)
        first = self._rng.random() < 0.5 and bool(entry.list("first"))
        values = self._teller.values(entry, who.speaker if first else "", who.speaker)
        name = "end" if kind == "amend_end" else "swap"
        old = values if name == "end" else {**values, "o": values["p"]}
        before = self._before(who, entry, old, first)
        if before is None:
            return None
        text = self._framer.put(self._framer.frame(kind), values)
        then = Next(
            text=text,
            lines=lines_of(entry, name, values),
            old=old_of(entry, name, values),
            tags=(name, AMEND),
        )
        return self._draft(who, before, then)

    def _again(self, who: Company, way: str) -> TurnDraft | None:
        """A plain phrase of the same slot: another value, one more, the same, or no fact."""
        stem = "near_" if way == "near" else ""
        pool = {"anew": self._one, "another": self._many}.get(way, self._material.entries)
        people = ("first", "third")
        found = [(e, p) for e in pool for p in people if e.list(p) and e.list(stem + p)]
        if not found:
            return None
        entry, person = self._rng.choice(found)
        first = person == "first"
        told = self._teller.of(entry, stem + person, who.speaker)
        values = dict(told.values)
        other = {**values, "o": values["p"]} if way in ("anew", "another") else values
        before = self._before(who, entry, other, first)
        if before is None:
            return None
        text, lines, tag = told.text, told.lines, way
        if way == "anew":
            text = self._framer.put(self._framer.frame("anew"), {"x": text})
            lines = tuple(replace(line, act=Act.UPDATE) for line in lines)
        else:
            text = self._framer.around(text, names=tuple(values.values()))
        if way == "same":
            lines, tag = (), "known"
        old = sentence(values["s"], values["relation"], other["o"])
        then = Next(text=text, lines=lines, old=old, tags=(tag,), sure=way == "same")
        return self._draft(who, before, then)

    def _before(
        self, who: Company, entry: PhrasebookEntry, values: Mapping[str, str], first: bool
    ) -> Turn | None:
        """The first telling, with these values."""
        phrases = entry.list("first" if first else "third")
        if not phrases:
            return None
        text = self._teller.worded(self._rng.choice(phrases), entry, values)
        if self._rng.random() < 0.5:
            text = self._framer.around(text, "statement", names=tuple(values.values()))
        said = who.speaker if first else self._rng.choice((who.speaker, who.other))
        return Turn(text=text, speaker=said)

    def _draft(self, who: Company, before: Turn, then: Next) -> TurnDraft:
        recent = [before]
        if self._rng.random() < REPLIED:
            recent.append(Turn(text=self._rng.choice(self._material.smalltalk), speaker=who.other))
        known = then.sure or self._rng.random() < REMEMBERED
        return TurnDraft(
            text=then.text,
            speaker=who.speaker,
            now=who.now,
            lines=then.lines,
            recent=tuple(recent),
            recalled=(self._memory(then.old, before.speaker, who),) if known else (),
            tags=("after", *then.tags),
        )

    def _memory(self, text: str, speaker: str, who: Company) -> Recalled:
        at = dates.seconds(who.now - timedelta(days=self._rng.choice((0, 0, 0, 1, 7, 200))))
        return memory(text, id=self._rng.randint(1, 99), speaker=speaker, at=at)


def _as_it_was(told: ToldStatement) -> Mapping[str, str]:
    """The values of the statement that a change or an end is of."""
    ends = told.list.startswith("end")
    return told.values if ends else {**told.values, "o": told.values["p"]}


def _any(entry: PhrasebookEntry, stem: str) -> bool:
    return bool(entry.list(f"{stem}_first") or entry.list(f"{stem}_third"))


def _changes(entry: PhrasebookEntry) -> bool:
    return any(_any(entry, stem) for stem in ("change", "swap", "correct"))
