"""Lines of plain text taken apart: the day in front, who speaks, words, and days named inside.

Days are counted as `date.toordinal` does, or as the number in "day 12": the two are never
compared with one another (see `APART`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from mags.caches import cached
from mags.index.tokens import STOP_WORDS, fold, stem

DATE = "date"
"""The word that stands for a day named in a text."""
APART = 200_000
"""Counted days ("day 12") are below; days of the calendar are above."""
LONGEST = 40
"""Words of a piece; a longer line is cut at the ends of its sentences, or here."""

_MONTHS = {
    name: place + 1
    for place, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
    )
}
_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = re.compile(
    r"\b(?:(?P<y1>\d{4})-(?P<m1>\d\d)-(?P<d1>\d\d)(?:[T ]\d\d:\d\d(?::\d\d)?)?"
    rf"|(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('m2')}\b"
    r"(?:,?\s+(?P<y2>\d{4}))?"
    rf"|{_MONTH.format('m3')}\.?\s+(?:the\s+)?(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b"
    r"(?:,?\s+(?P<y3>\d{4}))?"
    r"|day\s+(?P<n>\d{1,6})\b)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\bfor (?:the next )?(?P<n>\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a|an) "
    r"(?P<unit>days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_COUNTS = {
    word: count
    for count, word in enumerate(
        ("a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
} | {"a": 1, "an": 1, "twelve": 12}
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}
_FRONT = re.compile(r"^\s*\[([^\]]{1,40})\]\s*")
_SPEAKER = re.compile(r"^([^\W\d_][\w'.-]*(?: [\w'.-]+){0,3}):\s+")
_WORD = re.compile(r"\x00\d+\x00|[^\W_]+|[.;:?!]")
_STOPS = STOP_WORDS | {"'s", "s"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word as the reader sees it. `term`: by which it is the same as another, "" for words that
    tie nothing together; `day`: of a day named; `said`: part of the name of who speaks.
    """

    word: str
    term: str
    capital: bool = False
    said: bool = False
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A line, a question or an action in words. `day`: the one in front, `line`: its place."""

    line: int
    tokens: tuple[Token, ...]
    day: int | None = None

    @property
    def days(self) -> Iterator[int]:
        """The days it names."""
        return (token.day for token in self.tokens if token.day is not None)


@cached(20_000)
def pieces(text: str, near: int | None = None) -> tuple[Piece, ...]:
    """A text in pieces of at most `LONGEST` words, `line` 0. `near`: a day whose year is meant
    where none is named.
    """
    day, rest = _front(text)
    speaker = _SPEAKER.match(rest)
    said: tuple[Token, ...] = ()
    if speaker:
        said = (*_tokens(speaker[1], near, said=True), Token(":", ""))
        rest = rest[speaker.end() :]
    tokens = list(_tokens(rest, day if day is not None else near, from_day=day))
    return tuple(Piece(line=0, tokens=(*said, *part), day=day) for part in _parts(tokens) or [[]])


def _front(text: str) -> tuple[int | None, str]:
    front = _FRONT.match(text)
    if front is None:
        return None, text
    found = _DAY.search(front[1])
    day = _day(found, None) if found else None
    return (day, text[front.end() :]) if day is not None else (None, text)


def _tokens(
    text: str, near: int | None, *, said: bool = False, from_day: int | None = None
) -> Iterator[Token]:
    days: list[int] = []

    def put(day: int | None, words: str) -> str:
        if day is None:
            return words
        days.append(day)
        return f" \x00{len(days) - 1}\x00 "

    marked = _DAY.sub(lambda m: put(_day(m, near), m[0]), text)
    if from_day is not None:
        marked = _SPAN.sub(lambda m: f"until {put(from_day + _length(m), '')}", marked)
    for found in _WORD.finditer(marked.replace("\u2019", "'")):
        word = found[0]
        if word[0] == "\x00":
            yield Token(DATE, "", day=days[int(word[1:-1])])
            continue
        plain = fold(word)
        yield Token(plain, term_of(plain), capital=word[0].isupper(), said=said)


@cached(50_000)
def term_of(word: str) -> str:
    """What a folded word has in common with its other forms; "" for a stop word or a mark."""
    return "" if word in _STOPS or not word[0].isalnum() else stem(word)


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """Whole sentences as far as they fit."""
    parts: list[list[Token]] = []
    rest = list(tokens)
    while len(rest) > LONGEST:
        ends = [p + 1 for p in range(LONGEST) if rest[p].word in ".;!?"]
        cut = ends[-1] if ends else LONGEST
        parts.append(rest[:cut])
        rest = rest[cut:]
    if rest:
        parts.append(rest)
    return parts


def _day(found: re.Match[str], near: int | None) -> int | None:
    if found["n"]:
        return int(found["n"])
    for which in ("1", "2", "3"):
        if found[f"d{which}"]:
            month = found[f"m{which}"]
            number = int(month) if month.isdigit() else _MONTHS[month[:3].lower()]
            return _nearest(found[f"y{which}"], number, int(found[f"d{which}"]), near)
    return None


def _nearest(year: str | None, month: int, day: int, near: int | None) -> int | None:
    """The day; without a year, the one nearest to `near`."""
    if year:
        return _ordinal(int(year), month, day)
    if near is None or near < APART:
        return None
    about = date.fromordinal(near).year
    days = [_ordinal(y, month, day) for y in (about - 1, about, about + 1) if 1 <= y <= 9999]
    known = [d for d in days if d is not None]
    return min(known, key=lambda d: abs(d - near), default=None)


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def _length(found: re.Match[str]) -> int:
    count = found["n"].lower()
    number = int(count) if count.isdigit() else _COUNTS[count]
    return number * _UNITS[found["unit"].lower().rstrip("s")]
