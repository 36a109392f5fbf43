"""Parting: what joined two things is over, in whatever words it was told.

Relations that the table does not know come in many words. Two of them are held to be one relation
where they have joined the same two things ("speaks for", "is the elder of"), so a change told in
one of them ends what was told in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from mags.engram.claim import Claim
from mags.engram.counterparts import COMMON, THING, counted, kind_of
from mags.engram.likeness import take_apart
from mags.engram.moment import Inscribed
from mags.engram.timeline import close, span_at
from mags.engram.view import GUESS, View
from mags.graph.records import NEVER, NOBODY, NodeKind
from mags.index.tokens import words
from mags.ports import relations

_CHANGE = frozenset({"now", "become", "became", "becomes", "nowadays", "longer", "changed", "new"})
_ANYHOW = frozenset({"goes with", "is tied to", "to do is"})
"""Relations that say no more than that two things go together."""
_EMPTY = frozenset(
    take_apart(
        "one ones people everyone now new become only all time day longer change changed from today"
        " give gave take took make made want wants keep must any more always say tell know need"
    ).common
)
Pair = tuple[int, int]
MOST = 64
"""Facts told in the words of a change that are looked at for others that join the same two."""


def part(view: View, claim: Claim, done: Inscribed, *, seen: bool = False) -> None:
    """Close every open fact that joins subject and object of a claim, whichever way round.

    What the same turn has said of them stays, and what was observed after it was said. `seen`: an
    act has shown it; while another thing of the kind holds for a while, that says nothing of later.
    """
    if claim.object == NOBODY:
        return
    ends = (claim.subject, claim.object)
    done.parted.append(ends)
    if not (seen and (_rests(view, ends, claim) or _rests(view, ends[::-1], claim))):
        _part(view, (claim.subject, claim.object), claim, done, by=NOBODY)


def _rests(view: View, ends: tuple[int, int], claim: Claim) -> bool:
    """Whether the first of two is joined for a while to something of the kind of the second."""
    form, now = kind_of(view, ends[1]), claim.span.said_at
    for fact in dict.fromkeys(view.about(ends[0])):
        node = view.node(fact)
        if not node["valid_from"] <= now < node["valid_to"] < NEVER:
            continue
        far = _far(view, fact, ends[0])
        if far not in (ends[1], NOBODY) and kind_of(view, far) == form:
            return True
    return False


def give_way(view: View, claim: Claim, fact: int, done: Inscribed, *, seen: bool = False) -> None:
    """Close what the new fact takes the place of, where no slot tells.

    Of a change that is what joins one of its two things to the one other thing that is of the
    kind of the second, by a relation that is the same or one with it. What is only told gives way
    to nothing, but where each thing of a kind has one such counterpart. Where either might be
    meant, or several, nothing is closed: a clan has many members, and a member one clan. `seen`:
    an act has shown it.
    """
    ends = (claim.subject, claim.object)
    if claim.relation.known or claim.object == NOBODY or done.closed or _is_named(ends, done):
        return  # where the turn has named what is over, that is all that is
    slots = _kin(view, claim.slot)
    found = _told_over(view, claim, fact, done, slots)
    if not found and not seen:
        found = _felt(view, ends, slots, done)
    found = [pair for pair in found if not _is_elsewhere(view, pair, fact)]
    if len(found) == 1:
        _part(view, found[0], claim, done, by=fact)


def _is_elsewhere(view: View, ends: Pair, fact: int) -> bool:
    """Whether all that joins two is said of another one of several than a fact is."""
    own = _places(view, fact)
    others = [_places(view, one) for one in _joining(view, *ends)]
    return bool(own and others) and all(one and own.isdisjoint(one) for one in others)


def _places(view: View, fact: int) -> frozenset[str]:
    return relations.PLACES.intersection(words(view.words(fact).text))


def _is_named(ends: Pair, done: Inscribed) -> bool:
    return any(not set(ends).isdisjoint(pair) for pair in done.parted)


def _told_over(
    view: View, claim: Claim, fact: int, done: Inscribed, slots: Mapping[int, str]
) -> list[Pair]:
    """What is over by the words of a change, told now or before."""
    ends = (claim.subject, claim.object)
    if not claim.span.change:
        return _outlived(view, ends, fact, done)
    alike = _names(slots)
    ways = {
        pair: [(pair[0], rival) for rival in _rivals(view, pair, alike, done, lone=pair == ends)]
        for pair in (ends, ends[::-1])
        if (_is_thing(view, pair[0]), _is_thing(view, pair[1])) != (True, False)
    }  # the bow that one clan now expects may be the greeting of another
    way = _way(view, ends, slots)
    if way is not None:
        pair = ends if way else ends[::-1]
        return ways.get(pair) or [
            (pair[0], rival)
            for rival in _rivals(
                view, pair, alike, done, lone=COMMON.isdisjoint(_kinds(view, pair))
            )
        ]
    return [pair for found in ways.values() for pair in found] or _worded(view, ends, fact, done)


def _way(view: View, ends: Pair, slots: Mapping[int, str]) -> bool | None:
    """Whether the first of two has one of the second; None where that tells not one way only.

    A kind of its own ("clan") tells more than a bare name.
    """
    there, back = (counted(view, *pair, slots).is_one for pair in (ends, ends[::-1]))
    if there != back:
        return there
    plain = [kind in COMMON for kind in _kinds(view, ends)]
    return plain[0] if there and plain[0] != plain[1] else None


def _felt(view: View, ends: Pair, slots: Mapping[int, str], done: Inscribed) -> list[Pair]:
    """What one of two is joined to as it now is to the other, where it has one such only."""
    ways = {
        pair: list(
            _rivals(view, pair, _names(slots), done, lone=COMMON.isdisjoint(_kinds(view, pair)))
        )
        for pair in (ends, ends[::-1])
    }
    if not any(ways.values()):
        return []
    way = _way(view, ends, slots)
    if way is None:
        return []
    pair = ends if way else ends[::-1]
    return [(pair[0], rival) for rival in ways[pair]]


def _kinds(view: View, ends: Pair) -> tuple[str, str]:
    return kind_of(view, ends[0]), kind_of(view, ends[1])


def _outlived(view: View, ends: tuple[int, int], fact: int, done: Inscribed) -> list[Pair]:
    """What a change that was told before has ended, as the words told now show.

    Those that are joined now were joined by a change ("has become"), and what one of them was
    joined to before that, in the words of now, is over.
    """
    own = _relation(view, fact)
    since = [
        float(view.node(one)["valid_from"])
        for one in _joining(view, *ends)
        if one != fact and not _CHANGE.isdisjoint(words(view.words(one).text))
    ]
    if not since or own in _ANYHOW:
        return []
    found = []
    for pair in _valued(view, ends):
        for rival in _rivals(view, pair, frozenset({own}), done, lone=False):
            joins = _joining(view, pair[0], rival)
            if all(float(view.node(one)["valid_from"]) < min(since) for one in joins):
                found.append((pair[0], rival))
    return found


def _worded(view: View, ends: tuple[int, int], fact: int, done: Inscribed) -> list[Pair]:
    """What shares a noun with a change: "the greeting has changed", "the polite greeting is"."""
    told = _nouns(view, fact)
    found: dict[Pair, None] = {}
    for pair in _valued(view, ends):
        form = kind_of(view, pair[1])
        for one in _open(view, pair[0]):
            rival = _far(view, one, pair[0])
            same = rival not in (pair[1], NOBODY) and one not in done.facts
            if same and kind_of(view, rival) == form and told & _nouns(view, one):
                found[pair[0], rival] = None
    return list(found)


def _valued(view: View, ends: Pair) -> Iterator[Pair]:
    """The two with the one that has a name first, where the other is a thing.

    A gate has one toll; tin may be the toll of many gates. Of two names nobody can tell.
    """
    for one, other in (ends, ends[::-1]):
        if (_is_thing(view, one), _is_thing(view, other)) == (False, True):
            yield one, other


def _is_thing(view: View, entity: int) -> bool:
    return kind_of(view, entity) == THING


def _nouns(view: View, fact: int) -> frozenset[str]:
    """The stems of the words of a fact that tell how its two things are joined."""
    node = view.node(fact)
    named = [
        stem
        for end in (int(node["subject"]), int(node["object"]))
        if end != NOBODY
        for stem in take_apart(view.words(end).text).stems
    ]
    return take_apart(view.words(fact).text).common.difference(named, _EMPTY)


def _part(view: View, ends: tuple[int, int], claim: Claim, done: Inscribed, *, by: int) -> None:
    at, recorded_at = claim.span.start, claim.span.recorded_at
    for fact in _joining(view, *ends):
        late = span_at(view, fact).start > claim.span.said_at
        if late or fact in done.facts or fact in done.confirmed:
            continue
        if close(view, fact, at=at, recorded_at=recorded_at, rule="part", by=by):
            done.closed.append(fact)


def _joining(view: View, one: int, other: int) -> list[int]:
    """The open facts of two things."""
    return [fact for fact in _open(view, one) if _far(view, fact, one) == other]


def _open(view: View, entity: int) -> Iterator[int]:
    for fact in dict.fromkeys(view.about(entity)):
        if view.node(fact)["valid_to"] == NEVER:
            yield fact


def _far(view: View, fact: int, near: int) -> int:
    """The other end of a fact."""
    node = view.node(fact)
    return int(node["object"]) if int(node["subject"]) == near else int(node["subject"])


def _rivals(
    view: View, ends: tuple[int, int], alike: frozenset[str], done: Inscribed, *, lone: bool
) -> Iterable[int]:
    """What is joined to the first of two as the second now is, and is of its kind.

    `lone`: a kind of its own ("clan") is enough, whatever the relation.
    """
    end, other = ends
    form = kind_of(view, other)
    found: dict[int, None] = {}
    for fact in _open(view, end):
        rival = _far(view, fact, end)
        if rival in (other, NOBODY) or fact in done.facts:
            continue
        own = _relation(view, fact)
        kin = own in alike or (lone and form not in COMMON and not relations.canonical(own))
        if kin and kind_of(view, rival) == form:
            found[rival] = None
    return found


def _kin(view: View, slot: int) -> Mapping[int, str]:
    """By slot the relations that have joined the same two things as the relation of a slot has.

    And those that have joined the same two as one of these.
    """
    found = _told(view, {slot})
    return {**_told(view, set(found)), **found}


def _names(slots: Mapping[int, str]) -> frozenset[str]:
    """The relations of slots that the table does not know."""
    return frozenset(
        name for name in slots.values() if name not in _ANYHOW and relations.canonical(name) is None
    )


def _told(view: View, slots: set[int]) -> dict[int, str]:
    """By slot the relations under which any two things are joined that one of these joins."""
    graph = view.draft.graph
    nodes, facts = graph.nodes, graph.where(NodeKind.FACT)
    told = np.isin(nodes["slot"][facts], list(slots)) & ((nodes["flags"][facts] & GUESS) == 0)
    rows = facts[told][-MOST:]
    found: dict[int, str] = {}
    for row in rows.tolist():
        one, other = int(nodes["subject"][row]), int(nodes["object"][row])
        for fact in dict.fromkeys(view.about(one)):
            if _far(view, fact, one) == other:
                found.setdefault(int(view.node(fact)["slot"]), _relation(view, fact))
    return found


def _relation(view: View, fact: int) -> str:
    return str(view.words(fact).meta.get("relation", ""))
