"""Names given just after: "We got a dog. Her name is Rex", "We booked a hotel. It's called ..."."""

from __future__ import annotations

import re

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import OWNED, PRONOUN, THING, Clause
from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.phrase import object_of, trim
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.verbs import Verb
from mags.ports.english import whose
from mags.ports.policy import Act, Operation

_CALLING = frozenset({"call", "name"})
_THING = re.compile(r"[a-z]+(?: [a-z]+)?(?: (?:in|near|at|from) (?:the )?[A-Z]\w+)?")
"""What has no name yet and may be given one: "hotel in Lisbon"."""
_WITHIN = re.compile(r" (?:from|in|at|with|of|near) ")


def acquired(operation: Operation, scene: Scene) -> None:
    """Keep in mind what may be named next: a dog, a hotel in Lisbon."""
    word = _head(operation.object)
    if operation.relation == "has" and word in PETS | KIN:
        scene.fresh = f"{operation.subject}|{word}"
    elif operation.act is Act.ADD and _THING.fullmatch(operation.object):
        scene.fresh = f"{operation.subject}|{operation.object}"


def read_naming(clause: Clause, scene: Scene, manner: Manner) -> tuple[Operation, ...]:
    """Read "her name is Rex", "he's called Rex", "we named it Rex" of what was just told."""
    owner, _, noun = scene.fresh.partition("|")
    alive = noun in PETS | KIN
    given = _is_given(clause)
    if not noun or not (given or _is_called(clause, noun, alive=alive)):
        _introduce(clause, scene)
        return ()
    thing = object_of(trim(clause.rest[1:] if given else clause.rest), scene, scene.speaker)
    if thing is None or not thing.is_name:
        return ()
    scene.fresh = ""
    scene.named[whose(owner, noun)] = thing.text
    if noun in PETS:
        scene.pet = thing.text
    elif alive:
        scene.note(thing.text, scene.pronoun_gender(clause.subject.owner or clause.subject.word))
    said = Said(
        subject=owner,
        relation=noun.lower(),
        object=thing.text,
        object_is_name=True,
        text=f"{owner}'s {noun} is called {thing.text}.",
    )
    return (claim(scene, manner, said),)


def _introduce(clause: Clause, scene: Scene) -> None:
    """Take "his name is Tom" of nobody without a name as of a stranger, and "he" after it too."""
    subject = clause.subject
    if (subject.kind, subject.noun, clause.verb.base) == (OWNED, "name", "be"):
        nameless = "'s " in (scene.person(subject.owner) or "")  # "Ana's sister"
        scene.strangers |= subject.owner in {"his", "her"} and not nameless


def _is_called(clause: Clause, noun: str, *, alive: bool) -> bool:
    """Say whether a clause tells the name: "its name is", "he's called", "the hotel is called"."""
    subject, verb = clause.subject, clause.verb
    if subject.kind == OWNED and subject.noun == "name" and verb.base == "be":
        return subject.owner in ({"his", "her", "its"} if alive else {"its"})
    if subject.kind == THING and not alive:
        return _is_named(verb) and _head(subject.noun) == _head(noun)
    pronouns = {"he", "she", "it"} if alive else {"it"}
    return subject.kind == PRONOUN and subject.word in pronouns and _is_named(verb)


def _is_named(verb: Verb) -> bool:
    return verb.base in _CALLING and verb.passive


def _is_given(clause: Clause) -> bool:
    """Say whether somebody names it: "we called her Rex"."""
    named = clause.verb.base in _CALLING and not clause.verb.passive
    return named and len(clause.rest) > 1 and clause.rest[0].low in {"him", "her", "it"}


def _head(noun: str) -> str:
    """The word that says what it is: "hotel" of "small hotel in Lisbon"."""
    words = _WITHIN.split(noun)[0].lower().split()
    return words[-1] if words else ""
