"""The relations of the reader's own world, and which of their phrases are for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from mags.training.chains.splits import held_out
from mags.training.reader.world import Thing, filled, part, table


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """How a relation is told (`say`), asked, gone through (`of`), done and denied."""

    name: str
    subject: str
    object: str
    say: Sequence[str]
    ask: Sequence[str]
    of: Sequence[str]
    do: Sequence[str]
    no: Sequence[str]
    member: bool = False

    def told(self, rng: Random, s: Thing | str, o: Thing) -> str:
        """The fact as a clause."""
        return lowered(filled(rng.choice(self.say), rng, s, o))

    def denied(self, rng: Random, s: Thing | str, o: Thing) -> str:
        """The fact denied, as a clause."""
        return lowered(filled(rng.choice(self.no), rng, s, o))

    def asked(self, rng: Random, s: Thing | str) -> str:
        """The question for the object."""
        return filled(rng.choice(self.ask), rng, s)

    def through(self, rng: Random, s: Thing | str) -> str:
        """The object, named by way of the subject."""
        return filled(rng.choice(self.of), rng, s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Which of all there is may be used: `phrases`, `words`, `relations` held out, or not."""

    phrases: bool = False
    words: bool = False
    relations: bool = False


TRAIN = Side()
SEEN = Side(words=True)
PHRASES = Side(phrases=True, words=True)
RELATIONS = Side(phrases=True, words=True, relations=True)
SIDES = {"seen": SEEN, "phrasings": PHRASES, "relations": RELATIONS}


@cache
def relations(side: Side) -> tuple[Relation, ...]:
    """The written relations of a side, their phrases cut down to its own."""
    found = []
    for name, given in table("relations").items():
        if bool(given.get("held")) is not side.relations:
            continue
        subject, target = given["t"].split()
        found.append(
            Relation(
                name=name,
                subject=subject,
                object=target,
                say=_phrases(given["say"], side.phrases),
                ask=_phrases(given["ask"], side.phrases),
                of=_few(given["of"], side.phrases),
                do=given["do"].split(" | "),
                no=given["no"].split(" | "),
                member=bool(given.get("member")),
            )
        )
    return tuple(found)


def lowered(clause: str) -> str:
    """A clause as it stands inside of a sentence: a first word that is no name, small."""
    first = clause.split(" ", 1)[0]
    return clause[0].lower() + clause[1:] if first in _first_words() else clause


@cache
def _first_words() -> frozenset[str]:
    told = [p for given in table("relations").values() for p in given["say"].split(" | ")]
    told += [p for given in table("relations").values() for p in given["no"].split(" | ")]
    firsts = {p.split(" ", 1)[0] for p in (*told, *_VERB, *_NOUN)}
    return frozenset(w for w in firsts if w.isalpha()) | {"A", "An", "The", "Every"}


def _phrases(given: str, held: bool) -> Sequence[str]:
    return part(given.split(" | "), held=held)


def _few(given: str, held: bool) -> Sequence[str]:
    listed = given.split(" | ")
    return part(listed, held=held) if len(listed) > 2 else listed


def phrases(manner: str, which: str, side: Side) -> Sequence[str]:
    """The framings of a manner on a side."""
    return part(table("manners")[manner][which], held=side.phrases)


_VERB = (
    "{s} {v} {o}",
    "{o} is what {s} {v}",
    "What {s} {v} is {o}",
    "{s} {v} {o} every day",
    "{s} always {v} {o}",
    "It is {o} that {s} {v}",
    "{s}, as you know, {v} {o}",
    "{s} {v} nothing but {o}",
)
_VERB_ASK = (
    "What does {s} {b}?",
    "What is it that {s} {v}?",
    "{s} {v} what?",
    "Tell what {s} {v}.",
)
_VERB_NO = ("{s} does not {b} {o}", "{s} never {v} {o}")
_VERB_OF = ("what {s} {v}", "the thing {s} {v}")
_VERB_DO = ("{o}", "Take {o}", "Say {o}", "Choose {o}", "Go for {o}")
_NOUN = (
    "the {n} of {s} is {o}",
    "{s}'s {n} is {o}",
    "{o} is the {n} of {s}",
    "{s} has {o} for a {n}",
    "{o} is {s}'s {n}",
    "as {n}, {s} has {o}",
    "for {s}, the {n} is {o}",
    "{s} took {o} as {n}",
)
_NOUN_ASK = (
    "What is the {n} of {s}?",
    "What is {s}'s {n}?",
    "Which {n} does {s} have?",
    "Name the {n} of {s}.",
)
_NOUN_NO = ("{o} is not the {n} of {s}", "the {n} of {s} is not {o}")
_NOUN_OF = ("the {n} of {s}", "{s}'s {n}")
_MADE_SUBJECTS = ("person", "town", "house", "folk", "guild", "ship", "place", "river")
_MADE_OBJECTS = (
    *("person", "food", "item", "colour", "plant", "metal", "animal", "goods", "town", "house"),
    "guild",
)


def invented(
    rng: Random, side: Side, subject: str | None = None, target: str | None = None
) -> Relation:
    """A relation made of a verb or a noun at random; a side's own verbs, nouns and patterns."""
    kind = subject or rng.choice(_MADE_SUBJECTS)
    target = target or rng.choice(_MADE_OBJECTS)
    if rng.random() < 0.5 and kind != "folk":
        return _of_verb(rng, side, kind, target)
    return _of_noun(rng, side, kind, target)


def _of_verb(rng: Random, side: Side, subject: str, target: str) -> Relation:
    groups = [g for g in table("words")["verbs"]["groups"] if _own(g, "verbs", side)]
    verbs = [_forms(one) for one in rng.choice(groups).split(", ")]

    def each(patterns: Sequence[str]) -> list[str]:
        return [
            p.replace("{v}", third).replace("{b}", bare) for p in patterns for third, bare in verbs
        ]

    return Relation(
        name="verb",
        subject=subject,
        object=target,
        say=each(part(_VERB, held=side.phrases)),
        ask=each(part(_VERB_ASK, held=side.phrases)),
        of=each(_VERB_OF),
        do=_VERB_DO,
        no=each(_VERB_NO),
    )


def _forms(verb: str) -> tuple[str, str]:
    third, bare = verb.split("/") if "/" in verb else verb.split()
    return third, bare


def _of_noun(rng: Random, side: Side, subject: str, target: str) -> Relation:
    nouns = [n for n in table("words")["nouns"]["list"].split(", ") if _own(n, "nouns", side)]
    noun = rng.choice(nouns)

    def each(patterns: Sequence[str]) -> list[str]:
        return [p.replace("{n}", noun) for p in patterns]

    return Relation(
        name="noun",
        subject=subject,
        object=target,
        say=each(part(_NOUN, held=side.phrases)),
        ask=each(part(_NOUN_ASK, held=side.phrases)),
        of=each(_NOUN_OF),
        do=_VERB_DO,
        no=each(_NOUN_NO),
    )


def _own(word: str, kind: str, side: Side) -> bool:
    return held_out(word, kind=f"reader {kind}") is side.relations


def leading(side: Side, subject: str) -> tuple[Relation, ...]:
    """The relations of a side that start from a kind of subject."""
    return tuple(r for r in relations(side) if r.subject == subject)
