"""Whether what a memory made of a turn says what was annotated: by whose it is, sign and words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mags.models.policy.rules.tokens import stems
from mags_lab.talk.corpus import AnnotatedFact, Ended

_DENIED = re.compile(
    r"\b(?:not|never|no longer|cannot|dislikes|hates|avoids|without|stopped|quit|gave up)\b|n't\b"
)
_PLANNED = re.compile(
    r"\b(?:plans?|wants?|intends|hopes?|going to|aims?|wish\w*|would like|considers?|may|might|will"
    r"|thinking of|needs?|looking|dreams of)\b"
)
_IDLE = frozenset(
    {"a", "an", "the", "my", "your", "his", "her", "their", "our", "some", "in", "on", "at", "to"}
    | {"for", "with", "and", "is"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A fact as a memory holds it."""

    subject: str
    relation: str
    object: str

    @property
    def denied(self) -> bool:
        """Whether it says that something is not so."""
        return bool(_DENIED.search(self.relation.casefold()))

    @property
    def planned(self) -> bool:
        """Whether it says that something is meant to be."""
        return bool(_PLANNED.search(self.relation.casefold()))


def says(gold: AnnotatedFact, made: Made) -> bool:
    """Whether a fact says a gold one: of whom, of what, with the same sign, a plan as a plan."""
    if made.subject.casefold() not in _folded(gold.subjects):
        return False
    if gold.polarity != "any" and made.denied != _told_denied(gold):
        return False
    if gold.kind == "event" and made.planned and gold.modality == "actual":
        return False
    if gold.kind == "plan" and _PLANNED.search(gold.relation.casefold()) and not made.planned:
        return False
    return _same_object(gold.objects, made)


def ends(gold: Ended, made: Made) -> bool:
    """Whether a fact is the one that a gold ending means."""
    whose = made.subject.casefold() == gold.subject.casefold()
    return whose and _same_object(gold.objects, made)


def _told_denied(gold: AnnotatedFact) -> bool:
    return gold.polarity == "no" or bool(_DENIED.search(gold.relation.casefold()))


def _same_object(wordings: Iterable[str], made: Made) -> bool:
    """Whether the words of an object are mostly the same, or all said with the relation's."""
    own, more = _words(made.object), _words(f"{made.relation} {made.object}")
    for one in wordings:
        theirs = _words(one)
        if not theirs:
            continue
        if 2 * len(own & theirs) >= 0.5 * (len(own) + len(theirs)):
            return True
        if theirs <= more and theirs & own and len(own) <= 3 * len(theirs) + 3:
            return True
    return False


def _words(text: str) -> frozenset[str]:
    kept = " ".join(w for w in re.findall(r"[\w']+", text.casefold()) if w not in _IDLE)
    return stems(kept) or stems(text)


def _folded(names: Iterable[str]) -> set[str]:
    return {one.casefold() for one in names}
