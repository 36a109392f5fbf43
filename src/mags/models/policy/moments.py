"""Dates that a turn names: where they stand, and from when to when they reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mags.models.policy.rules.when import MONTHS, Time, times

_MONTH = "|".join(MONTHS)
_BARE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{_MONTH})|(?:{_MONTH})(?: (?:1[89]|20)\d\d)?|(?:1[89]|20)\d\d)\b", re.I
)
_BETWEEN = re.compile(rf"\bbetween ({_MONTH}) and ({_MONTH}) ((?:1[89]|20)\d\d)\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A date in a text: its characters, and its first and last second (None where open)."""

    start: int
    end: int
    since: float | None
    until: float | None


def moments(text: str, at: float) -> tuple[Moment, ...]:
    """The dates of a text in order, none overlapping. `at`: now, in seconds since the epoch."""
    found: list[Moment] = []
    for one in _all(text, at):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def _all(text: str, at: float) -> Iterator[Moment]:
    for match in _BETWEEN.finditer(text):
        first = times(f"in {match[1]} {match[3]}", at)
        last = times(f"in {match[2]} {match[3]}", at)
        if first and last:
            yield _moment(match.start(), match.end(), first[0].since, last[0].until)
    for time in times(text, at):
        yield _of(time, time.start, time.end)
    for match in _BARE.finditer(text):
        for time in times(f"in {match[0]}", at)[:1]:
            yield _of(time, match.start(), match.end())


def _of(time: Time, start: int, end: int) -> Moment:
    if time.role in ("since", "after"):
        return _moment(start, end, time.since if time.role == "since" else time.until, None)
    if time.role in ("until", "before"):
        return _moment(start, end, None, time.since if time.role == "before" else time.until)
    return _moment(start, end, time.since, time.until)


def _moment(start: int, end: int, since: float | None, until: float | None) -> Moment:
    return Moment(start=start, end=end, since=since, until=until)
