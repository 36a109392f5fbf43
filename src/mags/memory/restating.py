"""Restating: what a fact says once it is edited. Its text and its triple never tell two things."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any

from mags.engram.claim import sentence
from mags.engram.restate import carried
from mags.errors import InvalidInput
from mags.graph.records import Content
from mags.index.names import fold
from mags.index.tokens import fold as fold_text
from mags.memory.given import operation_of
from mags.ports.policy import Act, Operation, Writing

TRIPLE = ("subject", "relation", "object")
_NAME = re.compile(r"[\w'\u2019&.-]+(?: [\w'\u2019&.-]+){0,4}")
_NO_NAME = frozenset(
    {"not", "no", "never", "nor", "and", "or", "but", "since", "until", "till", "more", "longer"}
    | {"who", "which", "that", "if", "when", "because"}
)
"""Words of a clause, which no name has."""


def restated(
    held: Content, text: str | None, meta: Mapping[str, Any], read: Callable[[str], Writing]
) -> Operation | None:
    """What an edited fact says now; None where that is what it said before.

    `held`: its words before; `text`, `meta`: what they are to be, as in `Edit`; `read` has a
    text read by the policy. What `meta` says of the triple counts before what is read; without
    a text one is made of the triple. Raises InvalidInput for a text that tells something else
    than the triple, or of which nobody can tell; ModelError.
    """
    given = {end: meta[end] for end in (*TRIPLE, "qualifiers") if end in meta}
    known = {end: held.meta.get(end, "") for end in TRIPLE}
    known["qualifiers"] = held.meta.get("qualifiers", {})
    if text is None or fold_text(text) == fold_text(held.text):
        return _retold(held, {**known, **given}, text)
    if all(end in given for end in TRIPLE):
        return _telling(_said({"qualifiers": {}, **given}), text, given)
    found = _read(held, text, read(text))
    qualifiers = carried(known["qualifiers"], held.text, found)
    now = {end: _own(str(known[end]), getattr(found, end)) for end in TRIPLE}
    said = replace(
        _said({**now, "qualifiers": qualifiers, **given}),
        aliases=found.aliases,
        one=found.one,
        change=found.change,
        valid_from=found.valid_from,
        valid_to=found.valid_to,
    )
    # "I live in Rome" stands alone as it was read: "Ana lives in Rome".
    stands = fold_text(said.subject) in fold_text(text)
    return _telling(said, text if stands else found.text, given)


def _retold(held: Content, words: Mapping[str, Any], text: str | None) -> Operation | None:
    """A fact whose triple alone is changed; None where it is not."""
    before, said = _said({"qualifiers": {}, **held.meta}), _said(words)
    if said == before:
        return None
    if text is None:
        alike = sentence(said) == sentence(before)  # only what its text need not tell
        return replace(said, text=held.text if alike else "")
    return _telling(said, text, TRIPLE)


def _said(words: Mapping[str, Any]) -> Operation:
    return operation_of(
        Act.ADD,
        (words["subject"], words["relation"], words["object"]),
        valid=(None, None),
        qualifiers=words["qualifiers"],
        one=None,
        confidence=1.0,
    )


def _own(known: str, read: str) -> str:
    """A name as it is held, where it is the same name."""
    return known if fold(known) == fold(read) else read


def _telling(said: Operation, text: str, given: Container[str]) -> Operation:
    """The operation with its text; raises InvalidInput where that names no end that was given."""
    for end, name in (("subject", said.subject), ("object", said.object)):
        if end in given and fold_text(name) not in fold_text(text):
            raise InvalidInput(
                f"the text does not name the {end} {name!r}, and a fact's text says what the fact "
                "does: name it there, or leave the text out and one is made",
                name=name,
            )
    return replace(said, text=text)


def _read(held: Content, text: str, writing: Writing) -> Operation:
    """The one fact that a text states; raises InvalidInput where it is not one."""
    stated = writing.operations
    one = stated[0] if len(stated) == 1 and stated[0].act in (Act.ADD, Act.UPDATE) else None
    if one is not None and not one.tentative:
        return one
    unsure = one is not None or not stated
    alike = _like_before(held, text) if unsure and not writing.is_question else None
    if alike is not None:
        return alike
    if one is not None:
        return one
    if stated and all(one.act is Act.RETRACT for one in stated):
        why = "takes something back: to end a fact, give valid_to, or forget it"
    elif len(stated) > 1:
        why = f"tells {len(stated)} things, and a fact tells one: leave out the rest"
    else:
        why = "could not be read as a fact"
    raise InvalidInput(
        f"the text {why}. Or say what it states: give subject, relation and object with it "
        "(entries of meta). Nothing was changed",
        text=text,
    )


def _like_before(held: Content, text: str) -> Operation | None:
    """The fact with another object, where the text is the old one but for the object's words."""
    old, new = held.text.rstrip(" .!"), text.strip().rstrip(" .!")
    object_ = str(held.meta.get("object", ""))
    at = old.casefold().rfind(object_.casefold())
    if not object_ or at <= 0:
        return None
    begins, ends = old[:at], old[at + len(object_) :]
    name = new[len(begins) : len(new) - len(ends)]
    if begins + name + ends != new or not _NAME.fullmatch(name):
        return None
    if not _NO_NAME.isdisjoint(fold(name).split()):
        return None
    return replace(_said({**held.meta, "object": name}), text=text)
