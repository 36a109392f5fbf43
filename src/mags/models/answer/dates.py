"""The day that a memory tells of: "last Saturday", said on 25 May, is 20 May.

Times are read by `mags.models.policy.rules.when`; here a text is put as it reads them first, and of
several times the one nearest to the words asked for is told, with no more than was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from mags.models import rendering
from mags.models.answer.question import PAST_TENSE
from mags.models.policy.rules.tokens import WORD, stems
from mags.models.policy.rules.when import DAYS, MONTHS, Time, moment, times
from mags.ports.english import TENS, TO_TWELVE

_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth"),
)
_TENS = {"twenty": 20, "thirty": 30, "": 0}
_ORDINAL = rf"(?:(?P<ten>twenty|thirty)[- ])?(?P<one>{'|'.join(_ORDINALS)}|thirtieth)"
_MONTH = "|".join(name[:3] for name in MONTHS)
_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_WEEKDAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days(?! ago)"
_COUNT = (
    rf"(?:an?|{TO_TWELVE}|\w+teen|(?:{TENS})(?:-\w+)?|a couple of|a few|several|half an?"
    r"|\d+(?:[.,]\d)?)"
)
_HOUR = (
    r"(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?|\d{1,2} o'clock"
    r"|half past \w+|quarter (?:past|to) \w+|noon|midnight"
    rf"|(?<=at )(?:\d{{1,2}}|{TO_TWELVE})\b)"
)
_EACH = re.compile(
    rf"\b(?:every (?:other |second )?(?:{_WEEKDAY}|day|morning|evening|night|week|month|year)s?"
    rf"|(?:on )?{_WEEKDAYS}(?:(?:,| and|, and| &) (?:on )?{_WEEKDAYS})*"
    r"|(?:once|twice|\w+ times) (?:a|every|per) (?:day|week|month|year)|daily|weekly|monthly)\b"
    rf"(?:,?(?: at| from)? {_HOUR})?",
    re.I,
)
"""What tells when something is done again and again."""
_LASTING = re.compile(
    rf"\b(?!an? )(?P<long>(?:about |over |almost |nearly )?{_COUNT}(?:[- ](?:and a half )?)"
    r"(?:hour|day|night|week|month|year|yr|hr|wk|min|minute|decade)s?)\b(?! (?:ago|old|later))",
    re.I,
)
_AGE_SINCE = re.compile(
    r"\bsince (?:childhood|birth|school|college|university"
    r"|(?:i|he|she|we|they)(?: was| were|'s) (?:about )?(?:\w+ years? (?:old|of age)|[\w-]+)"
    r"|(?:the )?\w+ grade)\b",
    re.I,
)
_HOW_LONG = re.compile(r"\bhow (?:long|many (?:years|months|weeks|days))\b", re.I)
_TIME_OF_DAY = re.compile(r"\b(?:what time|what hour|how late|how early)\b", re.I)
_DAY_ASKED = re.compile(r"\b(?:what|which) (?:day|date|year|month)\b", re.I)
"""What asks for a day, which no time of the day is."""
_SHORT = {"wk": "week", "wks": "weeks", "yr": "year", "yrs": "years"}
_NEAR_S = 20 * 86_400.0
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A time in words, and where it stands."""

    words: str
    start: int
    begins: bool = False


def day_told(question: str, text: str, at: float, asked: frozenset[str] = frozenset()) -> str:
    """Return when something was, is or will be, by a text said at a time; "" where untold.

    `asked`: stems of what is asked for.
    """
    if _TIME_OF_DAY.search(question):
        return _nearest(_hours(text), text, asked)
    past = PAST_TENSE.search(question) is not None
    each = [_Found(words=m[0].strip(), start=m.start()) for m in _EACH.finditer(text)]
    weekly = [one for one in each if re.search(_WEEKDAY, one.words, re.I)]
    if weekly and not past:
        return _nearest(weekly, text, asked)
    plain = plainly(text, at, future=not past)
    days = _nearest(_told(plain, at, future=not past), plain, asked)
    hours = () if _DAY_ASKED.search(question) else _hours(text)
    return days or _nearest(each, text, asked) or _nearest(hours, text, asked)


def since_told(question: str, text: str, at: float, asked: frozenset[str] = frozenset()) -> str:
    """Return since when or how long something is so, by a text said at a time; "" where untold."""
    long = [_Found(words=m["long"].strip(), start=m.start()) for m in _LASTING.finditer(text)]
    if long and _HOW_LONG.search(question):
        return _nearest(long, text, asked)
    grown = _AGE_SINCE.search(text)
    if grown is not None:
        return grown[0]
    plain = plainly(text, at, future=False)
    if long:  # "two years today": since then, not since today; and so "I have been for two years"
        words = re.escape(long[-1].words)
        plain = re.sub(rf"(?<={words}) today\b", " ago", plain, flags=re.I)
        plain = re.sub(rf"\b(?i:have|has|'ve)\b(.*) for ({words})", r"\1 \2 ago", plain)
    found = list(_told(plain, at, future=False))
    begun = _nearest([one for one in found if one.begins] or found, plain, asked)
    return f"since {begun}" if begun else f"for {long[0].words}" if len(long) == 1 else ""


def _nearest(found: Iterable[_Found], text: str, asked: frozenset[str]) -> str:
    """The time that stands nearest to a word asked for; "" where none or two are as near."""
    known = {one.words: one for one in found}
    if len(known) < 2:
        return next(iter(known), "")
    places = [m.start() for m in WORD.finditer(text) if stems(m[0]) & asked]
    if not places:
        return ""
    ordered = sorted(min(abs(p - one.start) for p in places) for one in known.values())
    best = min(known.values(), key=lambda one: min(abs(p - one.start) for p in places))
    return "" if ordered[0] == ordered[1] else best.words


def _hours(text: str) -> Iterator[_Found]:
    """The times of day in a text."""
    return (_Found(words=m[0], start=m.start()) for m in re.finditer(_HOUR, text, re.I))


def _told(plain: str, at: float, *, future: bool) -> Iterator[_Found]:
    for time in nearest_times(plain, at, future=future):
        yield _Found(words=_worded(time), start=time.start, begins=time.role == "since")


def nearest_times(plain: str, at: float, *, future: bool = False) -> Iterator[Time]:
    """The times of a text; of what is over a date without its year is the one nearest to then.

    `plain`: the text as `plainly` puts it.
    """
    either = zip(times(plain, at, future=False), times(plain, at, future=True), strict=False)
    for before, after in either:
        wide = abs(after.since - before.since) > _NEAR_S
        near = min((before, after), key=lambda one: abs(one.since - at))
        yield after if future else near if wide else before


def plainly(text: str, at: float, *, future: bool) -> str:
    """A text with ordinals in figures, weekdays and days of a month as `times` reads them."""
    past = PAST_TENSE.search(text) is not None
    text = re.sub(r"\b(?:wk|yr)s?\b", lambda m: _SHORT[m[0].lower()], text, flags=re.I)
    text = re.sub(rf"\b{_ORDINAL}\b(?= of (?:{_MONTH}))", _figure, text, flags=re.I)
    text = re.sub(
        rf"\bthe {_ORDINAL}(?=[\s,.;!?]*(?:$|[.,;!?]|at\b|in the))",
        lambda m: f"the {_figure(m)}th",
        text,
        flags=re.I,
    )
    text = re.sub(
        rf"\b(?:(?P<week>{_WEEKDAY}),? )?the (?P<day>\d{{1,2}})(?:st|nd|rd|th)\b"
        rf"(?! (?:of|{_MONTH}|time|year|century|floor))",
        lambda m: (
            f"{_weekday(m['week'])} the {m['day']}th"
            if m["week"]
            else _day_of_month(int(m["day"]), at, future=future, past=past) or m[0]
        ),
        text,
        flags=re.I,
    )
    text = re.sub(
        rf"\b({_COUNT} (?:day|week|month|year)s?) since (?=I|we|he|she|they)", r"\1 ago ", text
    )
    # "Three weeks today": that day in three weeks, or three weeks back where what was is asked.
    day = "today" if future else f"(?:today|tomorrow|(?:this|next|on) {_WEEKDAY})"
    text = re.sub(
        rf"\b(?:in )?({_COUNT} (?:week|month|year)s?) {day}\b",
        r"in \1 exactly" if future else r"\1 ago",
        text,
        flags=re.I,
    )
    return re.sub(
        r"(?P<lead>\b(?:last|next|this|coming|past|previous|on|since|until|till|by|before|after"
        rf"|every|from|and)\s+)?\b(?P<day>{_WEEKDAY})\b(?! ?\d+(?![\d:.]* ?[ap]\.?m|:)| the \d"
        rf"|,? (?:{_MONTH})\w* \d|\w)",
        lambda m: f"{m['lead'] or 'on '}{_weekday(m['day'])}",
        text,
        flags=re.I,
    )


def _figure(found: re.Match[str]) -> str:
    one = found["one"].lower()
    number = 30 if one == "thirtieth" else _ORDINALS.index(one) + 1
    return str(_TENS[(found["ten"] or "").lower()] + number)


def _day_of_month(day: int, at: float, *, future: bool, past: bool) -> str:
    """The date of "the 20th"; "" where the calendar has none near.

    Of what is asked for as past, and was not told as past, the nearest is meant, before or after.
    """
    now = moment(at)
    days = range(0 if future else -61, 1 if past and not future else 62)
    steps = sorted(days, key=abs)
    found = (now + timedelta(days=step) for step in steps)
    return next((f"on {one:%Y-%m-%d}" for one in found if one.day == day), "")


def _weekday(word: str) -> str:
    return next((day for day in DAYS if day.startswith(word[:3].lower())), word)


def _worded(time: Time) -> str:
    """A time in words, with nothing before it: "20 May 2023"."""
    if time.precision == "day" and time.until - time.since > 1.5 * _DAY_S:
        return f"{rendering.date(time.since)} to {rendering.date(time.until - _DAY_S)}"
    return re.sub(r"^(?:on|in|at|since|until|before|after) ", "", time.text)
