"""Times with two ends: "from 1 May to 3 June", "between 6 and 9 June", "6-9 June"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

from mags.models.policy.rules.spans import MONTHS, YEAR_S, Time

_TO = re.compile(r"(?P<by>\s*(?:to|till|until|through|-|\u2013|\u2014)\s*(?:the\s+)?)")
_AND = re.compile(r"(?P<by>\s+and\s+(?:the\s+)?)")
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$")
_SHORT = re.compile(
    r"(?:\b(?P<lead>from|between)\s+)?(?:\bthe\s+)?\b(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?P<by>\s*(?:to|till|until|through|and|-|\u2013)\s*)(?:the\s+)?$"
)
"""The days before "9 June" that borrow its month: "from 6 to", "6-"."""


class Reader(Protocol):
    """What reads the times of a text, each by itself."""

    def __call__(self, text: str, at: float, *, future: bool) -> list[Time]:
        """The times in order. `at`: now, seconds since the epoch."""
        ...


def ranged(low: str, found: Sequence[Time], read: Reader) -> list[Time]:
    """Return times with those that bound one another told as beginning and end.

    `low`: the text in lower case. A beginning is never after its end: "from 1 March to 5 April",
    said on 10 March, began this year.
    """
    times = [one for time in found for one in _borrowed(low, time, found, read)]
    for i, (first, last) in enumerate(pairwise(times)):
        if _joined(low, first, last):
            times[i] = _begun(low, first, last, read)
            times[i + 1] = _ended(low, first, last)
    return times


def _joined(low: str, first: Time, last: Time) -> bool:
    """Say whether two times are the ends of one."""
    gap = low[first.end : last.start]
    if first.role == "from":
        return (last.role == "at" and _TO.fullmatch(gap) is not None) or (
            last.role == "until" and not gap.strip()
        )
    between = _BETWEEN.search(low[: first.start]) is not None
    return between and last.role == "at" and _AND.fullmatch(gap) is not None


def _begun(low: str, first: Time, last: Time, read: Reader) -> Time:
    led = _BETWEEN.search(low[: first.start]) if first.role == "at" else None
    if first.since > last.since:
        before = read(low[first.start : first.end], last.since, future=False)
        first = replace(before[0], start=first.start, end=first.end) if before else first
    text = first.text.split(" ", 1)[-1]
    return replace(
        first, start=led.start() if led else first.start, role="from", text=f"from {text}"
    )


def _ended(low: str, first: Time, last: Time) -> Time:
    text = last.text.split(" ", 1)[-1]
    return replace(last, start=first.end, role="until", text=f"until {text}")


def _borrowed(low: str, time: Time, found: Sequence[Time], read: Reader) -> list[Time]:
    """Return "6" of "from 6 to 9 June" as 6 June before the time that it borrows from."""
    if time.precision != "day" or time.role not in {"at", "until"}:
        return [time]
    start = re.search(r"\d|$", low[time.start : time.end])
    head = low[: time.start + (start.start() if start else 0)]
    match = _SHORT.search(head)
    month = next((m for m in MONTHS if m[:3] in low[time.start : time.end]), "")
    clear = match and all(t.end <= match.start() or t.start >= time.start for t in found)
    if (
        match is None
        or not month
        or not clear
        or (match["by"].strip() == "and") != (match["lead"] == "between")
    ):
        return [time]
    day = read(f"from {match['day']} {month}", time.until, future=False)
    if not day or not 0 < time.since - day[0].since < YEAR_S / 2:
        return [time]
    return [
        replace(day[0], start=match.start(), end=match.start("by"), role="from"),
        replace(
            time,
            start=match.start("by"),
            role="until",
            text=f"until {time.text.split(' ', 1)[-1]}",
        ),
    ]
