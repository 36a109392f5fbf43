"""Timeline: makes room for a fact in a slot that holds one value at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mags.engram.validity import Span, is_newer, is_over, overlap
from mags.engram.view import View
from mags.graph.records import NEVER, ArcKind, NodeFlag

STATED = int(NodeFlag.STATED)


def span_at(view: View, fact: int) -> Span:
    """The span of a fact as it is held."""
    node = view.node(fact)
    return Span(
        start=float(node["valid_from"]),
        end=float(node["valid_to"]),
        stated=bool(int(node["flags"]) & STATED),
        recorded_at=float(node["recorded_at"]),
        confidence=float(node["confidence"]),
    )


def close(view: View, fact: int, *, at: float, recorded_at: float, rule: str, by: int) -> bool:
    """End a fact or note at `at`, never before its start; returns whether it was open.

    `by`: the node that closes it, or NOBODY. One that had ended already may only end sooner.
    """
    node = view.draft.node(fact)
    start, end = float(node["valid_from"][0]), float(node["valid_to"][0])
    end_now = max(start, at)
    if end_now >= end:
        return False
    node["valid_to"] = end_now
    if end == NEVER:
        node["closed_at"] = recorded_at
    if by:
        view.join(by, fact, ArcKind.SUPERSEDES)
    view.draft.reason(rule, fact=fact, by=by, valid_to=end_now, was_open=end == NEVER)
    return end == NEVER


def place(view: View, span: Span, rivals: Iterable[int], *, history_s: float) -> tuple[Span, int]:
    """The span as it fits before the rivals that are newer, and the first of those (or 0)."""
    heir = 0
    for rival in rivals:
        other = span_at(view, rival)
        if _apart(span, other) or is_newer(span, other, history_s=history_s):
            continue
        if max(other.start, span.start) < span.end:
            span, heir = replace(span, end=max(other.start, span.start)), rival
    return span, heir


def displaced(view: View, span: Span, rivals: Iterable[int], *, history_s: float) -> list[int]:
    """The rivals that a span, as stated, replaces from its start on.

    What was over when it was said replaces nothing that goes on.
    """
    out = []
    for rival in rivals:
        other = span_at(view, rival)
        if _apart(span, other) or not is_newer(span, other, history_s=history_s):
            continue
        if is_over(span) and other.end > span.end:
            continue
        out.append(rival)
    return out


def _apart(span: Span, other: Span) -> bool:
    return other.start >= other.end or not overlap(span, other)
