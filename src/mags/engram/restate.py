"""Restating: a fact that is held is made to say another triple, by whom corrects it by hand.

Nothing is judged: what a correction says takes the place of what was said. What the arbiter would
never leave behind is refused instead: two open facts where there is room for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mags.engram import claim
from mags.engram.view import GUESS, View, WriteMoment
from mags.errors import InvalidInput
from mags.graph.records import NEVER, ArcKind, Grade, NodeFlag, grade_in, graded
from mags.index.tokens import fold_name
from mags.ports.policy import Operation

ONE = int(NodeFlag.ONE)
ENDS = (("subject", ArcKind.SUBJECT), ("object", ArcKind.OBJECT))


def restate(view: View, fact: int, operation: Operation, moment: WriteMoment, **meta: Any) -> None:
    """Draft that a fact says what an operation does: ends, slot, arcs and words.

    Entities that are not known are made. `meta`: further entries of its words. Times, confidence
    and strength stay. Raises InvalidInput where a name is none, or another open fact says so
    already or holds the only place. Who corrects a guess knows: it is one no longer.
    """
    linker = claim.Linker(view, moment)
    linker.learn(operation.aliases)
    ends = {name: _entity(linker, name, getattr(operation, name)) for name, _ in ENDS}
    relation, kind, change = claim.read_relation(operation)
    slot = claim.slot_of(view.state, relation.name, kind)
    _, lasting = claim.valued(operation, relation, change=change)
    words = claim.content_of(operation, relation, kind)
    node = view.draft.node(fact)
    if float(node["valid_to"][0]) == NEVER:
        _check(view, fact, (ends["subject"], slot, ends["object"]), words, lasting=lasting)
    for name, arc in ENDS:
        was, now = int(node[name][0]), ends[name]
        if was != now:
            view.draft.remove_arc(fact, was, arc)
            view.join(fact, now, arc)
            node[name] = now
    known = grade_in(int(node["flags"][0]))
    if known is not Grade.UNKNOWN:  # of a fact of an older file it is read from who said it
        node["flags"] = graded(int(node["flags"][0]), max(known, Grade.OWNER))
    if int(node["slot"][0]) != slot or int(node["flags"][0]) & GUESS:
        node["slot"] = slot
        node["flags"] = (int(node["flags"][0]) & ~(ONE | GUESS)) | (ONE if lasting else 0)
    view.rename(moment.content(claim.sentence(operation), {**meta, **words}, node=fact))
    # What the old words mentioned the new ones need not.
    for entity in view.ends(fact, ArcKind.MENTIONS):
        view.draft.remove_arc(fact, entity, ArcKind.MENTIONS)


def _entity(linker: claim.Linker, end: str, name: str) -> int:
    found = linker.entity(name)
    if found is None:
        raise InvalidInput(f"{name!r} names nobody and nothing: give the {end} by name", name=name)
    return found


def _check(
    view: View, fact: int, place: tuple[int, int, int], words: Mapping[str, Any], *, lasting: bool
) -> None:
    """Raise InvalidInput where another open fact says this, or fills the only place there is."""
    subject, slot, object_ = place
    own = view.node(fact)
    same = place == (int(own["subject"]), int(own["slot"]), int(own["object"]))
    if same and not view.is_guess(fact):
        return
    for other in view.open(subject, slot):
        node, said = view.node(other), view.words(other)
        if other == fact:
            continue
        apart = claim.differ(words["qualifiers"], said.meta.get("qualifiers", {}), timeless=lasting)
        if int(node["object"]) == object_ and not apart:
            raise InvalidInput(
                f"m{other} says this already, {said.text!r}: forget one of them", other=other
            )
        if lasting or int(node["flags"]) & ONE:
            raise InvalidInput(
                f"m{other} says otherwise, {said.text!r}, and only one of them can hold: edit or "
                f"end that one (valid_to), or tell what is new in a turn",
                other=other,
            )


def carried(was: Mapping[str, str], text: str, operation: Operation) -> dict[str, str]:
    """The qualifiers of a restated fact: those told now, and those its old words never told.

    `was`, `text`: qualifiers and words as they were.
    """
    old = fold_name(text)
    kept = {role: words for role, words in was.items() if fold_name(words) not in old}
    kept.pop(claim.KIND, None)
    return {**kept, **operation.qualifiers}
