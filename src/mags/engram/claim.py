"""Claims: an operation with its words resolved to entities, a slot and a time.

Names become ENTITY nodes by exact form or alias and by nothing else. Embeddings never link
names: to them Zorbik is Zorbak and room 12 is room 14.

A time is *stated* ("in January") or only *observed*: the time of saying, a bound. Times are
seconds since the epoch; an interval is [start, end).

A topic narrows a slot beyond its relation: a budget for groceries is none for gifts, a second job
is not the first. A reader says so by the qualifier `topic`, a noun phrase ("grocery budget",
"mother's age"); `for` narrows as well where the table says that a relation has `topics`. Of a topic
that alone counts which the slot does not say anyway: neither the slot's own word ("budget", "age")
nor whose it is, where that is the subject ("mother's"). What narrows one side only has nothing in
common with the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mags.engram.grades import Grades, Teller
from mags.engram.settings import DAY_S
from mags.engram.view import View, WriteMoment
from mags.graph.records import NEVER, NOBODY, Grade, NodeFlag, NodeKind
from mags.index.state import State, names_of
from mags.index.tokens import fold_name, form_of, terms
from mags.ports import relations
from mags.ports.english import (
    FIRST_PERSON,
    SLOT_WORDS,
    THIRD,
    THIRD_PERSON,
    forms,
    is_time,
    third_person,
)
from mags.ports.policy import CLAIMED, NO_LONGER, Act, Operation
from mags.ports.relations import Relation

KIND = "kind"
"""The qualifier that names a slot further, as in favourite *food*."""
TOPIC, FOR = "topic", "for"
"""Qualifiers that narrow a slot beyond its relation."""
IDLE = frozenset({KIND, TOPIC, "reason", "often", CLAIMED})
"""Qualifiers that do not make two statements different (`kind` is in the slot already)."""
ROUNDING = 1e-6
"""Confidences nearer than this are equal: they are stored as float32."""
DENIED = "does not "
"""What begins a relation of habit that is denied: "does not eat"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the arbiter judges.

    `subject`, `object`: entity ids, NOBODY where there is none. `relation`: the table's, or
    one under its own words (`relation.known`). `slot`: NOBODY where a RETRACT names no relation.
    `one`: this statement leaves one open fact in the slot; `lasting`: so will every later one;
    `shared`: it says that the slot holds several ("also"). `meta`: the words of its Content.
    `grade`: whose word it is.
    """

    act: Act
    subject: int
    object: int
    relation: Relation
    kind: str
    slot: int
    one: bool
    lasting: bool
    shared: bool
    text: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    span: Span
    evidence: Evidence
    grade: Grade = Grade.THIRD

    @property
    def denies(self) -> bool:
        """Whether it says that something never was so, rather than that it ended."""
        ends = self.span.change or self.span.stated or self.span.end < NEVER
        return self.act is Act.RETRACT and not ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Who says something, and when; it counts once per (speaker, session).

    `said_at`: event time; `recorded_at`: record time. `episode`, `speaker`: ids, NOBODY for a bare
    assertion. `session`: as in `session_of`. `echo`: it was made from memory. `grade`: of all that
    is said, where it does not depend on whom it tells of; else UNKNOWN.
    """

    said_at: float
    recorded_at: float
    episode: int = NOBODY
    speaker: int = NOBODY
    session: int = 0
    echo: bool = False
    grade: Grade = Grade.UNKNOWN

    @property
    def teller(self) -> Teller:
        """Who says it."""
        return self.speaker, self.grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A fact (its id) that is wrong, and what is right (None: nothing is known to be).

    `text`: what corrects it, in words. `grade`: of who does; UNKNOWN for what anybody says.
    """

    fact: int
    text: str
    right: Operation | None
    grade: Grade = Grade.SELF


def session_of(session: int, at: float) -> int:
    """What counts as one occasion: the session's hash, or the day where there is none."""
    return session if session else int(at // DAY_S)


def claim_of(
    view: View,
    operation: Operation,
    ends: tuple[int, int],
    evidence: Evidence,
    grades: Grades,
) -> Claim:
    """The claim of an operation whose names are entities: `ends`, subject and object."""
    subject, object_ = ends
    relation, kind, change = read_relation(operation)
    slot = slot_of(view.state, relation.name, kind)
    one, lasting = valued(operation, relation, change=change)
    if operation.one is None and not relation.known:
        held = view.open(subject, slot)
        if any(int(view.node(fact)["flags"]) & NodeFlag.ONE for fact in held):
            one = lasting = True
    return Claim(
        act=operation.act,
        subject=subject,
        object=object_,
        relation=relation,
        kind=kind,
        slot=slot if operation.relation or operation.act is not Act.RETRACT else NOBODY,
        one=one,
        lasting=lasting,
        shared=operation.one is False and operation.act is not Act.UPDATE,
        text=sentence(operation),
        meta=content_of(operation, relation, kind),
        span=span_of(operation, evidence, change=change),
        evidence=evidence,
        grade=grades.told(
            evidence.teller,
            ends,
            operation.qualifiers,
            symmetric=relation.symmetric,
            rests_on=operation.rests_on,
        ),
    )


# -- what it says ----------------------------------------------------------------------


def read_relation(operation: Operation) -> tuple[Relation, str, bool]:
    """The relation, the kind that names its slot further (or ""), and whether it is a change."""
    reading = relations.read(operation.relation)
    relation = relations.normalise(operation.relation) if reading is None else reading.relation
    kind = operation.qualifiers.get(KIND, "") or relations.kind_of(operation.relation)
    change = operation.change or (reading is not None and reading.change)
    return relation, fold_name(kind), change


def slot_of(state: State, relation: str, kind: str = "") -> int:
    """Keyed hash of a relation's name and the kind that names the slot further."""
    return state.hash("slot", relation, kind)


def valued(operation: Operation, relation: Relation, *, change: bool) -> tuple[bool, bool]:
    """(`one`, `lasting`) of an operation.

    The table decides where it knows the relation; an UPDATE leaves one open fact anywhere,
    and so does a change cue with a relation that the table does not know. What the
    operation says of itself counts where the table is silent; its `one=False` ("also")
    always counts.
    """
    if operation.one is False and operation.act is not Act.UPDATE:
        return False, False
    meant = relation.answers != "person" or not _is_group(operation.object)
    # A time is another sense where who, where or what is asked for: "starts work at seven".
    timed = relation.answers in ("person", "place", "thing") and is_time(operation.object)
    lasting = relation.one and meant and not timed if relation.known else operation.one is True
    cue = operation.act is Act.UPDATE or (change and not relation.known)
    return lasting or cue, lasting


def _is_group(name: str) -> bool:
    """Whether a name ends on the noun of what it is: "the Bergen choir" is no person.

    Where the table asks for one ("the seat is held by Ana"), "the party is held by the choir"
    has another sense, and the table cannot say how many of those there are.
    """
    return " of " not in name and form_of(name) not in ("name", "thing")


def sentence(operation: Operation) -> str:
    """The operation's own sentence, or one made from its triple."""
    if operation.text:
        return operation.text
    relation, kind, _ = read_relation(operation)
    return relation.sentence(operation.subject, operation.object, kind)


def content_of(operation: Operation, relation: Relation, kind: str) -> dict[str, Any]:
    """The words of a fact's Content besides its text."""
    qualifiers = {role: words for role, words in operation.qualifiers.items() if words}
    if kind:
        qualifiers[KIND] = kind
    return {
        "subject": operation.subject,
        "relation": relation.name,
        "object": operation.object,
        "qualifiers": qualifiers,
    }


def differ(ours: Mapping[str, object], theirs: Mapping[str, object], *, timeless: bool) -> bool:
    """Whether two sets of qualifiers give some role different values; `timeless`: but `when`."""
    if not ours or not theirs:
        return False
    shared = (ours.keys() & theirs.keys()) - (IDLE | {"when"} if timeless else IDLE)
    return any(fold_name(str(ours[role])) != fold_name(str(theirs[role])) for role in shared)


def opposites(relation: Relation) -> list[str]:
    """Names of the relations that do not hold beside this one for the same object.

    Of a relation of habit that is its denial, "does not eat" for "eats", and back; of any the
    one that tells it is over, "no longer eats".
    """
    name = relation.name
    denied, over = name.startswith(DENIED), name.startswith(NO_LONGER)
    if relation.opposite:
        first = relation.opposite
    elif over:
        first = relations.normalise(name.removeprefix(NO_LONGER)).name
    elif denied:
        verb, _, rest = name.removeprefix(DENIED).partition(" ")
        first = relations.normalise(f"{third_person(verb)} {rest}".strip()).name
    else:
        verb, _, rest = name.partition(" ")
        base = next((b for b, form in forms(verb) if form == THIRD and b != "be"), "")
        first = f"{DENIED}{base} {rest}".strip() if base else ""
    return [name for name in (first, "" if denied or over else f"{NO_LONGER}{name}") if name]


# -- when it is true -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """When something is said to be true.

    `start`, `end`: event time; `stated`: whether the start was. `recorded_at`: record time.
    `said_at`: when it was said (a new statement) or a bound of it. `change`: it tells of a
    change ("moved to").
    """

    start: float
    end: float = NEVER
    stated: bool = False
    recorded_at: float = 0.0
    said_at: float = 0.0
    change: bool = False
    confidence: float = 1.0

    @property
    def is_over(self) -> bool:
        """Whether it is about something that had ended when it was said."""
        return self.end <= self.said_at

    def overlaps(self, other: Span) -> bool:
        """Whether two intervals share time; those that do not never close one another.

        An empty interval shares nothing. Two that begin together share time.
        """
        return max(self.start, other.start) < min(self.end, other.end)

    def is_newer(self, old: Span, *, history_s: float) -> bool:
        """Whether a statement replaces a rival of the same slot rather than preceding it.

        1. The later start is the newer.
        2. An earlier start is the older - only a stated time beats a stated time - but a stated
           start against a merely observed one leaves it to record time: "I have lived in Bergen
           since January", said after Oslo was observed, is news. A change stated to lie more
           than `history_s` before what was observed is history all the same.
        3. With equal starts record time decides, and with equal record times confidence; the
           statement made last wins a draw.
        """
        if self.start > old.start:
            return True
        if self.start < old.start:
            if old.stated or not self.stated or self.said_at < old.start:
                return False
            return not (self.change and old.start - self.start > history_s)
        if self.recorded_at != old.recorded_at:
            return self.recorded_at > old.recorded_at
        return self.confidence > old.confidence - ROUNDING


def span_of(operation: Operation, evidence: Evidence, *, change: bool) -> Span:
    """When the operation's statement is true: stated, or observed from the time of saying.

    Where only an end is stated and it had passed, the start is the end: how long it was so
    is not known.
    """
    stated = operation.valid_from is not None
    start = evidence.said_at if operation.valid_from is None else operation.valid_from
    end = NEVER if operation.valid_to is None else operation.valid_to
    if not stated:
        start = min(start, end)
    return Span(
        start=start,
        end=max(start, end),
        stated=stated,
        recorded_at=evidence.recorded_at,
        said_at=evidence.said_at,
        change=change,
        confidence=operation.confidence,
    )


# -- whom its names mean ---------------------------------------------------------------


class Linker:
    """Names of one turn to entity ids; creates the entities that are not there."""

    def __init__(self, view: View, moment: WriteMoment, speaker: str = "") -> None:
        """Resolve "I" to `speaker`."""
        self._view = view
        self._moment = moment
        self._speaker = speaker
        self._seen: list[int] = []
        self._known: dict[str, int] = {}

    def entity(self, name: str) -> int | None:
        """Id of the entity of that name, made if need be; None for nothing or a lost pronoun.

        "I" is the speaker; "she" and "it" the last entity of this turn that is not. Among
        several entities of one name the one used last is meant, then the oldest.
        """
        known = self._known.get(name)
        if known is not None:
            return self._note(known)
        form = fold_name(name)
        if not form:
            return None
        if form in FIRST_PERSON and fold_name(self._speaker) not in FIRST_PERSON:
            return self.entity(self._speaker)
        if form in THIRD_PERSON:
            speaker = set(self._view.find(self._speaker))
            return next((i for i in reversed(self._seen) if i not in speaker), None)
        found = self._view.find(name)
        entity = self._choose(form, found) if found else self._create(name.strip())
        self._known[name] = entity
        return self._note(entity)

    def learn(self, aliases: Mapping[str, Sequence[str]]) -> None:
        """Add other names to entities; a name that is another entity's stays there."""
        for name, others in aliases.items():
            entity = self.entity(name)
            if entity is not None:
                self._alias(entity, others)

    def _note(self, entity: int) -> int:
        if entity in self._seen:
            self._seen.remove(entity)
        self._seen.append(entity)
        return entity

    def _choose(self, form: str, found: Sequence[int]) -> int:
        if len(found) == 1:
            return found[0]
        own = [i for i in found if fold_name(self._view.words(i).text) == form]
        return max(own or found, key=lambda i: (int(self._view.node(i)["last_used_tick"]), -i))

    def _create(self, name: str) -> int:
        return self._view.add(
            self._moment.content(name, {"name": name, "aliases": []}),
            kind=NodeKind.ENTITY,
            recorded_at=self._moment.now_s,
            strength_tick=self._moment.tick,
            last_used_tick=self._moment.tick,
        )

    def _alias(self, entity: int, others: Iterable[str]) -> None:
        content = self._view.words(entity)
        known = {fold_name(n) for n in names_of(content)}
        fresh = [o for o in others if fold_name(o) and fold_name(o) not in known]
        taken = [o for o in fresh if self._view.find(o)]
        if taken:
            self._view.draft.reason("alias-taken", entity=entity, count=len(taken))
        fresh = list(dict.fromkeys(o for o in fresh if o not in taken))
        if not fresh:
            return
        meta = {**content.meta, "aliases": [*content.meta.get("aliases", ()), *fresh]}
        words = self._moment.content(content.text, meta, node=entity)
        if words.vector is None:  # new words do not take the vector along
            vector = self._view.vectors([entity])[0].astype("float16")
            words = replace(words, vector=vector if vector.any() else None)
        self._view.rename(words)
        self._known.clear()  # any of the names may mean another entity now
        self._view.draft.reason("alias", entity=entity, count=len(fresh))


def names_in(operations: Iterable[Operation]) -> list[str]:
    """Every name that operations would link, in order, once."""
    names: list[str] = []
    for operation in operations:
        names += [operation.subject, operation.object, *operation.aliases]
    pronouns = FIRST_PERSON | THIRD_PERSON | {""}
    return [name for name in dict.fromkeys(names) if fold_name(name) not in pronouns]


# -- topics --------------------------------------------------------------------

_OWNER = re.compile("^(?P<owner>.+?)(?:'s|\u2019s|'|\u2019) (?P<rest>.+)$")
_OWN = frozenset(terms(" ".join(SLOT_WORDS)))
"""What tells no topic apart, stemmed."""


def apart(
    ours: Mapping[str, object],
    theirs: Mapping[str, object],
    relation: Relation,
    subject: str,
    *,
    own: bool,
) -> bool:
    """Whether two statements of one slot, by their qualifiers, have no topic in common.

    `subject`: the name of the one they are about; `own`: it is who speaks, so that a topic that is
    said to be another's ("dog's age") is not of the speaker. Where the relation has topics and
    neither side tells one, nothing shows that they are of the same.
    """
    one, other = (narrowing(given, relation, subject, own=own) for given in (ours, theirs))
    return one.isdisjoint(other) if one or other else relation.topics


def narrowing(
    qualifiers: Mapping[str, object], relation: Relation, subject: str, *, own: bool
) -> frozenset[str]:
    """The stems by which qualifiers narrow a slot; none where they say no more than it does."""
    words = str(qualifiers.get(TOPIC, ""))
    owned = _OWNER.match(words)
    if owned and (not own or set(terms(owned["owner"])) <= set(terms(subject))):
        words = owned["rest"]
    told = set(terms(words))
    if relation.topics:
        told |= set(terms(str(qualifiers.get(FOR, ""))))
    return frozenset(told - _OWN - set(terms(relation.name)) - set(terms(subject)))


def unlike(ours: Mapping[str, object], theirs: Mapping[str, object]) -> bool:
    """Whether the topics of two statements of any slots are both told, and share no word."""
    one, other = (set(terms(str(given.get(TOPIC, "")))) for given in (ours, theirs))
    if not one or not other:
        return False
    narrow = one - _OWN, other - _OWN
    return one.isdisjoint(other) if not any(narrow) else narrow[0].isdisjoint(narrow[1])
