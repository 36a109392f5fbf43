"""The relations of the reader's own world, and which of their phrases are for training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from mags_lab.training.chains.splits import held_out
from mags_lab.training.reader.world import Thing, filled, part, table


@dataclass(frozen=True, slots=True, kw_only=True)
class TaleRelation:
    """How a relation is told (`say`), asked, gone through (`of`), done and denied; `me`: what its
    subject says of itself, `mine`: what it asks.
    """

    name: str
    subject: str
    object: str
    say: Sequence[str]
    ask: Sequence[str]
    of: Sequence[str]
    do: Sequence[str]
    no: Sequence[str]
    me: Sequence[str] = ()
    mine: Sequence[str] = ()
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

    @property
    def wider(self) -> bool:
        """Whether the phrases and relations that only training has belong to it."""
        return not (self.phrases or self.relations)


TRAIN = Side()
SEEN = Side(words=True)
PHRASES = Side(phrases=True, words=True)
RELATIONS = Side(phrases=True, words=True, relations=True)
SIDES = {"seen": SEEN, "phrasings": PHRASES, "relations": RELATIONS}


@cache
def relations(side: Side) -> tuple[TaleRelation, ...]:
    """The written relations of a side, their phrases cut down to its own."""
    more = table("more") if side.wider else {}
    found = [
        _relation(name, given, more.get(name, {}), side)
        for name, given in table("relations").items()
        if bool(given.get("held")) is side.relations
    ]
    if side.wider:
        found += [_trained(name, given) for name, given in table("wider").items()]
    return tuple(found)


def _relation(
    name: str, given: Mapping[str, Any], more: Mapping[str, str], side: Side
) -> TaleRelation:
    """A relation whose phrases are held out in part; `more`: phrases for training alone."""
    subject, target = given["t"].split()
    return TaleRelation(
        name=name,
        subject=subject,
        object=target,
        say=[*_phrases(given["say"], side.phrases), *_listed(more, "say")],
        ask=[*_phrases(given["ask"], side.phrases), *_listed(more, "ask")],
        of=[*_few(given["of"], side.phrases), *_listed(more, "of")],
        do=_ways([*given["do"].split(" | "), *_listed(more, "do")], target, side),
        no=[*given["no"].split(" | "), *_listed(more, "no")],
        me=_listed(more, "me"),
        mine=_listed(more, "mine"),
        member=bool(given.get("member")),
    )


def _trained(name: str, given: Mapping[str, Any]) -> TaleRelation:
    """A relation for training alone."""
    subject, target = given["t"].split()
    lists = {which: _listed(given, which) for which in ("say", "ask", "of", "no", "me", "mine")}
    do = _ways(_listed(given, "do"), target, TRAIN)
    member = bool(given.get("member"))
    return TaleRelation(name=name, subject=subject, object=target, do=do, member=member, **lists)


def _listed(given: Mapping[str, Any], which: str) -> Sequence[str]:
    return given[which].split(" | ") if which in given else ()


def _ways(own: Sequence[str], target: str, side: Side) -> Sequence[str]:
    """The wordings of an action: in training also those that any object but an act takes, though
    its own stay as many.
    """
    if not side.wider or target == "act":
        return own
    framed = table("framings")["done"]["say"]
    return [*(list(own) * max(1, len(framed) // len(own))), *framed]


def lowered(clause: str) -> str:
    """A clause as it stands inside of a sentence: a first word that is no name, small."""
    first = clause.split(" ", 1)[0]
    return clause[0].lower() + clause[1:] if first in _first_words() else clause


@cache
def _first_words() -> frozenset[str]:
    every = [g for name in ("relations", "more", "wider") for g in table(name).values()]
    told = [p for given in every for which in ("say", "no") for p in _listed(given, which)]
    firsts = {p.split(" ", 1)[0] for p in (*told, *_VERB, *_NOUN)}
    return frozenset(w for w in firsts if w.isalpha()) | {"A", "An", "The", "Every"}


def _phrases(given: str, held: bool) -> Sequence[str]:
    return part(given.split(" | "), held=held)


def _few(given: str, held: bool) -> Sequence[str]:
    listed = given.split(" | ")
    return part(listed, held=held) if len(listed) > 2 else listed


def phrases(manner: str, which: str, side: Side) -> Sequence[str]:
    """The framings of a manner on a side."""
    more = table("framings").get(manner, {}).get(which, ()) if side.wider else ()
    return [*part(table("manners")[manner][which], held=side.phrases), *more]


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
MADE_OBJECTS = (
    *("person", "food", "item", "colour", "plant", "metal", "animal", "goods", "town", "house"),
    "guild",
)


def invented(
    rng: Random, side: Side, subject: str | None = None, target: str | None = None
) -> TaleRelation:
    """A relation made of a verb or a noun at random; a side's own verbs, nouns and patterns."""
    kind = subject or rng.choice(_MADE_SUBJECTS)
    target = target or rng.choice(MADE_OBJECTS)
    if rng.random() < 0.5 and kind != "folk":
        return _of_verb(rng, side, kind, target)
    return _of_noun(rng, side, kind, target)


def _of_verb(rng: Random, side: Side, subject: str, target: str) -> TaleRelation:
    groups = [g for g in table("words")["verbs"]["groups"] if _own(g, "verbs", side)]
    verbs = [_forms(one) for one in rng.choice(groups).split(", ")]

    def each(patterns: Sequence[str]) -> list[str]:
        return [
            p.replace("{v}", third).replace("{b}", bare) for p in patterns for third, bare in verbs
        ]

    return TaleRelation(
        name="verb",
        subject=subject,
        object=target,
        say=each([*part(_VERB, held=side.phrases), *_wider("verb", "say", side)]),
        ask=each([*part(_VERB_ASK, held=side.phrases), *_wider("verb", "ask", side)]),
        of=each(_VERB_OF),
        do=_VERB_DO,
        no=each(_VERB_NO),
    )


def _forms(verb: str) -> tuple[str, str]:
    third, bare = verb.split("/") if "/" in verb else verb.split()
    return third, bare


def _of_noun(rng: Random, side: Side, subject: str, target: str) -> TaleRelation:
    nouns = [n for n in table("words")["nouns"]["list"].split(", ") if _own(n, "nouns", side)]
    noun = rng.choice(nouns)

    def each(patterns: Sequence[str]) -> list[str]:
        return [p.replace("{n}", noun) for p in patterns]

    return TaleRelation(
        name="noun",
        subject=subject,
        object=target,
        say=each([*part(_NOUN, held=side.phrases), *_wider("noun", "say", side)]),
        ask=each([*part(_NOUN_ASK, held=side.phrases), *_wider("noun", "ask", side)]),
        of=each(_NOUN_OF),
        do=_VERB_DO,
        no=each(_NOUN_NO),
    )


def _wider(manner: str, which: str, side: Side) -> Sequence[str]:
    """Phrases of relations made up at random that training alone has."""
    return table("framings")[manner][which] if side.wider else ()


def _own(word: str, kind: str, side: Side) -> bool:
    return held_out(word, kind=f"reader {kind}") is side.relations


def leading(side: Side, subject: str) -> tuple[TaleRelation, ...]:
    """The relations of a side that start from a kind of subject."""
    return tuple(r for r in relations(side) if r.subject == subject)
