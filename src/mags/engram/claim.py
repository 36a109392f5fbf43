"""Claim: an operation with its words resolved to entities, a slot and a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mags.engram.validity import Span
from mags.graph.records import NEVER, NOBODY
from mags.index.names import fold, form_of
from mags.index.state import State
from mags.ports import relations
from mags.ports.english import THIRD, forms, third_person
from mags.ports.policy import NO_LONGER, Act, Operation
from mags.ports.relations import Relation

KIND = "kind"
"""The qualifier that names a slot further, as in favourite *food*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Who says something: counted once per (speaker, session).

    `episode`, `speaker`: ids, NOBODY for a bare assertion. `session`: its keyed hash, or
    the day number of the event where a turn has no session. `echo`: it was made from memory.
    """

    episode: int = NOBODY
    speaker: int = NOBODY
    session: int = 0
    echo: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What the arbiter judges.

    `subject`, `object`: entity ids, NOBODY where there is none. `relation`: the table's, or
    one under its own words (`relation.known`). `one`: this statement leaves one open fact in
    the slot; `lasting`: so will every later one; `shared`: it says that the slot holds
    several ("also"). `meta`: the words of its Content.
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


def read_relation(operation: Operation) -> tuple[Relation, str, bool]:
    """The relation, the kind that names its slot further (or ""), and whether it is a change."""
    reading = relations.read(operation.relation)
    relation = relations.normalise(operation.relation) if reading is None else reading.relation
    kind = operation.qualifiers.get(KIND, "") or relations.kind_of(operation.relation)
    change = operation.change or (reading is not None and reading.change)
    return relation, fold(kind), change


def slot_of(state: State, relation: str, kind: str = "") -> int:
    """Keyed hash of a relation's name and the kind that names the slot further."""
    return state.hash("slot", relation, kind)


def span_of(operation: Operation, *, said_at: float, recorded_at: float, change: bool) -> Span:
    """When the operation's statement is true: stated, or observed from the time of saying.

    Where only an end is stated and it had passed, the start is the end: how long it was so
    is not known.
    """
    stated = operation.valid_from is not None
    start = said_at if operation.valid_from is None else operation.valid_from
    end = NEVER if operation.valid_to is None else operation.valid_to
    if not stated:
        start = min(start, end)
    return Span(
        start=start,
        end=max(start, end),
        stated=stated,
        recorded_at=recorded_at,
        said_at=said_at,
        change=change,
        confidence=operation.confidence,
    )


def valued(operation: Operation, relation: Relation, *, change: bool) -> tuple[bool, bool]:
    """(`one`, `lasting`) of an operation.

    The table decides where it knows the relation; an UPDATE leaves one open fact anywhere,
    and so does a change cue with a relation that the table does not know. What the
    operation says of itself counts where the table is silent; its `one=False` ("also")
    always counts.
    """
    if operation.one is False and operation.act is not Act.UPDATE:
        return False, False
    meant = relation.answers != "person" or not is_group(operation.object)
    lasting = relation.one and meant if relation.known else operation.one is True
    cue = operation.act is Act.UPDATE or (change and not relation.known)
    return lasting or cue, lasting


def is_group(name: str) -> bool:
    """Whether a name ends on the noun of what it is: "the Bergen choir" is no person.

    Where the table asks for one ("the seat is held by Ana"), "the party is held by the choir"
    is in another sense, of which it cannot say how many there are.
    """
    return " of " not in name and form_of(name) not in ("name", "thing")


_DENIED = "does not "


def ended(name: str) -> str:
    """The name under which it is told that a relation is over: "no longer works at"."""
    return "" if name.startswith((_DENIED, NO_LONGER)) else f"{NO_LONGER}{name}"


def denial(name: str) -> str:
    """The name under which a relation of habit is denied: "does not eat" for "eats", and back.

    "" where its first word is no verb in the third person.
    """
    if name.startswith(NO_LONGER):
        return relations.normalise(name.removeprefix(NO_LONGER)).name
    if name.startswith(_DENIED):
        verb, _, rest = name.removeprefix(_DENIED).partition(" ")
        return relations.normalise(f"{third_person(verb)} {rest}".strip()).name
    verb, _, rest = name.partition(" ")
    base = next((b for b, form in forms(verb) if form == THIRD and b != "be"), "")
    return f"{_DENIED}{base} {rest}".strip() if base else ""


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
