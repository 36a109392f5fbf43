"""Passing: what holds for a while only, what is told of it meanwhile, and what ends it.

A statement that joins two things again while they are joined for a while says nothing of later:
it ends when that ends. What is to hold until something happens ends when that is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from mags.engram.claim import Claim
from mags.engram.timeline import close
from mags.engram.view import View
from mags.graph.graph import REVERSE
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeKind
from mags.index.tokens import words
from mags.ports.english import forms

UNTIL = "until"
"""The qualifier that says what is to happen, in the names and verbs of it."""
_RISEN = frozenset({"up", "sky"})
"""Words of what has risen: "the moon is up", "stands in the sky"."""
_HERE = frozenset({"there", "here"})
"""Of what has come, beside "is": "there it is, the star of Pell, over the hills"."""
_SEEN = frozenset(
    {"rise", "appear", "see", "come", "arrive", "show", "emerge", "stand", "shine", "return"}
    | {"begin", "start"}
)
"""Verbs of what has come into view: who waits for a star to appear has waited when it is seen."""
_AHEAD = frozenset({"until", "till", "unless", "will", "not", "when", "once", "if", "before"})
"""Words by which a statement tells of what has not happened."""


def meanwhile(view: View, claim: Claim) -> Claim:
    """The claim with the end of what joins the same two things for a while now, if anything does.

    What tells of a change, or of a relation that the table knows, stands for itself.
    """
    span = claim.span
    if span.end < NEVER or span.change or claim.relation.known or claim.object == NOBODY:
        return claim
    ends = {claim.subject, claim.object}
    for fact in dict.fromkeys(view.about(claim.subject)):
        node = view.node(fact)
        passes = node["valid_from"] <= span.said_at < node["valid_to"] < NEVER
        if not passes or {int(node["subject"]), int(node["object"])} != ends:
            continue
        view.draft.reason("meanwhile", fact=fact, valid_to=float(node["valid_to"]))
        meta, until = claim.meta, until_of(view, fact)
        if until:
            told = {**meta.get("qualifiers", {}), UNTIL: until}
            meta = {**meta, "qualifiers": told}
        return replace(claim, span=replace(span, end=float(node["valid_to"])), meta=meta)
    return claim


def until_of(view: View, fact: int) -> str:
    """What is to happen before a fact is over, "" where nothing was said."""
    return str(view.words(fact).meta.get("qualifiers", {}).get(UNTIL, ""))


def awaited(view: View, fact: int) -> list[int]:
    """What is to do or suffer what ends a fact, by one word of its names or several."""
    told = until_of(view, fact).split()
    spans = [(i, k) for i in range(len(told)) for k in range(i + 1, len(told) + 1)]
    found = (entity for i, k in spans for entity in view.find(" ".join(told[i:k])))
    return list(dict.fromkeys(found))


def lapse(
    view: View, named: Iterable[int], text: str, *, at: float, recorded_at: float
) -> list[int]:
    """Close what was to hold until what a text tells has happened; `named`: whom it names."""
    said = words(text)
    if not _AHEAD.isdisjoint(said):
        return []
    told = {base for word in said for base in (word, *(base for base, _ in forms(word)))}
    if not _RISEN.isdisjoint(said) or ("is" in said and not _HERE.isdisjoint(said)):
        told.add("rise")
    if not _SEEN.isdisjoint(told):
        told |= _SEEN
    over = []
    for fact in dict.fromkeys(fact for entity in named for fact in _waiting(view, entity)):
        node = view.node(fact)
        until = until_of(view, fact)
        holds = node["valid_from"] < at < node["valid_to"]
        if holds and until and told.issuperset(until.split()):
            close(view, fact, at=at, recorded_at=recorded_at, rule="lapse", by=NOBODY)
            over.append(fact)
    return over


def _waiting(view: View, entity: int) -> Iterator[int]:
    """The facts that something a thing does or suffers is to end."""
    graph = view.draft.graph
    row = graph.row_of.get(entity)
    if row is None:
        return
    block = graph.adjacency.block(row)
    columns = graph.adjacency.columns
    peers = columns["peer"][block][columns["kind"][block] == int(ArcKind.MENTIONS) | REVERSE]
    facts = peers[graph.kinds[peers] == int(NodeKind.FACT)]
    yield from np.asarray(graph.nodes["id"][facts]).tolist()
