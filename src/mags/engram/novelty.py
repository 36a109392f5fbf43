"""Novelty: whether a claim says again what is held, and what saying it again does."""

from __future__ import annotations

from collections.abc import Mapping

from mags.engram.claim import Claim, Evidence
from mags.engram.salience import recharge
from mags.engram.settings import SalienceSettings
from mags.engram.validity import Span
from mags.engram.view import View
from mags.graph.records import NEVER, NOBODY, ArcKind, NodeFlag
from mags.index.names import fold

DAY_S = 86_400.0
STATED = int(NodeFlag.STATED)
IDLE = frozenset({"kind", "reason", "often"})
"""Qualifiers that say no other thing when they differ (`kind` is in the slot already)."""


def session_of(session: int, at: float) -> int:
    """What counts as one occasion: the session's hash, or the day where there is none."""
    return session if session else int(at // DAY_S)


def held(view: View, claim: Claim) -> int | None:
    """The open fact of the same slot and object, or None; closed ones never count.

    In a one-valued slot a statement that reaches back beyond a rival speaks of another
    period, and so is no confirmation of the fact that is open now. Nor is a statement that
    gives a qualifier another value ("a degree from Oslo", "a degree from Rome").
    """
    for fact in view.open(claim.subject, claim.slot):
        node = view.node(fact)
        if int(node["object"]) != claim.object or _another_period(view, claim, fact):
            continue
        if not _otherwise_qualified(view, claim, fact):
            return fact
    return None


def _otherwise_qualified(view: View, claim: Claim, fact: int) -> bool:
    """Whether a qualifier that both give differs; when it was so matters to events only."""
    theirs = view.words(fact).meta.get("qualifiers", {})
    return differ(claim.meta.get("qualifiers", {}), theirs, timeless=claim.one)


def differ(ours: Mapping[str, object], theirs: Mapping[str, object], *, timeless: bool) -> bool:
    """Whether two sets of qualifiers give some role different values; `timeless`: but `when`."""
    if not ours or not theirs:
        return False
    shared = (ours.keys() & theirs.keys()) - (IDLE | {"when"} if timeless else IDLE)
    return any(fold(str(ours[role])) != fold(str(theirs[role])) for role in shared)


def _another_period(view: View, claim: Claim, fact: int) -> bool:
    if not claim.one:
        return False
    start = float(view.node(fact)["valid_from"])
    rivals = (view.node(i) for i in view.facts(claim.subject, claim.slot) if i != fact)
    return any(
        claim.span.start < float(r["valid_from"]) < start and r["valid_from"] < r["valid_to"]
        for r in rivals
    )


def confirm(
    view: View,
    fact: int,
    evidence: Evidence,
    confidence: float,
    *,
    salience: SalienceSettings,
    tick: int,
) -> float:
    """Say a fact or note again: charge, use, source, confidence. Returns the new confidence.

    Confidence combines as 1 - (1 - a)(1 - b), once per (speaker, session); a bare assertion
    has neither and only lifts it to its own; an echo of the memory lifts nothing.
    """
    counted = _is_counted(view, fact, evidence)
    node = view.draft.node(fact)
    recharge(salience, node, tick)
    before = float(node["confidence"][0])
    if evidence.episode == NOBODY:
        node["confidence"] = max(before, confidence)
        return float(node["confidence"][0])
    view.join(fact, evidence.episode, ArcKind.SOURCE)
    if not counted and not evidence.echo:
        node["confidence"] = 1.0 - (1.0 - before) * (1.0 - confidence)
    return float(node["confidence"][0])


def _is_counted(view: View, fact: int, evidence: Evidence) -> bool:
    for episode in view.sources(fact):
        node = view.node(episode)
        session = session_of(int(node["session"]), float(node["valid_from"]))
        if int(node["subject"]) == evidence.speaker and session == evidence.session:
            return True
    return False


def refine(view: View, fact: int, span: Span) -> bool:
    """Take a better time from a confirmation; returns whether something changed.

    An earlier start is better, but an observed one never beats a stated one; a later start
    is none, for the fact was seen to hold before. A stated end closes.
    """
    node = view.node(fact)
    start, stated = float(node["valid_from"]), bool(int(node["flags"]) & STATED)
    earlier = span.start < start and (span.stated or not stated)
    named = span.stated and not stated and span.start <= start
    if not earlier and not named and span.end == NEVER:
        return False
    row = view.draft.node(fact)
    if earlier:
        row["valid_from"] = span.start
    if named:
        row["flags"] |= STATED
    if span.end < NEVER:
        row["valid_to"] = max(span.end, float(row["valid_from"][0]))
        row["closed_at"] = span.recorded_at
    return True
