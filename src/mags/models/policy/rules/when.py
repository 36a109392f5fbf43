"""Times in plain English, made absolute: "last May", "two weeks ago", "from 6 to 9 June"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from mags.models import rendering
from mags.ports.english import TO_TWELVE

MONTHS = [month.lower() for month in rendering.MONTHS]
DAYS = [day.lower() for day in rendering.DAYS]
EACH_DAY = r"(?:" + "|".join(f"{day}s" for day in DAYS) + r")"
"""A pattern of weekdays on which something is done again and again, in small letters."""
CALENDAR = re.compile(rf"\b(?:{'|'.join([*DAYS, *MONTHS])})s?\b", re.IGNORECASE)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
COUNTED = {word: number for number, word in enumerate(("zero", *TO_TWELVE.split("|")))}
_DAYS_OF = {"day": 1, "week": 7, "fortnight": 14}
_NAMED_DAYS = {"yesterday": -1, "yest": -1, "last night": -1, "yesterday evening": -1,
               "the day before yesterday": -2, "tomorrow": 1, "tmrw": 1, "tmr": 1,
               "the day after tomorrow": 2}  # fmt: skip
_FEASTS = {"christmas eve": (12, 24), "christmas": (12, 25), "boxing": (12, 26),
           "new year's eve": (12, 31), "new year's": (1, 1), "halloween": (10, 31),
           "valentine": (2, 14)}  # fmt: skip
_NUMBERS = COUNTED | {"a": 1, "an": 1, "a couple of": 2, "a couple": 2, "a few": 3, "several": 4}
_ONLY = re.compile(
    r"(?:[^\w,]|,(?!\d)|\d|\b(?:to|of|the|at|in|an?|each|per|from|around|about|sharp|past|few|till|until|instead"
    r"|now|[ap]\.?m|o'clock|noon|midnight|(?:half|quarter|hour|day|week|month|year|morning|afternoon"
    rf"|evening|night)s?|{'|'.join(COUNTED)})\b|(?<=\d)(?:st|nd|rd|th|am|pm)\b)*",
    re.IGNORECASE,
)
_HALF_A_YEAR_S = 183 * 86_400.0
_NEAR_DAYS = 100
"""How far off a weekday with the number of its day may be, where no month is named."""


def is_when(words: str) -> bool:
    """Say whether words tell but a time, a number or how often: "23rd to 27th", "at 3 pm", ""."""
    return _ONLY.fullmatch(CALENDAR.sub("0", words)) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """A time expression: its place in the text and the days it spans.

    `since`, `until`: seconds since the epoch, UTC; `until` is where the span ends (not in it).
    `precision`: day, week, month, season, year or decade. `role`: at, since, until, before or
    after. `text`: the absolute wording ("on 7 May 2023").
    """

    start: int
    end: int
    since: float
    until: float
    precision: str
    role: str
    text: str

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """First and last second of what it tells of; None where it leaves that open."""
        if self.role in {"since", "after"}:
            return self.since if self.role == "since" else self.until, None
        if self.role in {"until", "before"}:
            return None, self.since if self.role == "before" else self.until
        return self.since, self.until


@dataclass(frozen=True, slots=True)
class _Span:
    """Days from `first` to `last` (not in it), as precise as they were said."""

    first: datetime
    last: datetime
    precision: str


_Resolver = Callable[[re.Match[str], datetime, bool], _Span | None]
"""Takes a match, the time of saying, and whether a date without a year is the next one."""


def times(text: str, at: float, *, future: bool = False) -> tuple[Time, ...]:
    """Return the time expressions of a text in order, none overlapping.

    `at`: now, seconds since the epoch. `future`: a date without a year is the next one, not the
    last one.
    """
    if not _MAYBE.search(text):
        return ()
    low = text.translate(_ALIKE).lower()
    found = _ranged(low, _each(low, at, future=future))
    return tuple(_alone(time, found, at) for time in found)


def moment(at: float) -> datetime:
    """Return a time in seconds as a datetime in UTC, kept within the years 500 to 9500."""
    return datetime.fromtimestamp(min(max(at, -46e9), 237e9), tz=UTC)


def _each(text: str, at: float, *, future: bool) -> list[Time]:
    """The times of a text in lower case, each by itself."""
    now = moment(at)
    found: list[Time] = []
    for pattern, resolver in _RULES:
        for m in pattern.finditer(text):
            if any(m.start() < t.end and t.start < m.end() for t in found):
                continue
            groups = m.groupdict()
            span = resolver(m, now, future and groups.get("role") != "since")
            if span is None or (not at and not groups.get("year")):
                continue  # with no time of its own, a turn gives relative dates no meaning
            if text.count('"', 0, m.start()) % 2:
                continue  # inside a title
            role, part = groups.get("role") or "at", groups.get("part") or ""
            role = {"till": "until", "by": "until", "as of": "since", "starting": "since"}.get(
                role, role
            )
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


def _wording(span: _Span, role: str, part: str) -> str:
    first, lead = span.first, "on" if span.precision == "day" else "in"
    month = MONTHS[first.month - 1].capitalize()
    text = {
        "day": f"{first.day} {month} {first.year}",
        "week": f"the week of {first.day} {month} {first.year}",
        "month": f"{month} {first.year}",
        "decade": f"the {first.year}s",
        "season": f"{next((n for n, m in SEASONS.items() if m == first.month), '')} {first.year}",
    }.get(span.precision, str(first.year))
    if part:
        lead, text = "at", f"the {part} of {text}"
    return f"{lead if role == 'at' else role} {text}"


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


# -- days on the calendar ----------------------------------------------------------------


def _day(year: int, month: int, day: int) -> _Span | None:
    if not 1 < year < 9990 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    first = datetime(year, month, day, tzinfo=UTC)
    return _Span(first, first + timedelta(days=1), "day")


def _months(year: int, month: int, count: int, precision: str) -> _Span:
    first = datetime(year, month, 1, tzinfo=UTC)
    return _Span(first, _shift(first, count), precision)


def _year(year: int) -> _Span:
    last = datetime(min(year + 1, 9999), 1, 1, tzinfo=UTC)
    return _Span(datetime(year, 1, 1, tzinfo=UTC), last, "year")


def _shift(moment: datetime, months: int) -> datetime:
    count = moment.year * 12 + moment.month - 1 + months
    return moment.replace(year=min(max(count // 12, 1), 9998), month=count % 12 + 1)


def _days(now: datetime, shift: int, length: int = 1) -> _Span:
    first = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=shift)
    return _Span(first, first + timedelta(days=length), "day")


def _moved(now: datetime, unit: str, count: int) -> _Span:
    if unit == "day":
        return _days(now, count)
    if unit in {"week", "fortnight"}:
        shift = _DAYS_OF[unit] * count - now.weekday()
        return replace(_days(now, shift, 7), precision="week")
    if unit == "month":
        moved = _shift(now.replace(day=1), count)
        return _months(moved.year, moved.month, 1, "month")
    return _year(min(max(now.year + count, 1), 9998))


def _month_number(word: str) -> int:
    return next(i for i, name in enumerate(MONTHS, 1) if name.startswith(word[:3]))


def _date(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    return _dated(m, _month_number(m["month"]), int(m["day"]), now, future)


def _dated(m: re.Match[str], month: int, day: int, now: datetime, future: bool) -> _Span | None:
    if m["year"]:
        return _day(int(m["year"]), month, day)
    span = _day(now.year, month, day)
    if span and future and span.last <= now:
        return _day(now.year + 1, month, day)
    return _day(now.year - 1, month, day) if span and not future and span.first > now else span


def _iso(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    month = int(m["number_of_month"])
    return _day(int(m["year"]), month, int(m["day"])) if 1 <= month <= 12 else None


def _month(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    month, which = _month_number(m["month"]), m.groupdict().get("which") or ""
    if m.groupdict().get("year"):
        return _months(int(m["year"]), month, 1, "month")
    if which == "next" or (future and which != "last"):
        year = now.year + (month <= now.month if which else month < now.month)
    else:
        year = now.year - (month >= now.month if which else month > now.month)
    return _months(year, month, 1, "month")


def _unit(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "the": 0}.get(m["which"], 1)
    if m["unit"] == "weekend":
        return _days(now, -now.weekday() + 7 * step + 5, 2)
    return _days(now, step) if m["unit"] == "night" else _moved(now, m["unit"], step)


def _season(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    name, which = m["season"], m.groupdict().get("which") or ""
    if m.groupdict().get("year"):
        return _months(int(m["year"]), SEASONS[name], 3, "season")
    span = _months(now.year, SEASONS[name], 3, "season")
    last = which in {"last", "past"} and span.last > now
    if last or (not which and not future and span.first > now):
        return _months(now.year - 1, SEASONS[name], 3, "season")
    if which == "next" and span.first <= now:
        return _months(now.year + 1, SEASONS[name], 3, "season")
    return span


def _since_weekday(m: re.Match[str], now: datetime) -> int:
    """Days since the last such weekday, 0 on that day."""
    wanted = next(i for i, name in enumerate(DAYS) if name.startswith(m["weekday"][:3]))
    return (now.weekday() - wanted) % 7


def _weekday(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    which, back = m.groupdict().get("which") or "", _since_weekday(m, now)
    if which in {"next", "coming"} or (which in {"this", ""} and future):
        return _days(now, (7 - back) if back else (7 if which == "next" else 0))
    return _days(now, -(back or (7 if which in {"last", "past"} else 0)))


def _off_day(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """So long before or after a day: "a week on Friday", "Friday week", "two years ago today"."""
    told = m.groupdict()
    name, way = told.get("name") or "", told.get("way") or ""
    day = _NAMED_DAYS.get(name, 0)
    before = day < 0 or (name == "today" and not future)
    back = way in {"ago", "back"} or (before and not way)
    if told.get("weekday"):
        since = _since_weekday(m, now)
        day = -(since or 7) if back else 7 - since
    count = _number(m) if told.get("number") else 1
    return _exactly(
        now + timedelta(days=day), told.get("unit") or "week", -count if back else count
    )


def _before_last(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """Two Sundays ago, which is the Sunday before last; the week before last."""
    told = m.groupdict()
    if told.get("weekday"):
        count = _number(m) if told.get("number") else 2
        return _days(now, -(_since_weekday(m, now) or 7) - 7 * (count - 1))
    if m["unit"] == "weekend":
        return _days(now, -now.weekday() - 9, 2)
    return _moved(now, m["unit"], -2)


def _day_of(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """The 12th of next month."""
    month = _shift(now.replace(day=1), {"next": 1, "last": -1}.get(m["which"], 0))
    return _day(month.year, month.month, int(m["day"]))


def _feast(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """A feast on the same day each year."""
    month, day = next(date for name, date in _FEASTS.items() if m["feast"].startswith(name))
    return _dated(m, month, day, now, future)


def _weekday_date(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """The nearest day of a month's number that is such a weekday: "Saturday the 20th"."""
    steps = sorted(range(-_NEAR_DAYS, _NEAR_DAYS + 1), key=lambda n: (abs(n), (n < 0) == future))
    wanted, day = m["weekday"][:3], int(m["day"])
    near = (now + timedelta(days=step) for step in steps)
    found = (one for one in near if one.day == day and DAYS[one.weekday()].startswith(wanted))
    return next((_days(one, 0) for one in found), None)


def _number(m: re.Match[str]) -> int:
    return _NUMBERS[m["number"]] if m["number"] in _NUMBERS else min(int(m["number"]), 5000)


def _off(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """So many weeks or months from now; the very day only where it is said to be exact."""
    groups = m.groupdict()
    ago = groups.get("back") or groups.get("role") == "since"
    count = -_number(m) if ago else _number(m)
    if m["unit"] == "day" or not _EXACT.search(m[0]):
        return _moved(now, m["unit"], count)
    return _exactly(now, m["unit"], count)


def _exactly(day: datetime, unit: str, count: int) -> _Span | None:
    """The very day so many weeks, fortnights, months or years from a day."""
    if unit in _DAYS_OF:
        return _days(day, _DAYS_OF[unit] * count)
    month = _shift(day.replace(day=1), 12 * count if unit == "year" else count)
    return _day(month.year, month.month, min(day.day, monthrange(month.year, month.month)[1]))


def _named(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    return _days(now, _NAMED_DAYS.get(m["name"], 0))


def _only_year(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    """A year by itself: none where it counts things, or stands beside an amount.

    "A rent of 1200 a month", "it's at 1900, up from 1820".
    """
    counts = _COUNTS.match(m.string, m.end()) or _AMOUNT.search(m.string)
    return None if counts and m[0].startswith(_LOOSE) else _year(int(m["year"]))


def _decade(m: re.Match[str], now: datetime, future: bool) -> _Span | None:
    first = _year(int(m["year"]))
    return _Span(first.first, _year(int(m["year"]) + 9).last, "decade")


# -- what is said for them ---------------------------------------------------------------

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>1[0-9]{3}|20[0-9]{2})"
_OF_YEAR = rf"(?:,?\s+(?:of\s+)?{_YEAR})?"
_NUMBER = rf"(?P<number>\d+|an?|{TO_TWELVE}|a couple(?: of)?|a few|several)"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"
_FROM_NOW = r"(?:(?P<back>ago|back|earlier)|from now)"
_EXACTLY, _TO_THE_DAY = r"(?:exactly\s+)?", r"(?:,?\s+(?:exactly|to the day))?"
_EXACT = re.compile(r"exactly|to the day")
_LOOSE = ("from", "by", "of", "around")
"""What leads a year, and as well an amount."""
_AMOUNT = re.compile(r"(?:[$\u20ac\u00a3]|\b(?:at|is|now|was|pays?|paid|costs?) )\d,?\d{3}(?!\d)")
_COUNTS = re.compile(r" ?(?:[$\u20ac\u00a3%]|(?:(?:an?|per) \w+|euros?|pounds|dollars|people)\b)")
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_ROLE = r"(?P<role>since|until|till|before|after|by|from|as of|starting)"
_LEAD = (
    rf"(?:(?:{_ROLE}|on|in|at|during|around|about|for|early|late|mid|over|back)[\s-]+)*"
    r"(?:the\s+)?"
)
_WHICH = r"(?:this\s+)?(?P<which>last|past|previous|this|next|coming)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DAY_OF_MONTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_ALONE = r"(?!\s+(?!(?:at|in|on|with|and|but|for|to|i|we|he|she|they|it)\b)\w)"
"""What follows a day that is no "8th floor"."""
_OF_WEEK = rf"(?:{_WEEKDAY},?\s+)?"
_NAMED = (
    "(?P<name>the day before yesterday|the day after tomorrow|yesterday evening|yesterday|yest"
    "|today|tomorrow|tmrw|tmr|tonight|last night|this morning|this afternoon|this evening)"
)
_WAY = r"(?:(?P<way>ago|back|from|on|this|come)\s+)"
_FEAST = (
    r"(?P<feast>christmas (?:eve|day)|boxing day|new year's (?:eve|day)|halloween|valentine'?s day)"
)
_SHADE = r"(?:(?:early|late|mid)[\s-]+)?"
_PART = (
    rf"(?:(?:{_ROLE}|at|in|on|for|around|towards?)\s+)?(?:the\s+)?"
    r"(?P<part>beginning|start|middle|end)\s+of\s+"
)


def _compiled(
    rules: Sequence[tuple[str, _Resolver]], lead: str
) -> tuple[tuple[re.Pattern[str], _Resolver], ...]:
    return tuple(
        (re.compile(rf"\b{lead}{pattern}(?![\w-])", re.IGNORECASE), resolver)
        for pattern, resolver in rules
    )


# Parts first, since they hold other times: "the end of August". The last ones need a word before
# them: "2019" alone may be a number, and "May" a name.
_RULES = (
    *_compiled(
        (
            (rf"{_MONTH}{_OF_YEAR}", _month),
            (r"(?P<which>this|next|last|the)\s+(?P<unit>week|month|year)", _unit),
            (rf"(?:the\s+)?{_SEASON}(?:\s+(?:of\s+)?{_YEAR})?", _season),
            (rf"{_YEAR}", _only_year),
        ),
        _PART,
    ),
    *_compiled(
        (
            (r"(?P<year>\d{4})-(?P<number_of_month>\d{2})-(?P<day>\d{2})", _iso),
            (rf"{_OF_WEEK}{_DAY}\s+(?:of\s+)?{_MONTH}{_OF_YEAR}", _date),
            (rf"{_OF_WEEK}{_MONTH}\s+{_DAY}(?:\s*,?\s*{_YEAR})?", _date),
            (rf"{_MONTH},?\s+(?:on\s+)?the\s+{_DAY_OF_MONTH}(?:,?\s*{_YEAR})?{_ALONE}", _date),
            (rf"{_WEEKDAY},?\s+(?:the\s+)?{_DAY_OF_MONTH}", _weekday_date),
            (rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}", _month),
            (rf"{_NUMBER}\s+(?P<unit>week|fortnight)s?\s+{_WAY}{_WEEKDAY}", _off_day),
            (rf"{_NUMBER}\s+{_UNIT}\s+{_WAY}?(?P<name>today|tomorrow|yesterday)", _off_day),
            (rf"{_WEEKDAY}\s+(?:in\s+a\s+)?(?P<unit>week|fortnight)", _off_day),
            (rf"{_NUMBER}\s+{_WEEKDAY}s\s+ago", _before_last),
            (
                rf"(?:{_WEEKDAY}|(?P<unit>week|weekend|month|year))\s+before\s+last",
                _before_last,
            ),
            (rf"{_DAY_OF_MONTH}\s+(?:of\s+)?(?P<which>this|next|last)\s+month", _day_of),
            (rf"{_FEAST}{_OF_YEAR}", _feast),
            (_NAMED, _named),
            (rf"{_EXACTLY}{_NUMBER}\s+{_UNIT}\s+{_FROM_NOW}{_TO_THE_DAY}", _off),
            (rf"(?<=in ){_EXACTLY}{_NUMBER}\s+{_UNIT}(?:'s? time)?{_TO_THE_DAY}", _off),
            (rf"{_WHICH}\s+(?P<unit>week|weekend|month|year|night)", _unit),
            (rf"{_WHICH}\s+{_WEEKDAY}", _weekday),
            (rf"{_WHICH}\s+(?P<weekday>mon|tues?|weds?|thurs?|thu|fri|sat|sun)\.?", _weekday),
            (rf"{_WHICH}\s+{_MONTH}", _month),
            (rf"{_WHICH}\s+{_SEASON}", _season),
            (rf"{_SEASON}\s+(?:of\s+)?{_YEAR}", _season),
            (r"(?P<year>(?:1[0-9]|20)[0-9]0)s", _decade),
        ),
        _LEAD,
    ),
    *_compiled(
        (
            (rf"(?:{_ROLE}|in|during|around|of)\s+(?:the\s+year\s+)?{_SHADE}{_YEAR}", _only_year),
            (rf"(?:{_ROLE}|in|during|around)\s+{_SHADE}{_MONTH}(?!\s+\d)", _month),
            (
                rf"(?:{_ROLE}|on)\s+(?:the\s+)?{_WEEKDAY}"
                r"(?:\s+(?:morning|afternoon|evening|night))?",
                _weekday,
            ),
            (rf"(?:{_ROLE}|in)\s+(?:the\s+)?{_SEASON}", _season),
            (rf"(?P<role>since)\s+{_NUMBER}\s+{_UNIT}", _off),
        ),
        "",
    ),
)
_ALIKE = str.maketrans({"\u017f": "s", "\u212a": "k", "\u0130": "i", "\u0131": "i"})
"""Letters that patterns without case take for others, one for one, so that places stay."""
# A number by itself is no time: where nothing else tells of one it has to be a year.
_MAYBE = re.compile(
    r"(?<!\d)\d{4}(?!\d)|day|night|week|month|year|morning|afternoon|eve|halloween|tomorrow"
    r"|\b(?:tmrw|tmr|yest)\b"
    r"|spring|summer|autumn|fall|winter|\b(?:mon|tues?|weds?|thurs?|thu|fri|sat|sun)\b"
    r"|\b(?:" + "|".join(name[:3] for name in MONTHS) + r")[a-z]*\b",
    re.IGNORECASE,
)

# -- times with two ends -----------------------------------------------------------------

_TO = re.compile(r"\s*(?:to|till|until|through|-|\u2013|\u2014)\s*(?:the\s+)?")
_AND = re.compile(r"\s+and\s+(?:the\s+)?")
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$")
_SHORT = re.compile(
    r"(?:\b(?P<lead>from|between)\s+)?(?:\bthe\s+)?\b(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    r"(?P<by>\s*(?:to|till|until|through|and|-|\u2013)\s*)(?:the\s+)?$"
)
"""The days before "9 June" that borrow its month: "from 6 to", "6-"."""


def _ranged(low: str, found: Sequence[Time]) -> list[Time]:
    """Return times with those that bound one another told as beginning and end.

    A beginning is never after its end: "from 1 March to 5 April", said on 10 March, began this
    year.
    """
    times = [one for time in found for one in _borrowed(low, time, found)]
    for i, (first, last) in enumerate(pairwise(times)):
        if _joined(low, first, last):
            times[i] = _begun(low, first, last)
            bare = last.text.split(" ", 1)[-1]
            times[i + 1] = replace(last, start=first.end, role="until", text=f"until {bare}")
    return times


def _joined(low: str, first: Time, last: Time) -> bool:
    """Say whether two times are the ends of one."""
    gap = low[first.end : last.start]
    if first.role == "from":
        joins = last.role == "at" and _TO.fullmatch(gap) is not None
        return joins or (last.role == "until" and not gap.strip())
    between = _BETWEEN.search(low[: first.start]) is not None
    return between and last.role == "at" and _AND.fullmatch(gap) is not None


def _begun(low: str, first: Time, last: Time) -> Time:
    led = _BETWEEN.search(low[: first.start]) if first.role == "at" else None
    if first.since > last.since:
        before = _each(low[first.start : first.end], last.since, future=False)
        first = replace(before[0], start=first.start, end=first.end) if before else first
    start = led.start() if led else first.start
    return replace(first, start=start, role="from", text=f"from {first.text.split(' ', 1)[-1]}")


def _borrowed(low: str, time: Time, found: Sequence[Time]) -> list[Time]:
    """Return "6" of "from 6 to 9 June" as 6 June before the time that it borrows from."""
    if time.precision != "day" or time.role not in {"at", "until"}:
        return [time]
    said = low[time.start : time.end]
    start = re.search(r"\d|$", said)
    match = _SHORT.search(low[: time.start + (start.start() if start else 0)])
    month = next((m for m in MONTHS if m[:3] in said), "")
    clear = match and all(t.end <= match.start() or t.start >= time.start for t in found)
    paired = match and (match["by"].strip() == "and") == (match["lead"] == "between")
    if match is None or not (month and clear and paired):
        return [time]
    day = _each(f"from {match['day']} {month}", time.until, future=False)
    if not day or not 0 < time.since - day[0].since < _HALF_A_YEAR_S:
        return [time]
    text = f"until {time.text.split(' ', 1)[-1]}"
    return [
        replace(day[0], start=match.start(), end=match.start("by"), role="from"),
        replace(time, start=match.start("by"), role="until", text=text),
    ]


# -- dates that a turn names ---------------------------------------------------

_MONTHS = "|".join(MONTHS)
_BARE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{_MONTHS})|(?:{_MONTHS})(?: (?:1[89]|20)\d\d)?|(?:1[89]|20)\d\d)\b", re.I
)
_BETWEEN_MONTHS = re.compile(rf"\bbetween ({_MONTHS}) and ({_MONTHS}) ((?:1[89]|20)\d\d)\b", re.I)


class DateMention(NamedTuple):
    """A date in a text: its characters, and its first and last second (None where open)."""

    start: int
    end: int
    since: float | None
    until: float | None


def date_mentions(text: str, at: float) -> tuple[DateMention, ...]:
    """The dates of a text in order, none overlapping. `at`: now, in seconds since the epoch."""
    found: list[DateMention] = []
    for one in _all(text, at):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.start))


def _all(text: str, at: float) -> Iterator[DateMention]:
    for match in _BETWEEN_MONTHS.finditer(text):
        first, last = (times(f"in {match[n]} {match[3]}", at) for n in (1, 2))
        if first and last:
            yield DateMention(match.start(), match.end(), first[0].since, last[0].until)
    for time in times(text, at):
        yield DateMention(time.start, time.end, *time.bounds)
    for match in _BARE.finditer(text):
        for time in times(f"in {match[0]}", at)[:1]:
            yield DateMention(match.start(), match.end(), *time.bounds)
