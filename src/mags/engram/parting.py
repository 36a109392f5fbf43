"""Parting: what joined two things is over, in whatever words it was told."""

from __future__ import annotations

from mags.engram.claim import Claim
from mags.engram.moment import Inscribed
from mags.engram.timeline import close, span_at
from mags.engram.view import View
from mags.graph.node import NEVER, NOBODY


def part(view: View, claim: Claim, done: Inscribed) -> None:
    """Close every open fact that joins subject and object of a claim, whichever way round.

    What the same turn has said of them stays, and what was observed after it was said.
    """
    ends = {claim.subject, claim.object}
    if claim.object == NOBODY:
        return
    for fact in dict.fromkeys(view.about(claim.subject)):
        node = view.node(fact)
        joined = {int(node["subject"]), int(node["object"])} == ends and node["valid_to"] == NEVER
        if not joined or fact in done.facts or span_at(view, fact).start > claim.span.said_at:
            continue
        at, recorded_at = claim.span.start, claim.span.recorded_at
        if close(view, fact, at=at, recorded_at=recorded_at, rule="part", by=NOBODY):
            done.closed.append(fact)
