"""From what was read to operations: names, sentence, time and confidence put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from mags.models.policy.rules.lexicon import PLURALS
from mags.models.policy.rules.phrase import Object, side_of
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.spans import Time
from mags.ports.english import THIRD, forms
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, normalise

SURE, SAID_OF_OTHERS, OWN_WORDS, HEARD = 0.9, 0.8, 0.7, 0.5
"""Confidence in a plain statement about oneself, about others, in a relation the table does not
know, and in what somebody else is said to have said."""
_HEDGED = 0.6
_ROLES = ("with", "where", "for", "often", "as", "from", "during")
_LEADS = {
    "with": "with",
    "where": "in",
    "for": "for",
    "often": "",
    "as": "as",
    "from": "from",
    "during": "during",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a clause was said: hedged, on whose word, and the time it names."""

    hedged: bool = False
    source: str = ""
    time: Time | None = None
    times: tuple[Time, ...] = ()
    sides: Mapping[str, str] = field(default_factory=dict)
    own: bool = True
    reason: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A triple as read, and how it is to be told: `told` is the object with its article.

    `verb`: words to say it with instead of the relation's name ("moved to"). `stated`: the time
    named is when it began (else it only stands in the sentence and in `when`).
    """

    subject: str
    relation: Relation | str
    object: str
    act: Act = Act.ADD
    object_is_name: bool = False
    kind: str = ""
    change: bool = False
    one: bool | None = None
    verb: str = ""
    text: str = ""
    told: str = ""
    stated: bool = True
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)


def said_of(subject: str, relation: Relation | str, thing: Object) -> Said:
    """Return the triple of a subject, a relation and an object as it was read."""
    return Said(
        subject=subject,
        relation=relation,
        object=thing.text,
        told=thing.told,
        object_is_name=thing.is_name,
    )


def claim(scene: Scene, manner: Manner, said: Said) -> Operation:
    """Return the operation for a triple, with its sentence, time and confidence."""
    manner = _clear(manner, scene, said.subject)
    known = normalise(said.relation) if isinstance(said.relation, str) else said.relation
    since, until = _validity(manner, said.act) if said.stated else (None, None)
    return Operation(
        act=said.act,
        subject=said.subject,
        relation=known.name if known.known or known.noun else normalise(known.name).name,
        object=said.object,
        qualifiers=_qualifiers(manner, said.kind),
        text=said.text or _capital(agreeing(said.subject, _sentence(manner, known, said))),
        valid_from=since,
        valid_to=until,
        one=said.one,
        change=said.change,
        confidence=_confidence(scene, manner, said.subject, known),
        # "Maybe Ana was fired", "I think he is in Rome": what is only thought ends nothing.
        tentative=manner.hedged,
        subject_is_name=_named(said.subject),
        object_is_name=said.object_is_name,
        aliases=dict(said.aliases),
    )


def agreeing(subject: str, text: str) -> str:
    """Return a sentence with the verb of a plural subject: "Ana's parents live in Rome"."""
    _, owned, noun = subject.partition("'s ")
    plural = noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s"))
    if not owned or not (plural or noun.split()[-1] in PLURALS) or not text.startswith(subject):
        return text
    verb, _, rest = text[len(subject) :].strip().partition(" ")
    bases = (base for base, form in forms(verb) if form == THIRD)
    told = _PLURAL.get(verb) or next(bases, verb)
    return f"{subject} {told} {rest}".strip()


_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _clear(manner: Manner, scene: Scene, subject: str) -> Manner:
    """Return the manner with the side remarks told by name; those that cannot be are left out."""
    told = {role: side_of(text, scene, subject) for role, text in manner.sides.items()}
    return replace(manner, sides={role: text for role, text in told.items() if text})


def _named(subject: str) -> bool:
    return "'s " not in subject and "' " not in subject and subject[:1] != subject[:1].lower()


def _confidence(scene: Scene, manner: Manner, subject: str, relation: Relation) -> float:
    value = SURE if subject.startswith(scene.speaker) else SAID_OF_OTHERS
    if not relation.known:
        value = min(value, OWN_WORDS)
    if manner.source:
        value = min(value, HEARD)
    return round(value * (_HEDGED if manner.hedged else 1.0), 3)


def _validity(manner: Manner, act: Act) -> tuple[float | None, float | None]:
    since = until = None
    for time in manner.times or ((manner.time,) if manner.time else ()):
        if time.role == "until" or time.role == "before":
            until = time.since
        elif time.role == "after":
            since = time.until
        elif act is Act.RETRACT:
            until = time.since
        elif since is None:
            since = time.since
    return since, until


def _qualifiers(manner: Manner, kind: str) -> dict[str, str]:
    found = {"kind": kind} if kind else {}
    if manner.time:
        found["when"] = iso(manner.time)
    for role in _ROLES:
        if role in manner.sides:
            found[role] = manner.sides[role]
    for role, value in (
        ("source", manner.source),
        ("reason", manner.reason),
        ("condition", manner.condition),
    ):
        if value:
            found[role] = value
    return found


def iso(time: Time) -> str:
    """Return a time as 2023, 2023-05 or 2023-05-07, as precise as it was said."""
    first = datetime.fromtimestamp(time.since, tz=UTC)
    if time.precision == "year":
        return f"{first:%Y}"
    if time.precision in {"month", "season"}:
        return f"{first:%Y-%m}"
    return f"{first:%Y-%m-%d}" if time.precision != "decade" else f"{first:%Y}s"


def _sentence(manner: Manner, relation: Relation, said: Said) -> str:
    core = _core(relation, said)
    for role in _ROLES:
        value = manner.sides.get(role)
        if value:
            core = " ".join(f"{core} {_LEADS[role]} {value}".split())
    if manner.time:
        core = f"{core} {_span_words(manner, said)}"
    if manner.reason:
        core = f"{core} because {manner.reason}"
    if manner.condition:
        core = f"{core} {manner.condition}"
    if manner.source:
        core = f"{manner.source} said that {core}"
    return f"{core}."


def _core(relation: Relation, said: Said) -> str:
    """Return subject, verb and object; "no longer" or "it is not so" where it is retracted."""
    told = said.told or said.object
    if said.act is not Act.RETRACT:
        if said.verb:
            return f"{said.subject} {said.verb} {told}"
        return relation.sentence(said.subject, told, said.kind)[:-1]
    if not said.change or relation.noun:
        return f"it is not so that {relation.sentence(said.subject, told, said.kind)[:-1]}"
    be = relation.name.removeprefix("is ")
    state = f"is no longer {be}" if be != relation.name else f"no longer {be}"
    return f"{said.subject} {state} {told}"


def _span_words(manner: Manner, said: Said) -> str:
    """Return the times as words: "from 2010 until 2014"; "since" where a change began a state."""
    found = manner.times or ((manner.time,) if manner.time else ())
    text = " ".join(t.text for t in found)
    if len(found) == 2 and found[0].role == "since" and found[1].role == "until":
        return text.replace("since", "from", 1)
    begun = said.change and not said.verb and said.act is not Act.RETRACT
    if begun and found[0].role == "at":
        return "since " + text.split(" ", 1)[1]
    return text
