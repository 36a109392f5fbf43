"""The relations a memory knows by name: the only place where two phrases count as one relation.

Embeddings cannot tell "moved to" from "moved from", so phrases merge through this table alone.
Tense, articles and "is" are folded away; direction ("founded", "was founded by") and polarity
("likes", "does not like") never are. A phrase the table does not know keeps its own words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from mags.caches import cached
from mags.ports.english import at_home, forms, lemma, past_tense, third_person, word_set

_NEGATIONS = frozenset({"not", "never", "n't", "cannot", "no"})
_AUXILIARIES = frozenset({"be", "have", "do"})
_IDLE = word_set("the a an {} 's currently now also still really very just both has is are been")
_ADVERBS = word_set(
    "currently now also still really very just both actually recently originally formerly "
    "previously"
)
_PARTICLES = word_set(
    "in at to for with on from about up out down over into by off after against through"
)
_BOUND = word_set("to on in at")
_ARTICLES = word_set("the a an {}")
_TOKEN = re.compile(r"\{\}|n't|'(?:s|m|re|ve|d|ll)\b|[^\W_]+(?:[-'\u2019.&][^\W_]+)*|/", re.UNICODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One relation: how facts with it read and behave.

    `name`: as stored. `one`: a later object replaces the earlier one. `several`: it holds several
    as a rule, so that only a sentence with a cue ("not", "instead") contradicts one of them.
    `noun`: it reads "the capital of X is Y". `inverse`: the relation's name seen from the object.
    `symmetric`: its own inverse. `past`: its name once it is over, such facts being many-valued.
    `kinds`: the qualifier `kind` names the slot further. `topics`: a subject has one for each thing
    it is meant for, so that only a topic in common or a change ends one. `opposite`: the relation
    that denies it for the same object. `answers`: person, place, time, number, thing or "".
    `ids`: Wikidata properties. `known`: it comes from the table.
    """

    name: str
    one: bool = False
    several: bool = False
    noun: bool = False
    symmetric: bool = False
    inverse: str = ""
    past: str = ""
    kinds: bool = False
    topics: bool = False
    opposite: str = ""
    answers: str = ""
    ids: tuple[str, ...] = ()
    known: bool = True

    def sentence(self, subject: str, object: str, kind: str = "") -> str:
        """Return the fact as a sentence that stands alone."""
        name = f"{self.name} {kind}".strip() if self.kinds else self.name
        if not self.noun:
            return f"{subject} {name} {object}."
        if len(subject.split()) > 3:
            return f"The {name} of {subject} is {object}."
        return f"{subject}'{'' if subject.endswith('s') else 's'} {name} is {object}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a phrase says: its relation, whether it is over, and whether it tells of a change."""

    relation: Relation
    past: bool = False
    change: bool = False


def _words(phrase: str) -> list[str]:
    text = phrase.replace("_", " ").replace("\u2019", "'").lower()
    text = re.sub(r"\b(can)not\b", r"\1 not", text)
    text = re.sub(r"n't\b", " n't", text).replace("ca n't", "can not").replace(" n't", " not")
    return _TOKEN.findall(text.replace("favorite", "favourite"))


def _fold(words: list[str]) -> str:
    """Return the words without articles and placeholders, verbs in base form."""
    said = [w for w in words if w not in _IDLE - {"has"} and w not in _ADVERBS]
    if len(said) > 1 and lemma(said[0]) == "have" and said[1].endswith("ing"):
        return " ".join(said)  # "has a meeting" is no "has met"
    kept = [lemma(w) for w in said if w not in _IDLE]
    while len(kept) > 1 and kept[0] in _AUXILIARIES and kept[1] not in _BOUND:
        kept = kept[1:]
    while len(kept) > 1 and kept[-1] == "be":
        kept = kept[:-1]
    return " ".join(kept) or " ".join(words)


def _inflected(words: list[str]) -> bool:
    """Say whether a verb stands first in the simple past ("lived in", "was married to")."""
    first = next((word for word in words if word not in _ARTICLES | _ADVERBS), "")
    tags = {form for _, form in forms(first)}
    return "past" in tags and "base" not in tags


def _over(words: list[str]) -> bool:
    """Say whether a phrase tells of what is no longer so."""
    return words[:2] == ["used", "to"] or words[0] in {"formerly", "previously", "ex", "former"}


class _Table:
    """The relations of the file, by name, by folded form and by Wikidata id."""

    def __init__(self, raw: Mapping[str, Mapping[str, object]]) -> None:
        self.by_name: dict[str, Relation] = {}
        self.exact: dict[str, tuple[Relation, bool]] = {}
        self.folded: dict[str, tuple[Relation, bool]] = {}
        self.suffered: dict[str, bool] = {}
        for name, entry in raw.items():
            self._add(name, entry)
        # Once all are there: a row of the table goes before an inverse that is only made up.
        for relation in tuple(self.by_name.values()):
            self._add_inverse(relation)
        self._add_relatives()

    def _add(self, name: str, entry: Mapping[str, object]) -> None:
        told: dict[str, Any] = {key: entry[key] for key in entry if key not in ("forms", "change")}
        told["ids"] = tuple(told.get("ids", "").split())
        if told.get("symmetric"):
            told.setdefault("inverse", name)
        relation = Relation(name=name, **told)
        self.by_name[name] = relation
        for code in relation.ids:
            self.exact.setdefault(code.lower(), (relation, False))
        for key, change in (("forms", False), ("change", True)):
            for form in filter(None, map(str.strip, str(entry.get(key, "")).split("|"))):
                self._file(form, relation, change)
        self._file(name, relation, False)
        if relation.noun:
            self.exact.setdefault(_key(f"the {name} of {{}} is"), (relation, False))
        if relation.past:
            past = Relation(name=relation.past, several=relation.several, answers=relation.answers)
            self.by_name.setdefault(relation.past, past)
            self.exact[_key(relation.past)] = (self.by_name[relation.past], False)

    def _add_relatives(self) -> None:
        """File what relatives are called at home beside the plain words: "mum", "mum of"."""
        for said, plain in at_home():
            for form in ("{}", "{} of"):
                found = self.exact.get(_key(form.format(plain)))
                if found is not None:
                    self._file(form.format(said), *found)

    def _file(self, form: str, relation: Relation, change: bool) -> None:
        words = _words(form)
        folded = _fold(words)
        self.exact.setdefault(_key(form), (relation, change))
        self.folded.setdefault(folded, (relation, change))
        suffered = lemma(words[0]) == "be" and folded.split()[0] != "be"
        self.suffered[folded] = suffered and self.suffered.get(folded, True)

    def _add_inverse(self, relation: Relation) -> None:
        name = relation.inverse or (f"is {relation.name} of" if relation.noun else "")
        if not name or name in self.by_name:
            return
        back = Relation(name=name, inverse=relation.name)
        self.by_name[name] = back
        self._file(name, back, False)


def _key(phrase: str) -> str:
    return " ".join(_words(phrase))


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = resources.files("mags.ports").joinpath("relations.toml").read_text(encoding="utf-8")
    return _Table(tomllib.loads(text)["relations"])


def relations() -> Mapping[str, Relation]:
    """Return every relation of the table by name, in the order of the file."""
    return MappingProxyType(_table().by_name)


@cached(16384)
def read(phrase: str) -> Reading | None:
    """Return what a phrase says by the table, or None where it does not know the phrase."""
    table, words = _table(), _words(phrase)
    if not words:
        return None
    over = _over(words)
    if over:
        words = words[2:] if words[0] == "used" else words[1:]
    # From the strictest to the loosest: as it stands, without articles, by its base forms.
    found = table.exact.get(" ".join(words))
    exact = found is not None
    if found is None and {"favourite", "preferred"}.intersection(words[:1]):
        found = table.exact["favourite"]
    if found is None:
        found = table.exact.get(" ".join(w for w in words if w not in {"the", "a", "an"}))
    if found is None and _placed(words):
        found = table.folded.get(_fold([w for w in words if w != "of"]))
    if found is None and not _NEGATIONS.intersection(words):
        found = table.folded.get(_fold(words))
        found = None if found and _another_verb(words, found[0]) else found
    elif found is None:
        found = table.folded.get(" ".join(lemma(w) for w in words if w not in _IDLE - {"not"}))
    if found is None:
        return None
    relation, change = found
    if relation.past and not change and (over or (not exact and _inflected(words))):
        return Reading(relation=table.by_name[relation.past], past=True)
    return Reading(relation=relation, change=change)


def _another_verb(words: list[str], relation: Relation) -> bool:
    """Say whether a phrase does what the relation it folds to only is called, or suffers.

    "coached" is no head coach, "sees" no "is seeing", and who "called" somebody is not called so.
    """
    if lemma(words[0]) == "be" or "by" in words:
        return False
    verb = next((w for w in words if w not in _IDLE | _ADVERBS), "")
    tags = {form for _, form in forms(verb)}
    if relation.noun and "base" not in tags:
        return "past" in tags or (relation.one and "third" in tags)
    active = tags & {"base", "third", "past"} and (len(words) == 1 or "participle" not in tags)
    return bool(_table().suffered.get(_fold(words)) and active)


def _placed(words: list[str]) -> bool:
    """Say whether a noun phrase has the place of its subject marked ("the capital of {} is")."""
    return "{}" in words[1:] and words[-1] in {"is", "are", "was", "be", "of"}


def canonical(phrase: str) -> Relation | None:
    """Return the relation of the table that a phrase names, or None.

    Case, underscores, articles, "{}", tense and forms of "be" do not matter; a Wikidata property
    id is understood too. A phrase in the past names the relation that is over ("lived in").
    """
    reading = read(phrase)
    return reading.relation if reading else None


@cached(16384)
def normalise(phrase: str) -> Relation:
    """Return the relation of a phrase: the table's, or a many-valued one under its own words.

    An own name keeps tense and polarity, loses articles and perfect auxiliaries, and puts a
    present verb into the third person: "have exhibited" becomes "exhibited", "climb" "climbs".
    """
    known = canonical(phrase)
    if known:
        return known
    words = [w for w in _words(phrase) if w not in _ARTICLES | _ADVERBS]
    words = _simple(words)
    if _bare_verb(words):
        words = [third_person(lemma(words[0])), *words[1:]]
    return Relation(name=" ".join(words) or "is related to", known=False)


def _simple(words: list[str]) -> list[str]:
    """Put a perfect into the simple past, and "has been climbing" into "is climbing"."""
    if len(words) < 2 or words[0] not in {"has", "have", "had"}:
        return words
    if words[1] == "been" and len(words) > 2:
        going = any(form == "gerund" for _, form in forms(words[2]))
        return ["is" if going else "was", *words[2:]]
    base = next((base for base, form in forms(words[1]) if form == "participle"), "")
    return [past_tense(base), *words[2:]] if base and base != "be" else words


def _bare_verb(words: list[str]) -> bool:
    """Say whether a phrase starts with a verb in base form ("climb on"; not "place of birth")."""
    if not words or (lemma(words[0]), "base") not in forms(words[0]):
        return False
    if any(form == "past" for _, form in forms(words[0])):
        return False  # "put", "hit": as likely the past
    return len(words) == 1 or words[1] in _PARTICLES


def kind_of(phrase: str) -> str:
    """Return the word that names the slot further: "food" for "favourite food", else ""."""
    words = _words(phrase)
    if len(words) > 1 and words[0] in {"favourite", "preferred"}:
        return " ".join(w for w in words[1:] if w not in {"is", "of", "{}"})
    return ""


def vocabulary(phrase: str) -> frozenset[str]:
    """The words by which a relation is told and asked for: its own, and those of its forms."""
    known = canonical(phrase)
    forms = (form for form, (one, change) in _table().folded.items() if one == known and not change)
    said = {word for form in (phrase, *forms) for word in _words(form)}
    return frozenset(said | {lemma(word) for word in said})


# -- how a memory of a slot is worded ------------------------------------------


def stem(subject: str, relation: str) -> str:
    """What a memory of this slot begins with: "Ana lives in", "Ana's sister"."""
    known, kind = normalise(relation), kind_of(relation)
    words = f"{known.name} {kind}".strip() if kind else known.name
    if not known.noun:
        return f"{subject} {words}"
    return f"{subject}'{'' if subject.endswith('s') else 's'} {words}"


def backwards(relation: str, object: str) -> str:
    """What a memory of this object ends in: "lives in Oslo", "birthday is 3 May"."""
    words = stem("", relation).removeprefix("'s").strip()
    return f"{words} is {object}" if normalise(relation).noun else f"{words} {object}"
