"""Editing by hand: a node's words and numbers, arcs, and the pin.

`restated` works out what an edited fact says, so that its text and its triple always agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.engram.claim import sentence
from mags.engram.engram import Engram
from mags.engram.restate import carried, restate
from mags.engram.view import View, WriteMoment
from mags.errors import InvalidInput
from mags.graph.delta import Delta, Draft
from mags.graph.records import NEVER, ArcKind, Content, NodeFlag, NodeKind
from mags.index.state import State
from mags.index.tokens import fold as fold_text
from mags.index.tokens import fold_name
from mags.memory import inputs
from mags.memory.history import importance_unpinned
from mags.memory.inputs import Moment, words
from mags.memory.live import Live
from mags.memory.settings import Parts
from mags.ports.policy import Act, Operation, Turn, Writing

TRIPLE = ("subject", "relation", "object")
_NAME = re.compile(r"[\w'\u2019&.-]+(?: [\w'\u2019&.-]+){0,4}")
_NO_NAME = frozenset(
    {"not", "no", "never", "nor", "and", "or", "but", "since", "until", "till", "more", "longer"}
    | {"who", "which", "that", "if", "when", "because"}
)
"""Words that stand in a clause and never in a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to change; None leaves a field alone. Times are event times.

    `valid_to` "open" opens a closed fact again. `meta` replaces single entries: aliases of an
    entity, subject / relation / object words of a fact, qualifiers.

    The text of a fact is read anew, so that its triple says what the text says; where that cannot
    be read, or says more than one thing, give subject, relation and object in `meta`. Without a
    text a fact gets one that says its new triple.
    """

    text: str | None = None
    importance: float | None = None
    confidence: float | None = None
    strength: float | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    meta: Mapping[str, Any] | None = None

    def check(self) -> None:
        """Raise InvalidInput for numbers outside [0, 1] or an empty text."""
        for name in ("importance", "confidence", "strength"):
            value = getattr(self, name)
            if value is not None and not (inputs.real(value) and 0.0 <= value <= 1.0):
                raise InvalidInput(f"{name} lies in [0, 1], not {value!r}", field=name)
        if self.text is not None:
            words(self.text, "a node's text (forget erases it)", longest=inputs.LONGEST_TURN)
        if self.meta is not None:
            inputs.check_meta(self.meta)
            attrs = self.meta.get("attrs", {})
            if not isinstance(attrs, Mapping):
                raise InvalidInput("attrs are a mapping of texts to texts", given=attrs)
            inputs.check_report(attrs)


class Editor:
    """Makes changes by hand; each is a Delta like any other."""

    def __init__(self, live: Live, parts: Parts) -> None:
        self._live = live
        self._policy = parts.policy
        self._engram = Engram(parts.settings.engram, parts.linker)

    def edit(self, node_id: int, edit: Edit) -> Delta:
        """Change one node; raises NotFound, InvalidInput, and ModelError where a text is read.

        A fact's text is read, so that subject, relation and object say what it says.
        """
        edit.check()
        said, edit = self._said(node_id, edit)
        with self._live.reading() as state:
            texts = [edit.text] if edit.text is not None else []
            texts = texts if said is None else self._engram.assertion_texts(state, said)
        vectors = self._live.embed(texts)
        with self._live.writing() as state:
            old = state.content(node_id)
            draft = Draft(state.graph)
            node = draft.node(node_id)
            if said is not None:
                moment = WriteMoment(
                    ids=self._live.ids,
                    now_s=self._live.clock(),
                    tick=state.graph.tick,
                    vectors=vectors,
                )
                meta = {**old.meta, **(edit.meta or {})}
                restate(View(state, draft), node_id, said, moment, **meta)
            elif edit.text is not None or edit.meta is not None:
                content = self._content(state, old, edit, vectors)
                draft.contents.append(content)
                node["content"] = content.id
            self._numbers(node, edit, state.graph.tick)
            draft.reason("edit", node=node_id)
            return self._live.commit_draft(draft, "edit")

    def _said(self, node_id: int, edit: Edit) -> tuple[Operation | None, Edit]:
        """What a fact shall say now (None: as before, or no fact), and the edit with its times."""
        with self._live.reading() as state:
            if state.kind(node_id) != NodeKind.FACT or (edit.text is None and not edit.meta):
                return None, edit
            held = state.content(node_id)
            speaker = _speaker(state, node_id)
            begins = float(state.graph.node(node_id)["valid_from"][0])

        def read(text: str) -> Writing:
            turn = Turn(text=text, speaker=speaker, at=self._live.clock())
            return self._policy.write(inputs.readable(turn), (), ())

        said = restated(held, edit.text, edit.meta or {}, read)
        if said is None:
            return None, edit
        since, until = edit.valid_from, edit.valid_to
        since = said.valid_from if since is None else since
        if until is None and said.valid_to is not None:
            until = said.valid_to
            if since is None and said.valid_to < begins:
                since = said.valid_to  # it is not known how long it held before
        return said, replace(edit, valid_from=since, valid_to=until)

    def _content(
        self, state: State, old: Content, edit: Edit, vectors: Mapping[str, Any]
    ) -> Content:
        text = old.text if edit.text is None else edit.text
        vector = vectors.get(text)
        if vector is None:
            rows = state.graph.rows([old.node])
            vector = state.vectors.get(rows)[0].astype(np.float16)
        meta = {**old.meta, **(edit.meta or {})}
        return Content(id=self._live.ids.take(), node=old.node, text=text, meta=meta, vector=vector)

    def _numbers(self, node: NDArray[np.void], edit: Edit, tick: int) -> None:
        for name in ("importance", "confidence"):
            value = getattr(edit, name)
            if value is not None:
                node[name] = value
        if edit.strength is not None:
            node["strength"], node["strength_tick"] = edit.strength, tick
        if edit.valid_from is not None:
            node["valid_from"] = inputs.seconds(edit.valid_from)
            node["flags"] |= np.uint16(NodeFlag.STATED)
        if edit.valid_to == "open":
            node["valid_to"] = node["closed_at"] = NEVER
        elif edit.valid_to is not None:
            node["valid_to"], node["closed_at"] = inputs.seconds(edit.valid_to), self._live.clock()
        if float(node["valid_to"][0]) < float(node["valid_from"][0]):
            raise InvalidInput("valid_to lies before valid_from: nothing was changed")

    def pin(self, node_id: int, *, pinned: bool) -> Delta:
        """Mark a node as important for good, or take the mark back, and its importance with it."""
        with self._live.writing() as state:
            draft = Draft(state.graph)
            node = draft.node(node_id)
            if pinned:
                node["flags"] |= np.uint16(NodeFlag.PINNED)
                # Of a Python int ~ is negative, and does not go into the field's uint16.
                node["flags"] &= ~np.uint16(NodeFlag.COLD)
                node["importance"] = node["strength"] = 1.0
                node["strength_tick"] = state.graph.tick
            else:
                node["flags"] &= ~np.uint16(NodeFlag.PINNED)
                before = importance_unpinned(self._live, node_id)
                if before is not None and node["importance"] == 1.0:  # not edited since
                    node["importance"] = before
            draft.reason("pin" if pinned else "unpin", node=node_id)
            return self._live.commit_draft(draft, "pin")

    def associate(self, src: int, dst: int, weight: float | None) -> Delta:
        """Set the association between two nodes to a weight in [0, 1]; None removes it."""
        if weight is not None and not (inputs.real(weight) and 0.0 <= weight <= 1.0):
            raise InvalidInput(f"a weight lies in [0, 1], not {weight!r}", weight=weight)
        with self._live.writing() as state:
            draft = Draft(state.graph)
            for node_id in (src, dst):
                state.graph.row(node_id)
            if weight is None:
                draft.remove_arc(src, dst, ArcKind.ASSOCIATION)
            else:
                arc = draft.add_arc(src, dst, ArcKind.ASSOCIATION)
                arc["w"], arc["t0"] = weight, state.graph.tick
            draft.reason("edit_arc", src=src, dst=dst)
            return self._live.commit_draft(draft, "edit")


def _speaker(state: State, fact: int) -> str:
    """Who said a fact: the "I" of its text."""
    said = state.words(state.graph.targets(fact, ArcKind.SOURCE))
    return next((str(one.meta["speaker"]) for one in said if one.meta.get("speaker")), "user")


def restated(
    held: Content, text: str | None, meta: Mapping[str, Any], read: Callable[[str], Writing]
) -> Operation | None:
    """What an edited fact says now; None where it says the same as before.

    `held`: its words before; `text`, `meta`: the new ones, as in `Edit`; `read`: has the policy
    read a text. What `meta` gives of the triple goes before what is read; without a text one is
    made from the triple. Raises InvalidInput for a text that says something else than the triple,
    or that cannot be read; ModelError.
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
    # "I live in Rome" is kept as it was read, "Ana lives in Rome", which stands alone.
    stands = fold_text(said.subject) in fold_text(text)
    return _telling(said, text if stands else found.text, given)


def _retold(held: Content, words: Mapping[str, Any], text: str | None) -> Operation | None:
    """A fact whose triple alone is changed; None where it is not."""
    before, said = _said({"qualifiers": {}, **held.meta}), _said(words)
    if said == before:
        return None
    if text is None:
        alike = sentence(said) == sentence(before)  # what changed need not be in the text
        return replace(said, text=held.text if alike else "")
    return _telling(said, text, TRIPLE)


def _said(words: Mapping[str, Any]) -> Operation:
    triple = (words["subject"], words["relation"], words["object"])
    return inputs.operation_of(Act.ADD, triple, qualifiers=words["qualifiers"])


def _own(known: str, read: str) -> str:
    """A name as it is held, where it is the same name."""
    return known if fold_name(known) == fold_name(read) else read


def _telling(said: Operation, text: str, given: Container[str]) -> Operation:
    """The operation with its text; raises InvalidInput where that lacks an end that was given."""
    for end, name in (("subject", said.subject), ("object", said.object)):
        if end in given and fold_text(name) not in fold_text(text):
            raise InvalidInput(
                f"the text does not name the {end} {name!r}, and a fact's text says what the fact "
                "does: name it there, or leave the text out and one is made",
                name=name,
            )
    return replace(said, text=text)


def _read(held: Content, text: str, writing: Writing) -> Operation:
    """The one fact that a text states; raises InvalidInput where it states none, or several."""
    stated = writing.operations
    one = stated[0] if len(stated) == 1 and stated[0].act in (Act.ADD, Act.UPDATE) else None
    if one is not None and not one.tentative:
        return one
    if (one is not None or not stated) and not writing.is_question:
        one = _like_before(held, text) or one
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
    if not _NO_NAME.isdisjoint(fold_name(name).split()):
        return None
    return replace(_said({**held.meta, "object": name}), text=text)
