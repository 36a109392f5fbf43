"""From what was read to operations: names, sentence, time and confidence put together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from mags.models.policy.rules.clauses import is_plural
from mags.models.policy.rules.phrases import Object, Scene, side_of
from mags.models.policy.rules.when import Time
from mags.ports.english import THIRD, forms, word_set
from mags.ports.policy import Act, Operation
from mags.ports.relations import Relation, canonical, normalise

SURE, SAID_OF_OTHERS, OWN_WORDS, HEARD = 0.9, 0.8, 0.7, 0.5
"""Confidence in a plain statement about oneself, about others, in a relation the table does not
know, and in what somebody else is said to have said."""
_HEDGED = 0.6
WHEN = "is happening on"
"""The relation of what has a day: a meeting, a deadline."""
_LEADS = {"with": "with", "where": "in", "for": "for", "often": "", "as": "as", "from": "from",
          "during": "during"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a clause was said: hedged, on whose word, with which times and side remarks."""

    hedged: bool = False
    source: str = ""
    times: tuple[Time, ...] = ()
    sides: Mapping[str, str] = field(default_factory=dict)

    @property
    def time(self) -> Time | None:
        """The first time named, if any."""
        return self.times[0] if self.times else None

    def plain(self) -> Manner:
        """The manner without what belongs to one statement of a clause only."""
        return Manner(hedged=self.hedged, source=self.source)


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
    told = {role: side_of(text, scene, said.subject) for role, text in manner.sides.items()}
    manner = replace(manner, sides={role: text for role, text in told.items() if text})
    known = normalise(said.relation) if isinstance(said.relation, str) else said.relation
    since, until = _validity(manner, said.act) if said.stated else (None, None)
    text = said.text or _agreeing(said.subject, _sentence(manner, known, said))
    lives = home(known.name, said.object)
    housed = known.name == "lives in" and not FLATS.isdisjoint(lives.split()[-1:])
    return Operation(
        act=said.act,
        subject=said.subject,
        relation=known.name if known.known or known.noun else normalise(known.name).name,
        object=lives,
        qualifiers=_qualifiers(manner, said.kind),
        text=text[:1].upper() + text[1:],
        valid_from=since,
        valid_to=until,
        one=False if housed and said.act is Act.ADD else said.one,  # a flat may be in that town
        change=said.change,
        confidence=_confidence(scene, manner, said.subject, known),
        # "Maybe Ana was fired", "I think he is in Rome": what is only thought ends nothing.
        tentative=manner.hedged,
        subject_is_name="'s " not in said.subject and said.subject[:1].isupper(),
        object_is_name=said.object_is_name or lives != said.object,
        aliases=dict(said.aliases),
    )


FLATS = word_set("house flat apartment condo place room studio bungalow cottage dorm basement")
_FLAT_IN = re.compile(rf"(?:.*\b)?(?:{'|'.join(FLATS)})\b.*? in (?:the )?([A-Z].*)")


def home(relation: str, object: str) -> str:
    """The town told beside a dwelling is where somebody lives: of "flat in Ghent" it is Ghent."""
    town = _FLAT_IN.fullmatch(object) if relation == "lives in" else None
    return town[1] if town else object


def _agreeing(subject: str, text: str) -> str:
    """Return a sentence with the verb of a plural subject: "Ana's parents live in Rome"."""
    _, owned, noun = subject.partition("'s ")
    if not owned or not is_plural(noun.split()[-1]) or not text.startswith(subject):
        return text
    verb, _, rest = text[len(subject) :].strip().partition(" ")
    bases = (base for base, form in forms(verb) if form == THIRD)
    plurals = {"is": "are", "was": "were", "has": "have", "does": "do"}
    return f"{subject} {plurals.get(verb) or next(bases, verb)} {rest}".strip()


def _confidence(scene: Scene, manner: Manner, subject: str, relation: Relation) -> float:
    value = SURE if subject.startswith(scene.speaker) else SAID_OF_OTHERS
    value = min(value, SURE if relation.known else OWN_WORDS, HEARD if manner.source else SURE)
    return round(value * (_HEDGED if manner.hedged else 1.0), 3)


def _validity(manner: Manner, act: Act) -> tuple[float | None, float | None]:
    since = until = None
    for time in manner.times:
        if time.role in {"until", "before"} or act is Act.RETRACT:
            until = time.since
        elif time.role == "after":
            since = time.until
        elif since is None:
            since = time.since
    return since, until


def _qualifiers(manner: Manner, kind: str) -> dict[str, str]:
    found = {"kind": kind} if kind else {}
    if manner.time:
        found["when"] = iso(manner.time)
    found |= {role: manner.sides[role] for role in _LEADS if role in manner.sides}
    return found | ({"source": manner.source} if manner.source else {})


def iso(time: Time) -> str:
    """Return a time as 2023, 2023-05 or 2023-05-07, as precise as it was said."""
    first = datetime.fromtimestamp(time.since, tz=UTC)
    shape = {"year": "%Y", "month": "%Y-%m", "season": "%Y-%m", "decade": "%Ys"}
    return first.strftime(shape.get(time.precision, "%Y-%m-%d"))


def _sentence(manner: Manner, relation: Relation, said: Said) -> str:
    core = _core(relation, said)
    for role, lead in _LEADS.items():
        if role in manner.sides:
            core = " ".join(f"{core} {lead} {manner.sides[role]}".split())
    if manner.time:
        core = f"{core} {_span_words(manner, said)}"
    return f"{manner.source} said that {core}." if manner.source else f"{core}."


def _core(relation: Relation, said: Said) -> str:
    """Return subject, verb and object; "no longer" or "it is not so" where it is retracted."""
    told = said.told or said.object
    if said.act is not Act.RETRACT:
        if said.verb:
            return f"{said.subject} {said.verb} {told}"
        return relation.sentence(said.subject, told, said.kind)[:-1]
    if not said.change or relation.noun:
        return f"it is not so that {relation.sentence(said.subject, told, said.kind)[:-1]}"
    state = relation.name.removeprefix("is ")
    be = "is " if state != relation.name else ""
    return f"{said.subject} {be}no longer {state} {told}"


def _span_words(manner: Manner, said: Said) -> str:
    """Return the times as words: "from 2010 until 2014"; "since" where a change began a state."""
    found = manner.times
    text = " ".join(t.text for t in found)
    if len(found) == 2 and found[0].role == "since" and found[1].role == "until":
        return text.replace("since", "from", 1)
    if said.change and not said.verb and said.act is not Act.RETRACT and found[0].role == "at":
        return "since " + text.split(" ", 1)[1]
    return text


# -- slots, and what can fill them -------------------------------------------------------

_SHADES = word_set("new current actual present latest own dear beloved beautiful lovely little")


def slot_of(noun: str) -> Relation | None:
    """Return the relation that "Alice's <noun>" is, or None where the table knows none."""
    plain = unshaded(noun)
    known = canonical({"manager": "boss", "coworker": "colleague"}.get(plain, plain))
    return known or (None if plain == noun else Relation(name=plain, noun=True, known=False))


def unshaded(noun: str) -> str:
    """A noun without the words before it that make it no other thing: "new favourite food"."""
    words = noun.split()
    while len(words) > 1 and words[0] in _SHADES:
        words = words[1:]
    return " ".join(words)
