"""Days on the calendar that words stand for: "3 June", "last May", "two weeks ago"."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mags.models import rendering

MONTHS = [month.lower() for month in rendering.MONTHS]
DAYS = [day.lower() for day in rendering.DAYS]
EACH_DAY = r"(?:" + "|".join(f"{day}s" for day in DAYS) + r")"
"""A pattern of weekdays on which something is done again and again, in small letters."""
YEAR_S = 366 * 86_400.0
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
COUNTED = {
    word: i
    for i, word in enumerate(
        [
            "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve",
        ]
    )
}  # fmt: skip
NUMBERS = COUNTED | {"a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a few": 3, "several": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A time expression: its place in the text and the days it spans.

    `since`, `until`: seconds since the epoch, UTC; `until` is where the span ends (not in it).
    `precision`: day, week, month, season or year. `role`: at, since, until, before or after.
    `text`: the absolute wording ("on 7 May 2023").
    """

    start: int
    end: int
    since: float
    until: float
    precision: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last` (not in it), as precise as they were said."""

    first: datetime
    last: datetime
    precision: str


def _day(year: int, month: int, day: int) -> Span | None:
    if not 1 < year < 9990 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    first = datetime(year, month, day, tzinfo=UTC)
    return Span(first, first + timedelta(days=1), "day")


def _month(year: int, month: int) -> Span:
    first = datetime(year, month, 1, tzinfo=UTC)
    return Span(first, _shift(first, 1), "month")


def _year(year: int) -> Span:
    return Span(
        datetime(year, 1, 1, tzinfo=UTC),
        datetime(min(year + 1, 9999), 1, 1, tzinfo=UTC),
        "year",
    )


def _season(year: int, name: str) -> Span:
    first = datetime(year, SEASONS[name], 1, tzinfo=UTC)
    return Span(first, _shift(first, 3), "season")


def _shift(moment: datetime, months: int) -> datetime:
    count = moment.year * 12 + moment.month - 1 + months
    year = min(max(count // 12, 1), 9998)
    day = min(moment.day, monthrange(year, count % 12 + 1)[1])
    return moment.replace(year=year, month=count % 12 + 1, day=day)


def _today(now: datetime) -> Span:
    first = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return Span(first, first + timedelta(days=1), "day")


def _days(now: datetime, count: int) -> Span:
    today = _today(now)
    shift = timedelta(days=count)
    return Span(today.first + shift, today.last + shift, "day")


def _week(now: datetime, count: int) -> Span:
    first = _days(now, -now.weekday() + 7 * count).first
    return Span(first, first + timedelta(days=7), "week")


def _number(word: str) -> int:
    return NUMBERS[word] if word in NUMBERS else min(int(word), 5000)


def _month_number(word: str) -> int:
    return next(i for i, name in enumerate(MONTHS, 1) if name.startswith(word[:3]))


def _moved(now: datetime, unit: str, count: int) -> Span:
    if unit == "day":
        return _days(now, count)
    if unit == "week":
        return _week(now, count)
    if unit == "month":
        moved = _shift(now.replace(day=1), count)
        return _month(moved.year, moved.month)
    return _year(min(max(now.year + count, 1), 9998))


def whole_date(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the day of "3 June (2025)"."""
    month, day = _month_number(m["month"]), int(m["day"])
    if m["year"]:
        return _day(int(m["year"]), month, day)
    span = _day(now.year, month, day)
    if span and future and span.last <= now:
        return _day(now.year + 1, month, day)
    if span and not future and span.first > now:
        return _day(now.year - 1, month, day)
    return span


def iso(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the day of "2025-06-03"."""
    month = int(m["number_of_month"])
    return _day(int(m["year"]), month, int(m["day"])) if 1 <= month <= 12 else None


def month_of_year(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the month of "June (2025)", "last June"."""
    month = _month_number(m["month"])
    which = m.groupdict().get("which") or ""
    if m.groupdict().get("year"):
        return _month(int(m["year"]), month)
    if which == "next" or (future and which != "last"):
        return _month(now.year + (month <= now.month if which else month < now.month), month)
    return _month(now.year - (month >= now.month if which else month > now.month), month)


def which_unit(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the week, month, year or night of "next week"."""
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "the": 0, "next": 1, "coming": 1}[
        m["which"]
    ]
    unit = m["unit"]
    if unit == "weekend":
        first = _week(now, step).first + timedelta(days=5)
        return Span(first, first + timedelta(days=2), "day")
    return _days(now, step) if unit == "night" else _moved(now, unit, step)


def which_season(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the season of "last summer", "spring 2024"."""
    name, which = m["season"], m.groupdict().get("which") or ""
    if m.groupdict().get("year"):
        return _season(int(m["year"]), name)
    span = _season(now.year, name)
    if (which in {"last", "past"} and span.last > now) or (
        not which and not future and span.first > now
    ):
        return _season(now.year - 1, name)
    if which == "next" and span.first <= now:
        return _season(now.year + 1, name)
    return span


def which_day(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the day of "Friday", "next Friday"."""
    wanted = next(i for i, name in enumerate(DAYS) if name.startswith(m["weekday"][:3]))
    which = m.groupdict().get("which") or ""
    back = (now.weekday() - wanted) % 7
    if which == "next" or (which in {"this", "coming", ""} and future):
        return _days(now, (7 - back) if back else (7 if which == "next" else 0))
    return _days(now, -(back or (7 if which in {"last", "past"} else 0)))


def ago(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return what lies "two weeks ago"."""
    return _moved(now, m["unit"], -_number(m["number"]))


def ahead(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return what lies "in two weeks"."""
    return _moved(now, m["unit"], _number(m["number"]))


def named_day(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the day of "yesterday"."""
    word = m["name"]
    steps = {"yesterday": -1, "tomorrow": 1, "the day before yesterday": -2,
             "the day after tomorrow": 2, "last night": -1, "yesterday evening": -1}  # fmt: skip
    return _days(now, steps.get(word, 0))


def only_year(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the year of "in 2019"."""
    return _year(int(m["year"]))


def decade(m: re.Match[str], now: datetime, future: bool) -> Span | None:
    """Return the ten years of "the 1980s"."""
    first = _year(int(m["year"]))
    return Span(first.first, _year(int(m["year"]) + 9).last, "decade")
