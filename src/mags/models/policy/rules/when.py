"""Times in plain English, made absolute: "last May", "two weeks ago", "on 3 June"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
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
class _Span:
    first: datetime
    last: datetime
    precision: str


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>1[0-9]{3}|20[0-9]{2})"
_NUMBER = (
    r"(?P<number>\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|a couple(?: of)?|a few|several)"
)
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SHORT_DAY = r"(?P<weekday>mon|tues?|weds?|thurs?|thu|fri|sat|sun)\.?"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"


def _day(year: int, month: int, day: int) -> _Span | None:
    if not 1 < year < 9990 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    first = datetime(year, month, day, tzinfo=UTC)
    return _Span(first, first + timedelta(days=1), "day")


def _month(year: int, month: int) -> _Span:
    first = datetime(year, month, 1, tzinfo=UTC)
    return _Span(first, _shift(first, 1), "month")


def _year(year: int) -> _Span:
    return _Span(
        datetime(year, 1, 1, tzinfo=UTC),
        datetime(min(year + 1, 9999), 1, 1, tzinfo=UTC),
        "year",
    )


def _season(year: int, name: str) -> _Span:
    first = datetime(year, SEASONS[name], 1, tzinfo=UTC)
    return _Span(first, _shift(first, 3), "season")


def _shift(moment: datetime, months: int) -> datetime:
    count = moment.year * 12 + moment.month - 1 + months
    year = min(max(count // 12, 1), 9998)
    day = min(moment.day, monthrange(year, count % 12 + 1)[1])
    return moment.replace(year=year, month=count % 12 + 1, day=day)


def _today(now: datetime) -> _Span:
    first = now.replace(hour=0, minute=0, second=0, microsecond=0)
    return _Span(first, first + timedelta(days=1), "day")


def _days(now: datetime, count: int) -> _Span:
    today = _today(now)
    shift = timedelta(days=count)
    return _Span(today.first + shift, today.last + shift, "day")


def _week(now: datetime, count: int) -> _Span:
    first = _days(now, -now.weekday() + 7 * count).first
    return _Span(first, first + timedelta(days=7), "week")


def _number(word: str) -> int:
    return NUMBERS[word] if word in NUMBERS else min(int(word), 5000)


def _month_number(word: str) -> int:
    return next(i for i, name in enumerate(MONTHS, 1) if name.startswith(word[:3]))


def _moved(now: datetime, unit: str, count: int) -> _Span:
    if unit == "day":
        return _days(now, count)
    if unit == "week":
        return _week(now, count)
    if unit == "month":
        moved = _shift(now.replace(day=1), count)
        return _month(moved.year, moved.month)
    return _year(min(max(now.year + count, 1), 9998))


def _whole_date(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    month, day = _month_number(m["month"]), int(m["day"])
    if m["year"]:
        return _day(int(m["year"]), month, day)
    span = _day(now.year, month, day)
    if span and future and span.last <= now:
        return _day(now.year + 1, month, day)
    if span and not future and span.first > now:
        return _day(now.year - 1, month, day)
    return span


def _iso(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    month = int(m["number_of_month"])
    return _day(int(m["year"]), month, int(m["day"])) if 1 <= month <= 12 else None


def _month_of_year(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    month = _month_number(m["month"])
    which = m.groupdict().get("which") or ""
    if m.groupdict().get("year"):
        return _month(int(m["year"]), month)
    if which == "next" or (future and which != "last"):
        return _month(now.year + (month <= now.month if which else month < now.month), month)
    return _month(now.year - (month >= now.month if which else month > now.month), month)


def _which_unit(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}[m["which"]]
    unit = m["unit"]
    if unit == "weekend":
        first = _week(now, step).first + timedelta(days=5)
        return _Span(first, first + timedelta(days=2), "day")
    return _days(now, step) if unit == "night" else _moved(now, unit, step)


def _which_season(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
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


def _which_day(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    wanted = next(i for i, name in enumerate(DAYS) if name.startswith(m["weekday"][:3]))
    which = m.groupdict().get("which") or ""
    back = (now.weekday() - wanted) % 7
    if which == "next" or (which in {"this", "coming", ""} and future):
        return _days(now, (7 - back) if back else (7 if which == "next" else 0))
    return _days(now, -(back or (7 if which in {"last", "past"} else 0)))


def _ago(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    return _moved(now, m["unit"], -_number(m["number"]))


def _ahead(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    return _moved(now, m["unit"], _number(m["number"]))


def _named_day(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    word = m["name"]
    steps = {"yesterday": -1, "tomorrow": 1, "the day before yesterday": -2,
             "the day after tomorrow": 2, "last night": -1, "yesterday evening": -1}  # fmt: skip
    return _days(now, steps.get(word, 0))


def _only_year(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    return _year(int(m["year"]))


def _decade(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    first = _year(int(m["year"]))
    return _Span(first.first, _year(int(m["year"]) + 9).last, "decade")


_Resolver = Callable[[re.Match[str], datetime, bool], _Span | None]
_ROLE = r"(?P<role>since|until|till|before|after|by|from|as of|starting)"
_LEAD = (
    rf"(?:(?:{_ROLE}|on|in|at|during|around|about|for|early|late|mid|over|back)[\s-]+)*"
    r"(?:the\s+)?"
)
_WHICH = r"(?P<which>last|past|previous|this|next|coming)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OF_WEEK = rf"(?:{_WEEKDAY},?\s+)?"
_NAMED = (
    "(?P<name>the day before yesterday|the day after tomorrow|yesterday evening|yesterday|today"
    "|tomorrow|tonight|last night|this morning|this afternoon|this evening)"
)
_SHADE = r"(?:(?:early|late|mid)[\s-]+)?"
_HOUR = r"(?:\s+(?:morning|afternoon|evening|night))?"


def _compiled(
    rules: Sequence[tuple[str, _Resolver]], lead: str
) -> tuple[tuple[re.Pattern[str], _Resolver], ...]:
    return tuple(
        (re.compile(rf"\b{lead}{pattern}(?![\w-])", re.IGNORECASE), resolver)
        for pattern, resolver in rules
    )


_RULES = _compiled(
    (
        (r"(?P<year>\d{4})-(?P<number_of_month>\d{2})-(?P<day>\d{2})", _iso),
        (rf"{_OF_WEEK}{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?", _whole_date),
        (rf"{_OF_WEEK}{_MONTH}\s+{_DAY}(?:\s*,?\s*{_YEAR})?", _whole_date),
        (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _month_of_year),
        (_NAMED, _named_day),
        (rf"{_NUMBER}\s+{_UNIT}\s+(?:ago|back|earlier)", _ago),
        (rf"{_NUMBER}\s+{_UNIT}(?:\s+from now)", _ahead),
        (rf"(?<=in ){_NUMBER}\s+{_UNIT}(?:'s? time)?", _ahead),
        (rf"{_WHICH}\s+(?P<unit>week|weekend|month|year|night)", _which_unit),
        (rf"{_WHICH}\s+{_WEEKDAY}", _which_day),
        (rf"{_WHICH}\s+{_SHORT_DAY}", _which_day),
        (rf"{_WHICH}\s+{_MONTH}", _month_of_year),
        (rf"{_WHICH}\s+{_SEASON}", _which_season),
        (rf"{_SEASON}\s+(?:of\s+)?{_YEAR}", _which_season),
        (r"(?P<year>(?:1[0-9]|20)[0-9]0)s", _decade),
    ),
    _LEAD,
)
# These need a word before them: "2019" alone may be a number, and "May" a name.
_LED = _compiled(
    (
        (rf"(?:{_ROLE}|in|during|around|of)\s+(?:the\s+year\s+)?{_SHADE}{_YEAR}", _only_year),
        (rf"(?:{_ROLE}|in|during|around)\s+{_SHADE}{_MONTH}(?!\s+\d)", _month_of_year),
        (rf"(?:{_ROLE}|on)\s+(?:the\s+)?{_WEEKDAY}{_HOUR}", _which_day),
        (rf"(?:{_ROLE}|in)\s+(?:the\s+)?{_SEASON}", _which_season),
    ),
    "",
)


def _role(m: re.Match[str]) -> str:
    word = (m.groupdict().get("role") or "at").lower()
    return {"till": "until", "by": "until", "as of": "since",
            "starting": "since"}.get(word, word)  # fmt: skip


def _wording(span: _Span, role: str) -> str:
    first = span.first
    lead, text = "in", str(first.year)
    if span.precision == "day":
        lead, text = "on", _dated(first)
    elif span.precision == "week":
        text = f"the week of {_dated(first)}"
    elif span.precision == "month":
        text = f"{MONTHS[first.month - 1].capitalize()} {first.year}"
    elif span.precision == "season":
        name = next(name for name, month in SEASONS.items() if month == first.month)
        text = f"{name} {first.year}"
    elif span.precision == "decade":
        text = f"the {first.year}s"
    return f"{lead if role == 'at' else role} {text}"


def _dated(day: datetime) -> str:
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def times(text: str, at: float, *, future: bool = False) -> tuple[Time, ...]:
    """Return the time expressions of a text in order, none overlapping.

    `at`: now, seconds since the epoch. `future`: a date without a year is the next one, not the
    last one.
    """
    if not _MAYBE.search(text):
        return ()
    now = moment(at)
    low = text.lower()
    found: list[Time] = []
    for pattern, resolver in (*_RULES, *_LED):
        for m in pattern.finditer(low):
            if any(m.start() < t.end and t.start < m.end() for t in found):
                continue
            span = resolver(m, now, future and m.groupdict().get("role") != "since")
            if span is None or (not at and not m.groupdict().get("year")):
                continue  # with no time of its own, a turn gives relative dates no meaning
            if low.count('"', 0, m.start()) % 2:
                continue  # inside a title
            role = _role(m)
            found.append(
                Time(
                    start=m.start(),
                    end=m.end() - (low[m.end() - 1] == "."),
                    since=span.first.timestamp(),
                    until=span.last.timestamp(),
                    precision=span.precision,
                    role=role,
                    text=_wording(span, role),
                )
            )
    found.sort(key=lambda t: t.start)
    return tuple(_alone(time, found, at) for time in found)


def _alone(time: Time, found: Sequence[Time], at: float) -> Time:
    """Read "from" as a beginning only where an end is named too, or where it lies ahead."""
    if time.role != "from":
        return time
    if any(other.role == "until" for other in found):
        return replace(time, role="since", text=time.text.replace("from", "since", 1))
    if time.since > at:
        return replace(time, role="since")
    lead = "on" if time.precision == "day" else "in"
    return replace(time, role="at", text=time.text.replace("from", lead, 1))


_MAYBE = re.compile(
    r"\d|day|night|week|month|year|morning|afternoon|evening|tomorrow"
    r"|spring|summer|autumn|fall|winter"
    r"|\b(?:mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b"
    r"|\b(?:" + "|".join(name[:3] for name in MONTHS) + r")[a-z]*\b",
    re.IGNORECASE,
)


def moment(at: float) -> datetime:
    """Return a time in seconds as a datetime in UTC, kept within the years 500 to 9500."""
    return datetime.fromtimestamp(min(max(at, -46e9), 237e9), tz=UTC)
