"""One clause read: which operations it calls for, if any, and why not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.case import Case
from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.clause import NAME, OWNED, PRONOUN, Clause, Subject, subject_at
from mags.models.policy.rules.copula import read_copula
from mags.models.policy.rules.events import lifeless, resolved
from mags.models.policy.rules.generic import read_generic
from mags.models.policy.rules.lexicon import KIN, PETS, SILENT, word_set
from mags.models.policy.rules.lists import objects
from mags.models.policy.rules.naming import acquired, read_naming
from mags.models.policy.rules.passage import lifespan
from mags.models.policy.rules.phrase import Rest, rest_of
from mags.models.policy.rules.plain import plainly
from mags.models.policy.rules.plans import read_plan
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.slots import slot_of
from mags.models.policy.rules.special import SPECIAL
from mags.models.policy.rules.states import state_of
from mags.models.policy.rules.tokens import join
from mags.models.policy.rules.weekly import weekly
from mags.ports.english import past_tense, whose
from mags.ports.policy import Operation
from mags.ports.relations import canonical

_AHEAD = word_set("move marry relocate emigrate")
_EVENTS = _AHEAD | word_set("go fly travel visit meet see leave join return sail head graduate")
"""What is said in the present of a day to come: "we fly to Lisbon on 26 April"."""
_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
_IDLE = frozenset({"it", "this", "that", "these", "those", "there", "you"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseReading:
    """What a clause gave: operations, and `why` it could not be read ("" if it could)."""

    operations: tuple[Operation, ...] = ()
    why: str = ""


def read_clause(clause: Clause, scene: Scene, manner: Manner) -> ClauseReading:
    """Return the operations of one clause."""
    clause = resolved(plainly(clause, scene), scene)
    if clause.subject.kind != PRONOUN:
        scene.thing = clause.subject if lifeless(clause.subject) else None
    subject = clause.subject
    fresh = read_naming(clause, scene, manner)
    if fresh:
        return ClauseReading(operations=fresh)
    if _is_idle(clause):
        return ClauseReading()
    names = _who(clause, scene)
    if names is None:
        if subject.word == "they" and clause.verb.base in SILENT:
            return ClauseReading()
        who = subject.word or f"{subject.owner} {subject.noun}"
        return ClauseReading(why=f"cannot tell who '{who.replace('|', ' ')}' is")
    introduced = _introduced(clause, scene, manner)
    if subject.apposed and subject.kind == NAME:
        introduced += lifespan(subject.apposed, scene, manner, names[0])
    introduced += _met(clause, scene, manner, names)
    rest = rest_of(clause.rest, scene.at, future=_ahead(clause), before=join(clause.before))
    sides = rest.sides
    if subject.word == "we" and subject.relative and clause.verb.tense in {"past", "perfect"}:
        sides = {"with": subject.relative.names[0], **sides}  # "my wife Jill and I went to Crete"
    told = replace(manner, time=rest.time, times=rest.times, sides=sides)
    found = list(introduced)
    why = ""
    operations = _by_verb(clause, rest, scene, told, names)
    if operations is None:
        why = f"cannot read what '{clause.verb.form}' says here"
    else:
        found += operations
    scene.see(subject)
    _remember(found, scene)
    if clause.verb.base in {"see", "date"} and _someone(clause):
        scene.fresh = f"{names[0]}|partner"
    return ClauseReading(operations=tuple(found), why=why if not found else "")


def _is_idle(clause: Clause) -> bool:
    """Say whether a clause is about nothing known, or about several together.

    None of those is what all of them are: "we are a small startup".
    """
    subject, first = clause.subject, clause.rest[0].low if clause.rest else ""
    together = subject.word == "we" and clause.verb.base == "be" and first in {"a", "an"}
    idle = subject.kind == PRONOUN and subject.word in _IDLE
    return idle or together or subject.owner == "your"


def _who(clause: Clause, scene: Scene) -> tuple[str, ...] | None:
    """Whom a clause is about; "they" may be a family that was told of before the talk."""
    names = scene.subjects(clause.subject)
    if names is None and clause.subject.word == "they" and clause.verb.base not in SILENT:
        return scene.they()
    return names


def _someone(clause: Clause) -> bool:
    """Say whether a partner is met who has no name yet: "I'm seeing someone"."""
    words = [t.low for t in clause.rest if t.is_word]
    return clause.verb.tense == "progressive" and words[:1] in (["someone"], ["somebody"])


def _ahead(clause: Clause) -> bool:
    """Say whether a date without a year is the next one: of what is planned, or is in the present.

    A state has its day ("I work at Lumen from 1 May"), but a season or a weekday of one is one
    that comes again ("I swim in summer").
    """
    verb = clause.verb
    if verb.tense in {"future", "progressive", "modal"}:
        return True
    if verb.base in {"plan", "hope", "want", "intend"}:
        return True
    if verb.tense != "present" or (verb.form == verb.base == past_tense(verb.base)):
        return False  # "I quit on 1 May" is the past
    if verb.base in {"be", "have", "start", "begin"} | _EVENTS:
        return True
    return not verb.passive and any(_DAY.fullmatch(t.low) for t in (*clause.before, *clause.rest))


def _coming(clause: Clause, manner: Manner, scene: Scene) -> bool:
    """Say whether the time named lies ahead: "is visiting us next week"."""
    time, base = manner.time, clause.verb.base
    if base in {"plan", "hope", "want", "intend", "think", "look", "try", "be", "get", "have"}:
        return False
    return time is not None and time.role in {"at", "since"} and time.since > scene.at


def _planned(clause: Clause, manner: Manner, scene: Scene) -> bool:
    """Say whether a clause tells what is to be: "we fly on 26 April", "she is moving to Rome"."""
    verb = clause.verb
    if verb.tense == "progressive":
        return verb.base in _AHEAD or _coming(clause, manner, scene)
    if verb.tense != "present" or verb.negated or verb.passive or lifeless(clause.subject):
        return verb.tense == "future"
    return verb.base in _EVENTS and _coming(clause, manner, scene)


def _by_verb(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation] | None:
    state = state_of(clause, scene, manner)
    if state:
        return state
    verb = clause.verb
    if _planned(clause, manner, scene):
        return read_plan(clause, rest, scene, manner, names)
    if verb.tense == "modal":
        return _modal(clause, rest, scene, manner, names)
    been = verb.tense == "perfect" and bool(rest.tokens) and rest.tokens[0].low == "to"
    case = Case(clause=clause, rest=rest, scene=scene, manner=manner, names=names)
    special = SPECIAL.get(verb.base)
    held = weekly(case)
    if held is not None:
        return held
    if special:
        found = special(case)
        if found is not None:
            return found
    if verb.base == "be" and not verb.passive and verb.tense != "progressive" and not been:
        return read_copula(clause, rest, scene, manner, names)
    return read_generic(clause, rest, scene, manner, names)


def _modal(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation] | None:
    verb = clause.verb
    if verb.modal in {"might", "may"}:
        return read_plan(clause, rest, scene, replace(manner, hedged=True), names)
    if verb.modal == "would" and verb.base in {"like", "love"} and rest.tokens:
        wish = replace(
            clause, verb=replace(verb, base="want", tense="present", form="want", modal="")
        )
        return read_generic(wish, rest, scene, manner, names)
    if verb.modal == "can" and verb.base in _SKILLS:
        return _able(clause, rest, scene, manner, names)
    return []


_SKILLS = word_set(
    """eat drink swim drive speak play cook ride dance sing read walk hear tolerate digest afford
    stand sew knit paint draw fly sail ski skate"""
)


def _able(
    clause: Clause, rest: Rest, scene: Scene, manner: Manner, names: tuple[str, ...]
) -> list[Operation]:
    """Read "can play the piano", "can't eat gluten"."""
    verb = clause.verb
    if verb.base == "stand" and not verb.negated:
        return []
    relation = f"{'cannot' if verb.negated else 'can'} {verb.base}"
    if verb.base == "stand":
        relation = "dislikes"
    found = []
    for name in names:
        things = objects(rest.tokens, scene, name)
        found += [
            claim(scene, manner, Said(subject=name, relation=relation, object=thing.text))
            for thing in things
        ]
    return found


def _introduced(clause: Clause, scene: Scene, manner: Manner) -> list[Operation]:
    """Read "my sister Ana" as such: Ana is a sister of the speaker."""
    subject = clause.subject
    if subject.kind != OWNED or not subject.names:
        return []
    owner = scene.owner(subject.owner)
    noun = subject.noun
    word = noun.split()[-1] if noun else ""
    if not owner or (word not in KIN and word not in PETS and slot_of(noun) is None):
        return []
    return [_kin(owner, subject, scene, manner)]


def _kin(owner: str, subject: Subject, scene: Scene, manner: Manner) -> Operation:
    """Return that "my sister Ana" is a sister of the speaker."""
    noun, name = subject.noun, subject.names[0]
    word = noun.split()[-1]
    plain = replace(manner, time=None, times=(), sides={}, reason="", condition="")
    said = Said(
        subject=owner,
        relation=slot_of(noun) or canonical(word) or word,
        object=name,
        object_is_name=True,
        text=f"{owner}'s {noun} is {name}.",
        aliases={name: (f"{owner}'s {noun}",)},
    )
    return claim(scene, plain, said)


def _met(clause: Clause, scene: Scene, manner: Manner, names: tuple[str, ...]) -> list[Operation]:
    """Read "my uncle Carlo" and "her husband Tom" behind the verb: who is whose relative."""
    found: list[Operation] = []
    if clause.subject.relative is not None:
        found.append(_kin(names[0], clause.subject.relative, scene, manner))
    words = clause.rest
    for i, token in enumerate(words):
        if token.low not in {"my", "our", "his", "her", "their"}:
            continue
        other = subject_at(words, i)
        word = other.noun.split()[-1] if other and other.noun else ""
        if other is None or not other.names or word not in KIN | PETS:
            continue
        own = token.low in {"my", "our"}
        if not own and (names[0] == scene.speaker or (i > 0 and words[i - 1].low == "and")):
            continue
        owner = scene.speaker if own else names[0]
        found.append(_kin(owner, other, scene, manner))
        scene.named[whose(owner, other.noun)] = other.names[0]
        scene.note(other.names[0], scene.gender(other.noun))
    return found


def _remember(operations: Sequence[Operation], scene: Scene) -> None:
    """Keep people met as objects in mind, and things that may be named next."""
    for operation in operations:
        relation = canonical(operation.relation)
        if operation.object_is_name and relation and relation.answers == "person":
            scene.note(operation.object)
        acquired(operation, scene)
        if (operation.relation, operation.object) == ("is", "engaged"):
            scene.fresh = f"{operation.subject}|fiance"  # "Her name is Lucia."
