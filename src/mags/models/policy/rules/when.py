"""Times in plain English, made absolute: "last May", "two weeks ago", "on 3 June"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from mags.models.policy.rules.ranges import ranged
from mags.models.policy.rules.spans import (
    MONTHS,
    SEASONS,
    Span,
    Time,
    ago,
    ahead,
    decade,
    iso,
    month_of_year,
    named_day,
    only_year,
    which_day,
    which_season,
    which_unit,
    whole_date,
)

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


_Resolver = Callable[[re.Match[str], datetime, bool], Span | None]
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


_PART = (
    rf"(?:(?:{_ROLE}|at|in|on|for|around|towards?)\s+)?(?:the\s+)?"
    r"(?P<part>beginning|start|middle|end)\s+of\s+"
)
# First, since they hold other times: "the end of August".
_PARTS = _compiled(
    (
        (rf"{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?", month_of_year),
        (r"(?P<which>this|next|last|the)\s+(?P<unit>week|month|year)", which_unit),
        (rf"(?:the\s+)?{_SEASON}(?:\s+(?:of\s+)?{_YEAR})?", which_season),
        (rf"{_YEAR}", only_year),
    ),
    _PART,
)
_RULES = _compiled(
    (
        (r"(?P<year>\d{4})-(?P<number_of_month>\d{2})-(?P<day>\d{2})", iso),
        (rf"{_OF_WEEK}{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+(?:of\s+)?{_YEAR})?", whole_date),
        (rf"{_OF_WEEK}{_MONTH}\s+{_DAY}(?:\s*,?\s*{_YEAR})?", whole_date),
        (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", month_of_year),
        (_NAMED, named_day),
        (rf"{_NUMBER}\s+{_UNIT}\s+(?:ago|back|earlier)", ago),
        (rf"{_NUMBER}\s+{_UNIT}(?:\s+from now)", ahead),
        (rf"(?<=in ){_NUMBER}\s+{_UNIT}(?:'s? time)?", ahead),
        (rf"{_WHICH}\s+(?P<unit>week|weekend|month|year|night)", which_unit),
        (rf"{_WHICH}\s+{_WEEKDAY}", which_day),
        (rf"{_WHICH}\s+{_SHORT_DAY}", which_day),
        (rf"{_WHICH}\s+{_MONTH}", month_of_year),
        (rf"{_WHICH}\s+{_SEASON}", which_season),
        (rf"{_SEASON}\s+(?:of\s+)?{_YEAR}", which_season),
        (r"(?P<year>(?:1[0-9]|20)[0-9]0)s", decade),
    ),
    _LEAD,
)
# These need a word before them: "2019" alone may be a number, and "May" a name.
_LED = _compiled(
    (
        (rf"(?:{_ROLE}|in|during|around|of)\s+(?:the\s+year\s+)?{_SHADE}{_YEAR}", only_year),
        (rf"(?:{_ROLE}|in|during|around)\s+{_SHADE}{_MONTH}(?!\s+\d)", month_of_year),
        (rf"(?:{_ROLE}|on)\s+(?:the\s+)?{_WEEKDAY}{_HOUR}", which_day),
        (rf"(?:{_ROLE}|in)\s+(?:the\s+)?{_SEASON}", which_season),
    ),
    "",
)


def _role(m: re.Match[str]) -> str:
    word = (m.groupdict().get("role") or "at").lower()
    return {"till": "until", "by": "until", "as of": "since",
            "starting": "since"}.get(word, word)  # fmt: skip


def _wording(span: Span, role: str, part: str = "") -> str:
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
    if part:
        lead, text = "at", f"the {part} of {text}"
    return f"{lead if role == 'at' else role} {text}"


def _dated(day: datetime) -> str:
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


_ALIKE = str.maketrans({"\u017f": "s", "\u212a": "k", "\u0130": "i", "\u0131": "i"})
"""Letters that patterns without case take for others, one for one, so that places stay."""


def times(text: str, at: float, *, future: bool = False) -> tuple[Time, ...]:
    """Return the time expressions of a text in order, none overlapping.

    `at`: now, seconds since the epoch. `future`: a date without a year is the next one, not the
    last one.
    """
    if not _MAYBE.search(text):
        return ()
    low = text.translate(_ALIKE).lower()
    found = ranged(low, _each(low, at, future=future), _each)
    return tuple(_alone(time, found, at) for time in found)


def _each(text: str, at: float, *, future: bool) -> list[Time]:
    """The times of a text in lower case, each by itself."""
    now = moment(at)
    found: list[Time] = []
    for pattern, resolver in (*_PARTS, *_RULES, *_LED):
        for m in pattern.finditer(text):
            if any(m.start() < t.end and t.start < m.end() for t in found):
                continue
            span = resolver(m, now, future and m.groupdict().get("role") != "since")
            if span is None or (not at and not m.groupdict().get("year")):
                continue  # with no time of its own, a turn gives relative dates no meaning
            if text.count('"', 0, m.start()) % 2:
                continue  # inside a title
            role, part = _role(m), m.groupdict().get("part") or ""
            ends = part == "end" and role in {"until", "before"}
            found.append(
                Time(
                    start=m.start(),
                    end=m.end() - (text[m.end() - 1] == "."),
                    since=(span.last if ends else span.first).timestamp(),
                    until=span.last.timestamp(),
                    precision=span.precision,
                    role=role,
                    text=_wording(span, role, part),
                )
            )
    return sorted(found, key=lambda t: t.start)


def _alone(time: Time, found: Sequence[Time], at: float) -> Time:
    """Read "from" as a beginning only where an end is named too, or what is not over yet."""
    if time.role != "from":
        return time
    if any(other.role == "until" for other in found):
        return replace(time, role="since", text=time.text.replace("from", "since", 1))
    if time.until > at:
        return replace(time, role="since")
    lead = "on" if time.precision == "day" else "in"
    return replace(time, role="at", text=time.text.replace("from", lead, 1))


# A number by itself is no time: where nothing else tells of one it has to be a year.
_MAYBE = re.compile(
    r"(?<!\d)\d{4}(?!\d)|day|night|week|month|year|morning|afternoon|evening|tomorrow"
    r"|spring|summer|autumn|fall|winter"
    r"|\b(?:mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b"
    r"|\b(?:" + "|".join(name[:3] for name in MONTHS) + r")[a-z]*\b",
    re.IGNORECASE,
)


def moment(at: float) -> datetime:
    """Return a time in seconds as a datetime in UTC, kept within the years 500 to 9500."""
    return datetime.fromtimestamp(min(max(at, -46e9), 237e9), tz=UTC)
