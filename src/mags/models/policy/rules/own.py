"""Verbs the relation table does not know, read under their own words."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import NAME, OWNED, THING, Clause
from mags.models.policy.rules.lexicon import (
    ADVERBS,
    EMPTY_OBJECTS,
    FEELINGS,
    LIGHT,
    PARTICLES,
    PREPOSITIONS,
    SILENT,
    word_set,
)
from mags.models.policy.rules.phrase import Rest, cut_aside, object_of, parted
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.verbs import Verb
from mags.ports.english import BASE, forms, gerund, past_tense, third_person
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical


def own_words(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, name: str
) -> list[Operation] | None:
    """Read a verb the table does not know under its own words."""
    verb, words = clause.verb, rest.tokens
    while len(words) > 1 and (words[0].low in ADVERBS or _adverb(words[0].low)):
        words = words[1:]
    if verb.base == "be":
        return _been(clause, words, scene, manner, name)
    if _silent(clause, words) and not (_taken_often(verb, rest) or _taken_with(verb, words)):
        return _outing(clause, words, scene, manner, name)
    if _tells_nothing(clause, words):
        return []
    k = _prepositions(words)
    body, sides = parted(cut_aside(words[k:]))
    if not body or body[0].low in _EMBEDDED:
        return []
    thing = object_of(body, scene, name)
    if thing is None:
        return None if name != scene.speaker or verb.tense == "past" else []
    if thing.noun in EMPTY_OBJECTS:
        return []
    told = replace(verb, negated=False) if verb.gone else verb
    if verb.base == "take" and verb.tense == "progressive":
        told = replace(told, tense="present", form="takes")
    relation = Relation(name=" ".join([_named(told), *(t.low for t in words[:k])]), known=False)
    if verb.passive:
        relation = canonical(relation.name) or relation
    said = Said(
        subject=name,
        relation=relation,
        object=thing.text,
        told=thing.told,
        object_is_name=thing.is_name,
        act=Act.RETRACT if verb.gone else Act.ADD,
        change=verb.gone,
    )
    return [claim(scene, replace(manner, sides={**manner.sides, **sides}), said)]


_EMBEDDED = word_set("how that if what why when whether so")


def _tells_nothing(clause: Clause, words: tuple[Token, ...]) -> bool:
    """Say whether a verb with what follows names no relation: moods, bare auxiliaries."""
    verb = clause.verb
    if verb.base in {"have", "do"} or (verb.tense == "used" and not words):
        return True
    return (verb.passive and not _led(verb, words)) or clause.subject.kind == THING


def _prepositions(words: tuple[Token, ...]) -> int:
    """Return how many words belong to the verb: "went to", "signed up for"."""
    k = 0
    while k < min(2, len(words)) and words[k].low in PARTICLES | PREPOSITIONS - {
        "than",
        "of",
        "per",
    }:
        k += 1
    return k


def _adverb(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4 and word not in {"family", "early", "only"}


def _silent(clause: Clause, words: tuple[Token, ...]) -> bool:
    """Say whether a verb tells nothing to keep: "I think", "we had"; names may give and lead."""
    base = clause.verb.base
    if (
        base not in SILENT
        or clause.verb.passive
        or (base == "go" and words and words[0].low == "to")
    ):
        return False
    told = clause.subject.kind in {NAME, OWNED} and base in LIGHT and base != "go"
    return not ((told and len(words) > 1) or _business(clause.verb, words))


def _business(verb: Verb, words: tuple[Token, ...]) -> bool:
    """Say whether a light verb tells a lasting thing: "runs a bakery", "takes 5 mg of iron",
    "keeps three goats".
    """
    if verb.base == "take" and verb.tense == "progressive" and words and not verb.negated:
        taught = words[-1].low in {"class", "classes", "course", "courses", "lessons"}
        return taught or words[0].low not in PREPOSITIONS | PARTICLES | _HELD
    if verb.tense != "present" or verb.negated:
        return False
    if verb.base == "keep":
        return any(word.low in _KEPT for word in words[:_COUNTED])
    if len(words) < 2:
        return False
    if verb.base == "run":
        return words[0].low in {"a", "an", "the", "my", "our", "his", "her", "their"}
    return verb.base == "take" and words[0].text[:1].isdigit()


def _taken_often(verb: Verb, rest: Rest) -> bool:
    """Say whether a thing is taken by habit: "takes iron every morning"."""
    return verb.base == "take" and verb.tense == "present" and "often" in rest.sides


def _taken_with(verb: Verb, words: tuple[Token, ...]) -> bool:
    """Say whether a thing is taken at its time of the day: "a blood thinner with supper"."""
    timed = len(words) > _FEWEST_TIMED and words[-1].low in _MEALS
    habit = verb.base == "take" and verb.tense == "present" and not verb.negated
    if len(words) == _FEWEST_TIMED + 2 and any(f == BASE for _, f in forms(words[1].low)):
        return False  # "a walk after dinner"
    return habit and timed and words[-2].low in {"with", "at", "before", "after"}


_KEPT = word_set(
    "bees hens chickens ducks geese goats sheep pigs cows cattle horses ponies rabbits donkeys"
    " alpacas llamas pigeons quail fish birds cats dogs"
)
_COUNTED = 3
"""Words in which an animal is named: "a few goats"."""
_MEALS = word_set("breakfast lunch dinner supper meals food bedtime bed night")
_FEWEST_TIMED = 2
_HELD = word_set("a an the my our his her their care part place time it this that notes")


def _led(verb: Verb, words: tuple[Token, ...]) -> bool:
    """Say whether a passive goes on with a preposition and tells more than a mood."""
    if verb.form in FEELINGS or not words:
        return False
    if verb.form in {"awarded", "given", "offered", "elected", "appointed"}:
        return words[0].low in {"the", "a", "an"} or words[0].is_capital
    return words[0].low in PREPOSITIONS - {"of", "to", "than", "as"}


def _been(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    """Read "has been to Paris", "has never been to Paris"."""
    if clause.verb.tense != "perfect" or not words or words[0].low != "to":
        return []
    body, sides = parted(words[1:])
    thing = object_of(body, scene, name)
    if thing is None or not thing.is_name:
        return []
    relation = "has never been to" if clause.verb.negated else "visited"
    told = replace(manner, sides={**manner.sides, **sides})
    return [
        claim(
            scene,
            told,
            Said(subject=name, relation=relation, object=thing.text, object_is_name=True),
        )
    ]


def _outing(
    clause: Clause, words: tuple[Token, ...], scene: Scene, manner: Manner, name: str
) -> list[Operation]:
    """Read "went camping (with the kids)"."""
    if clause.verb.base != "go" or clause.verb.negated or not words:
        return []
    low = words[0].low
    if not low.endswith("ing") or len(low) < 6 or clause.verb.tense not in {"past", "perfect"}:
        return []
    body, sides = parted(words)
    told = replace(manner, sides={**manner.sides, **sides})
    thing = object_of(body, scene, name)
    if thing is None:
        return []
    return [
        claim(
            scene,
            told,
            Said(subject=name, relation=Relation(name="went", known=False), object=thing.text),
        )
    ]


def _named(verb: Verb) -> str:
    """Return the verb as an own relation reads it: tense and polarity kept."""
    if verb.passive:
        return (
            f"{'was' if verb.tense == 'past' else 'is'} {'not ' if verb.negated else ''}{verb.form}"
        )
    if verb.never:
        return (
            f"never {past_tense(verb.base) if verb.tense != 'present' else third_person(verb.base)}"
        )
    if verb.negated:
        return f"{'did' if verb.tense in {'past', 'perfect'} else 'does'} not {verb.base}"
    if verb.tense == "used":
        return f"used to {verb.base}"
    if verb.tense == "past":
        return verb.form if verb.form != verb.base else past_tense(verb.base)
    if verb.tense == "perfect":
        return f"has been {verb.form}" if verb.form.endswith("ing") else f"has {verb.form}"
    if verb.tense == "progressive":
        return f"is {gerund(verb.base)}"
    return third_person(verb.base)
