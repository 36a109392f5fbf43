"""How a slot of a fact is asked for and how a fact is told, from the phrasebook or by grammar.

A relation of the phrasebook has the wordings that were written for it; any relation has those that
follow from its words: "is allergic to" asks "What is Ann allergic to?", a noun "What is Ann's
boss?". Which side a wording is on is fixed: models learn from `WordingSide.TAUGHT`;
`WordingSide.HELD` was held out of the same book, `WordingSide.OTHER` was written by another author
and is never learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from types import MappingProxyType

from mags.caches import cached
from mags.ports.english import lemma
from mags.ports.relations import Relation, normalise
from mags_lab.training.chains.phrasebook import PhrasebookEntry, fill, phrasebook
from mags_lab.training.chains.schema import Split
from mags_lab.training.chains.splits import SplitMaterial, part, split_material
from mags_lab.training.generate.fillers import Fillers, Framer, typed
from mags_lab.training.semantic.authored import Authored

BE = frozenset({"is", "are", "was", "were", "has", "had", "can"})
PARTICLES = frozenset({"in", "at", "on", "to", "from", "near"})
PERSONAL = frozenset({"person", "creature", "relative-name"})
NONE = Authored()


class WordingSide(StrEnum):
    """Which wordings: learned from, held out of the same book, or by another author."""

    TAUGHT = "taught"
    HELD = "held"
    OTHER = "other"


SPLITS = {
    WordingSide.TAUGHT: Split.TRAIN,
    WordingSide.HELD: Split.PHRASINGS,
    WordingSide.OTHER: Split.INDEPENDENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What is asked for: a subject's relation, and the kind it may have (favourite *food*)."""

    subject: str
    relation: str
    kind: str = ""

    @property
    def name(self) -> str:
        """The relation as it is recited."""
        return f"{self.relation} {self.kind}".strip()


@cached(8)
def material(side: WordingSide) -> SplitMaterial:
    """What the wordings of a side are made of."""
    return split_material(SPLITS[side])


class Wordings:
    """The wordings of one side, drawn with `rng`.

    `authored`: more for a relation, by its name; learned from, and so on no other side.
    """

    def __init__(
        self,
        side: WordingSide,
        rng: Random,
        authored: Mapping[str, Authored] = MappingProxyType({}),
    ) -> None:
        self._side, self._rng, self._authored = side, rng, authored
        self._material = material(side)
        self._framer = Framer(self._material, rng, Fillers(self._material, rng))

    def questions(self, slot: Slot, *, first: bool = False) -> tuple[str, ...]:
        """All questions for a slot, without frames; in the words of its subject if `first`."""
        found = _asked(self._side, slot, first)
        written = self._authored.get(slot.name, NONE).questions if not first else ()
        more = tuple(one.replace("{s}", slot.subject) for one in written)
        if self._side is WordingSide.TAUGHT:
            return tuple(dict.fromkeys((*found, *more)))
        taught = {
            *more,
            *(_asked(WordingSide.TAUGHT, slot, first) if self._side is WordingSide.HELD else ()),
        }
        return tuple(one for one in found if one not in taught)

    def question(self, slot: Slot, *, first: bool = False) -> str:
        """One question for a slot, perhaps in a frame and as somebody types."""
        asked = self.questions(slot, first=first) or self.questions(slot)
        return self.framed(self._rng.choice(asked), slot.subject)

    def framed(self, question: str, *names: str) -> str:
        """A question as it might come: mostly bare, else in a frame of talk."""
        rng = self._rng
        if rng.random() < 0.25:
            question = self._framer.around(question, "question", names=names, others=False)
        return typed(question, rng)

    def chained(self, first: Slot, second: Slot) -> str | None:
        """A question for the second slot, whose subject is named by way of the first."""
        links = _phrases(self._side, first, "of")
        if self._side is not WordingSide.OTHER:
            links = (*links, *generic_links(first))
        if self._side is WordingSide.TAUGHT:
            links = (*links, *self._authored.get(first.name, NONE).links)
        asked = [q for q in self.questions(second) if second.subject in q]
        if not links or not asked:
            return None
        link = fill(self._rng.choice(links), {"s": first.subject, "k": first.kind})
        link = link.format(s=first.subject)
        question = self._rng.choice(asked).replace(second.subject, link)
        return question[0].upper() + question[1:]

    def statement(self, slot: Slot, value: str) -> str:
        """The fact told in one sentence."""
        told = [
            fill(p, {"s": slot.subject, "o": value, "k": slot.kind})
            for p in _phrases(self._side, slot, "third")
        ]
        return self._rng.choice(
            told or [normalise(slot.relation).sentence(slot.subject, value, slot.kind)]
        )


@cached(8)
def _book(side: WordingSide) -> dict[str, tuple[PhrasebookEntry, ...]]:
    """Entries by the relation's name; people before creatures where both have it."""
    entries = list(material(side).entries)
    names = {entry.name for entry in entries}
    if side is WordingSide.OTHER:  # the six that no model is trained on have their own words, too
        entries += [e for e in phrasebook("independent") if e.name not in names]
    found: dict[str, tuple[PhrasebookEntry, ...]] = {}
    for entry in sorted(entries, key=lambda e: e.subject not in PERSONAL or e.subject != "person"):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


def _asked(side: WordingSide, slot: Slot, first: bool) -> tuple[str, ...]:
    found = [
        fill(phrase, {"s": slot.subject, "k": slot.kind})
        for phrase in _phrases(side, slot, "ask_first" if first else "ask_third")
    ]
    if side is not WordingSide.OTHER:
        ways = generic_first(slot.name) if first else generic(slot.name)
        made = part(ways, kind="generic", held=side is WordingSide.HELD)
        found += [one.format(s=slot.subject) for one in made]
    return tuple(dict.fromkeys(found))


def _phrases(side: WordingSide, slot: Slot, name: str) -> tuple[str, ...]:
    for entry in _book(side).get(slot.relation, ()):
        if bool(entry.kind) == bool(slot.kind) and entry.list(name):
            return entry.list(name)
    return ()


@cached(4096)
def _relation(name: str) -> Relation:
    return normalise(name)


@cached(4096)
def generic(name: str) -> tuple[str, ...]:
    """Questions that follow from a relation's own words; `{s}` is the subject."""
    return tuple(dict.fromkeys(_generic(name)))


@cached(4096)
def generic_first(name: str) -> tuple[str, ...]:
    """The same, asked by the subject of itself."""
    what = "Who" if _relation(name).answers == "person" else "What"
    first, *rest = name.split()
    tail = " ".join(("", *rest))
    if is_noun(name):
        return (f"{what} is my {name}?", f"Do you know my {name}?", f"My {name}?")
    if first in BE:
        be = {"is": "am", "are": "am", "has": "have", "were": "was"}.get(first, first)
        return (f"{what} {be} I{tail}?", f"Do you know what I {be}{tail}?")
    base = lemma(first)
    past = base != first and not first.endswith("s")
    told = first if past else base
    do = "did" if past else "do"
    return (f"{what} {do} I {base}{tail}?", f"Do you know what I {told}{tail}?")


def asked_of_people() -> tuple[str, ...]:
    """Relations of people that the book has, without those of kinds."""
    entries = material(WordingSide.TAUGHT).entries
    return tuple(one.name for one in entries if one.subject == "person" and not one.kind)


def _generic(name: str) -> Iterator[str]:
    known = _relation(name)
    what = {"person": "Who", "place": "Where", "time": "When"}.get(known.answers, "What")
    first, *rest = name.split()
    tail = " ".join(rest)
    if is_noun(name):
        asks = "Who" if what == "Who" else "What"
        yield f"{asks} is {{s}}'s {name}?"
        yield f"{asks} is the {name} of {{s}}?"
        yield f"Do you know {{s}}'s {name}?"
        yield f"Tell me the {name} of {{s}}."
        yield f"{{s}}'s {name}?"
    elif first in BE:
        yield f"What {first} {{s}} {tail}?"
        yield f"Do you know what {{s}} {name}?"
        if what == "Who":
            yield f"Who {first} {{s}} {tail}?"
        if what == "Where" and rest and rest[-1] in PARTICLES:
            yield f"Where {first} {{s}} {' '.join(rest[:-1])}?".replace(" ?", "?")
    else:
        base = lemma(first)
        does = "did" if base != first and not first.endswith("s") else "does"
        yield f"What {does} {{s}} {base} {tail}".strip() + "?"
        yield f"Do you know what {{s}} {name}?"
        if what == "Who":
            yield f"Who {does} {{s}} {base} {tail}".strip() + "?"
        if what == "Where" and rest and rest[-1] in PARTICLES:
            yield f"Where {does} {{s}} {base} {' '.join(rest[:-1])}".strip() + "?"
    yield f"{{s}}, {name}: what was it?"
    yield f"What follows: {{s}} {name} ...?"


def generic_links(slot: Slot) -> tuple[str, ...]:
    """The object of a slot named by way of its subject."""
    if is_noun(slot.name):
        return (f"{{s}}'s {slot.name}", f"the {slot.name} of {{s}}")
    return (f"whoever {{s}} {slot.name}",) if _relation(slot.name).answers == "person" else ()


def is_noun(name: str) -> bool:
    """Whether a relation reads "the capital of X is Y" rather than "X lives in Y"."""
    known = _relation(name)
    first = name.split()[0]
    verb = first in BE or first.endswith("s") or lemma(first) != first
    return known.noun if known.known else not verb
