"""Tentative claims: a guess closes nothing that is held at least as surely.

A later statement by the same or a better source is never held back by confidence; a guess is
the lesser source. It is left out where it would replace or deny what is held as surely, and its
turn stays an episode.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mags.engram.claim import Claim, denial, slot_of
from mags.engram.view import View
from mags.ports.policy import Act


def outweighed(view: View, claim: Claim) -> bool:
    """Whether an open fact that a tentative claim would close is held as surely as it is told."""
    told = np.float32(claim.span.confidence)  # as nodes hold it
    return any(view.node(fact)["confidence"] >= told for fact in _against(view, claim))


def _against(view: View, claim: Claim) -> Iterator[int]:
    """The open facts that do not hold beside a claim."""
    for fact in view.open(claim.subject, claim.slot):
        other = int(view.node(fact)["object"]) != claim.object
        if claim.act is Act.RETRACT or (other and claim.one):
            yield fact
    opposite = claim.relation.opposite or denial(claim.relation.name)
    if claim.act is Act.RETRACT or not opposite:
        return
    for fact in view.open(claim.subject, slot_of(view.state, opposite, claim.kind)):
        if int(view.node(fact)["object"]) == claim.object:
            yield fact
