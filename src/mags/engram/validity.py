"""Validity: when facts are true, and which of two rivals is the newer.

Pure functions of numbers. A time is *stated* ("in January") or only *observed*: the time
of saying, a bound. Times are seconds since the epoch; an interval is [start, end).
"""

from __future__ import annotations

from dataclasses import dataclass

from mags.graph.records import NEVER

ROUNDING = 1e-6
"""Confidences nearer than this are equal: they are stored as float32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """When something is said to be true.

    `start`, `end`: event time; `stated`: whether the start was. `recorded_at`: record time.
    `said_at`: when it was said (a new statement) or a bound of it. `change`: it tells of a
    change ("moved to").
    """

    start: float
    end: float = NEVER
    stated: bool = False
    recorded_at: float = 0.0
    said_at: float = 0.0
    change: bool = False
    confidence: float = 1.0


def overlap(a: Span, b: Span) -> bool:
    """Whether two intervals share time; those that do not never close one another.

    An empty interval shares nothing. Two that begin together share time.
    """
    return max(a.start, b.start) < min(a.end, b.end)


def is_over(new: Span) -> bool:
    """Whether a statement is about something that had ended when it was said."""
    return new.end <= new.said_at


def is_newer(new: Span, old: Span, *, history_s: float) -> bool:
    """Whether a statement replaces a rival of the same slot rather than preceding it.

    1. The later start is the newer.
    2. An earlier start is the older - only a stated time beats a stated time - but a stated
       start against a merely observed one leaves it to record time: "I have lived in Bergen
       since January", said after Oslo was observed, is news. A change stated to lie more
       than `history_s` before what was observed is history all the same.
    3. With equal starts record time decides, and with equal record times confidence; the
       statement made last wins a draw.
    """
    if new.start > old.start:
        return True
    if new.start < old.start:
        if old.stated or not new.stated or new.said_at < old.start:
            return False
        return not (new.change and old.start - new.start > history_s)
    if new.recorded_at != old.recorded_at:
        return new.recorded_at > old.recorded_at
    return new.confidence > old.confidence - ROUNDING
