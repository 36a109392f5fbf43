"""Of a class of things, those of whom something is told: "which of my friends live in Norway".

Who belongs to the class is held as facts, and so is what is asked of each. Only open facts count
that are surely held: no guess, and nothing that who it is of tells otherwise. What nobody told is
no answer: that somebody does not eat meat has to be told, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mags.graph.records import NOBODY, Content, NodeFlag
from mags.index.state import State
from mags.index.tokens import stem, words
from mags.ports.english import word_set
from mags.ports.policy import ASSISTANTS, Link, Members
from mags.recall.candidates import RecallRequest, Walk, facts_of, valid_to

MOST_MEMBERS = 64
"""Members at most of a class that is gone through."""

_NONE = word_set("no none not never nothing nobody neither without zero 0")
_BESIDE = word_set("a an the some one two three four five six several many my his her their our")
_LOOSE = word_set("has owns is works drives plays occupation")
"""First words of relations to things that modifiers leave what they are: "has" an old car."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tie:
    """A fact of a thing, and what it ties it to: an id, or `NOBODY` where it is only words."""

    fact: int
    other: int
    text: str


def with_members(state: State, request: RecallRequest, walked: Walk) -> Walk:
    """The walk with the facts by which a class is answered, in place of hops; as is without."""
    asked = request.query.plan.members
    found = members_of(state, request, asked) if asked is not None else ()
    if not found:
        return walked
    facts = state.graph.rows(fact for _, *facts in found for fact in facts)
    value = {**walked.value, **dict.fromkeys(facts.tolist(), 2.0)}
    return replace(walked, value=value, chain=(), members=found)


def members_of(state: State, request: RecallRequest, asked: Members) -> tuple[tuple[int, ...], ...]:
    """Those of the class that are told of, each an entity and its facts; () where none is."""
    shared = _shared(state, request, asked) if asked.like else {}
    found: dict[int, tuple[int, ...]] = {}
    for entity, told in _class(state, request, asked, shared).items():
        ties = [
            tie
            for tie in _ties(state, request, entity, asked.told)
            if not asked.like or tie.other in shared
        ]
        if ties:
            same = (shared[tie.other] for tie in ties if tie.other in shared)
            facts = (*told, *(tie.fact for tie in ties), *same)
            found[entity] = tuple(dict.fromkeys(facts))
        elif asked.every:
            return ()
    return tuple((entity, *facts) for entity, facts in found.items())


def _class(
    state: State, request: RecallRequest, asked: Members, shared: dict[int, int]
) -> dict[int, tuple[int, ...]]:
    """Who may be meant, each with the facts that tell so; nobody where that is not clear."""
    found: dict[int, tuple[int, ...]] = {}
    if asked.owner:
        for owner in _only(state, asked.owner):
            for tie in _ties(state, request, owner, asked.links):
                if tie.other not in (NOBODY, owner):
                    found[tie.other] = (*found.get(tie.other, ()), tie.fact)
    elif asked.names:
        found = {one: () for name in asked.names for one in _only(state, name)}
        found = found if len(found) == len(asked.names) else {}
    elif asked.anybody:
        back = [Link(relations=link.inverse, inverse=link.relations) for link in asked.told]
        found = {tie.other: () for end in shared for tie in _ties(state, request, end, back)}
    else:
        heard = {i: state.content(i).text for i in state.speakers}
        found = {i: () for i, name in heard.items() if name.casefold() not in ASSISTANTS}
        found = found if len(found) > 1 else {}  # "us" is more than who asks
    for entity in (NOBODY, *state.names.find(asked.like)):
        found.pop(entity, None)
    return found if len(found) <= MOST_MEMBERS else {}


def _only(state: State, name: str) -> list[int]:
    """The one thing of a name; none where several have it."""
    found = state.names.find(name)
    return found if len(found) == 1 else []


def _shared(state: State, request: RecallRequest, asked: Members) -> dict[int, int]:
    """The ends that the facts of the one to be like lead to, each with its fact."""
    return {
        tie.other: tie.fact
        for entity in _only(state, asked.like)
        for tie in _ties(state, request, entity, asked.told)
        if tie.other != NOBODY
    }


def _ties(state: State, request: RecallRequest, entity: int, links: Sequence[Link]) -> list[_Tie]:
    """The sure open facts of a thing that are of one of the links."""
    found: list[_Tie] = []
    for inverse in (False, True):
        names = frozenset().union(*(link.inverse if inverse else link.relations for link in links))
        if not names:
            continue
        for fact, content in _sure(state, request, entity, inverse=inverse):
            relation = str(content.meta.get("relation", ""))
            if relation not in names:
                continue
            node = state.graph.view(fact)[0]
            tie = _Tie(
                fact=fact,
                other=int(node["subject" if inverse else "object"]),
                text=str(content.meta.get("subject" if inverse else "object", "")),
            )
            for link in links:
                of = link.inverse if inverse else link.relations
                if relation in of and _is_one(state, tie, relation, link.objects):
                    found.append(tie)
                    break
    return found


def _sure(
    state: State, request: RecallRequest, entity: int, *, inverse: bool
) -> Iterator[tuple[int, Content]]:
    """Facts that hold and are surely held, by id, with their words."""
    rows = facts_of(state, request, entity, inverse=inverse)
    nodes = state.graph.nodes[rows]
    holds = (nodes["valid_from"] <= request.moment) | ~np.isfinite(nodes["valid_from"])
    holds &= (valid_to(nodes, request) > request.moment) & (nodes["flags"] & NodeFlag.GUESS == 0)
    ids: list[int] = nodes["id"][holds].tolist()
    for fact, content in zip(ids, state.words(ids), strict=True):
        conditional = "condition" in dict(content.meta.get("qualifiers", {}))
        if not (conditional or state.slots.outranked(fact, request.moment, request.recorded_as_of)):
            yield fact, content


def _is_one(state: State, tie: _Tie, relation: str, objects: Sequence[str]) -> bool:
    """Whether a fact leads to one of the things asked for, by name or by its words."""
    said = words(tie.text)
    if _NONE.intersection(said):
        return False
    if not objects:
        return True
    held = [stem(word) for word in said if word not in _BESIDE]
    loose = relation.partition(" ")[0] in _LOOSE
    for one in objects:
        if tie.other != NOBODY and tie.other in state.names.find(one):
            return True
        asked = [stem(word) for word in words(one) if word not in _BESIDE]
        last = held[-len(asked) :] if loose and one.islower() else held
        if asked and asked == last:
            return True
    return False
