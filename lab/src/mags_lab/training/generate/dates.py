"""Dates as people say them, with what they mean on the day they are said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from random import Random

from mags.models.rendering import MONTHS

FIRST = date(2019, 1, 1)
DAYS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class DatePhrase:
    """A date in words, and from when to when it reaches as ISO dates (either may be "")."""

    words: str
    since: str
    until: str


def today(rng: Random) -> date:
    """A day on which something is said."""
    return FIRST + timedelta(days=rng.randrange(DAYS))


def seconds(day: date) -> float:
    """The first second of a day since the epoch (UTC)."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def beginning(rng: Random, now: date) -> DatePhrase:
    """A date since which something is so: "May", "2019", "last month", "3 May"."""
    return rng.choice((_month, _month, _year, _month_of, _last_month, _last_year, _day))(rng, now)


def span(rng: Random, now: date) -> DatePhrase:
    """A stretch of time that a question names, with its preposition."""
    return rng.choice(SPANS)(rng, now)


def of_phrase(text: str, now: date) -> str:
    """The date since which a change is so that a phrase itself names, or ""."""
    for pattern, meant in NAMED:
        if pattern.search(text):
            return meant(now)
    return ""


def _iso(year: int, month: int) -> str:
    return f"{year:04}-{month:02}"


def _before(now: date) -> str:
    last = now.replace(day=1) - timedelta(days=1)
    return _iso(last.year, last.month)


def _whole(words: str, iso: str) -> DatePhrase:
    return DatePhrase(words=words, since=iso, until=iso)


def _month(rng: Random, now: date) -> DatePhrase:
    """A month without a year: the latest one that has begun."""
    month = rng.randint(1, 12)
    return _whole(MONTHS[month - 1], _iso(now.year - (month > now.month), month))


def _month_of(rng: Random, now: date) -> DatePhrase:
    month, year = rng.randint(1, 12), now.year - rng.randint(1, 6)
    return _whole(f"{MONTHS[month - 1]} {year}", _iso(year, month))


def _year(rng: Random, now: date) -> DatePhrase:
    year = now.year - rng.randint(1, 15)
    return _whole(str(year), f"{year:04}")


def _day(rng: Random, now: date) -> DatePhrase:
    day = now - timedelta(days=rng.randint(2, 300))
    return _whole(f"{day.day} {MONTHS[day.month - 1]}", day.isoformat())


def _last_month(rng: Random, now: date) -> DatePhrase:
    return _whole("last month", _before(now))


def _last_year(rng: Random, now: date) -> DatePhrase:
    return _whole("last year", f"{now.year - 1:04}")


def _yesterday(rng: Random, now: date) -> DatePhrase:
    return _whole("yesterday", (now - timedelta(days=1)).isoformat())


def _days_ago(rng: Random, now: date) -> DatePhrase:
    days = rng.randint(2, 6)
    word = ("two", "three", "four", "five", "six")[days - 2]
    return _whole(f"{word} days ago", (now - timedelta(days=days)).isoformat())


def _last_week(rng: Random, now: date) -> DatePhrase:
    monday = now - timedelta(days=now.weekday() + 7)
    sunday = monday + timedelta(days=6)
    return DatePhrase(words="last week", since=monday.isoformat(), until=sunday.isoformat())


def _since(rng: Random, now: date) -> DatePhrase:
    said = rng.choice((_month, _month_of, _year))(rng, now)
    return DatePhrase(words=f"since {said.words}", since=said.since, until="")


def _between(rng: Random, now: date) -> DatePhrase:
    first, last = sorted(rng.sample(range(1, 13), 2))
    year = now.year - rng.randint(1, 5)
    return DatePhrase(
        words=f"between {MONTHS[first - 1]} and {MONTHS[last - 1]} {year}",
        since=_iso(year, first),
        until=_iso(year, last),
    )


def _put(
    before: str, told: Callable[[Random, date], DatePhrase]
) -> Callable[[Random, date], DatePhrase]:
    def one(rng: Random, now: date) -> DatePhrase:
        said = told(rng, now)
        return DatePhrase(words=f"{before} {said.words}", since=said.since, until=said.until)

    return one


SPANS: tuple[Callable[[Random, date], DatePhrase], ...] = (
    _put("in", _month),
    _put("in", _month_of),
    _put("back in", _month),
    _put("in", _year),
    _put("on", _day),
    _last_month,
    _last_year,
    _last_week,
    _yesterday,
    _days_ago,
    _since,
    _between,
)
NAMED: tuple[tuple[re.Pattern[str], Callable[[date], str]], ...] = (
    (re.compile(r"\byesterday\b", re.I), lambda now: (now - timedelta(days=1)).isoformat()),
    (re.compile(r"\blast month\b", re.I), _before),
    (re.compile(r"\bthis month\b", re.I), lambda now: _iso(now.year, now.month)),
    (re.compile(r"\blast year\b", re.I), lambda now: f"{now.year - 1:04}"),
    (re.compile(r"\bthis year\b", re.I), lambda now: f"{now.year:04}"),
)
VAGUE = re.compile(
    r"\b(?:since|last|this|yesterday|today|tomorrow|weeks?|months?|years?|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|days?|spring|summer|autumn|winter)\b",
    re.I,
)
"""Words that already place a phrase in time."""
