"""Turns, memories and dates as a language model is shown them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from mags.ports.answer import ContextItem
from mags.ports.policy import DISPUTED, GUESS, Recalled, Turn

NOTHING = "(nothing)"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LONGEST_S = 6e10  # some 1,900 years from 1970 either way, within what a calendar holds
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
MARKUP = re.compile(r"</?\s*(?:recall|engram|route|think|thinking|links?|tool_call)\b|<\|", re.I)
"""Memory tokens, which no words of somebody may hold."""
ISO = re.compile(r"\d{4}(?:-\d\d){0,2}")
"""A date of a fact, which its own times tell as well."""
MARK = re.compile(r"\[(m\d+)\]")


def known(at: float) -> bool:
    """Whether a time is one: 0 stands for unknown, what is beyond the calendar for open."""
    return at != 0.0 and abs(at) < LONGEST_S


def date(at: float) -> str:
    """A day in words, such as "3 May 2024" (UTC); empty where unknown or open."""
    if not known(at):
        return ""
    day = EPOCH + timedelta(seconds=at)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def now(at: float) -> str:
    """A day with its weekday, such as "Friday 3 May 2024", or "unknown" at 0."""
    if not known(at):
        return "unknown"
    return f"{DAYS[(EPOCH + timedelta(seconds=at)).weekday()]} {date(at)}"


def quote(text: str) -> str:
    """Somebody's words as one line that can neither end the quote, give a mark nor a token."""
    line = " ".join(text.split())
    line = MARKUP.sub(
        lambda found: found[0].replace("<", "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"), line
    )
    return MARK.sub(r"(\1)", line)


HOUR_S = 3600.0


def just_said(turn: Turn, recent: Iterable[Turn]) -> list[Turn]:
    """Those of the turns before one that belong to it: of its session, or of the hour before it."""
    return [
        one
        for one in recent
        if (turn.session and one.session == turn.session) or abs(turn.at - one.at) <= HOUR_S
    ]


def said(turns: Iterable[Turn]) -> str:
    """Turns, one a line, with their speakers."""
    lines = [f"{quote(turn.speaker)}: {quote(turn.text)}" for turn in turns]
    return "\n".join(lines) or NOTHING


def since(at: float | None, *, weekday: bool = False) -> str:
    """The date a fact began or ended, no more precise than it can have been stated; else empty."""
    if at is None or not known(at):
        return ""
    day = EPOCH + timedelta(seconds=at)
    if (day.month, day.day) == (1, 1):
        return str(day.year)
    if day.day == 1:
        return date(at).removeprefix("1 ")
    return now(at) if weekday else date(at)


Marks = Mapping[tuple[str, str], int]
"""Ids of memories by who said them and what they say."""


def said_before(turns: Iterable[Turn], marks: Marks | None = None) -> str:
    """Turns as `said`, each day of them below its date, with the marks of those that have one."""
    return "\n".join(line for _, line in dated(turns, marks)) or NOTHING


def dated(turns: Iterable[Turn], marks: Marks | None = None) -> Iterator[tuple[Turn, str]]:
    """Each turn with its line, the first of a day with the date above it."""
    before = ""
    for turn in turns:
        day, mark = _day(turn.at), (marks or {}).get((turn.speaker, turn.text))
        line = f"{quote(turn.speaker)}: {quote(turn.text)}"
        line = line if mark is None else f"[m{mark}] {line}"
        yield turn, f"({day})\n{line}" if day and day != before else line
        before = day or before


def numbered(turns: Sequence[Turn]) -> str:
    """Turns with their numbers from 1 on, each day of them below its date."""
    lines = []
    for number, (_, line) in enumerate(dated(turns), start=1):
        day, _, said = line.rpartition("\n")
        lines.append(f"{day}\n{number}. {said}".lstrip("\n"))
    return "\n".join(lines)


def cut(text: str, characters: int) -> str:
    """A text within so many characters."""
    return text if len(text) <= characters else f"{text[: characters - 4]} ..."


def memory(shown: Recalled) -> str:
    """One memory with its mark, who said it when, whether it still holds and is a guess."""
    source = ", ".join(part for part in (quote(shown.speaker), _day(shown.at)) if part)
    about = f" ({source})" if source else ""
    more = "; ".join(_roles(shown.qualifiers.items(), shown.text))
    more = f" ({more})" if more else ""
    guess = f" {GUESS}" if shown.tentative else ""
    over = "" if shown.current else " (no longer true)"
    return f"[m{shown.id}]{about} {quote(shown.text)}{more}{guess}{over}"


def _roles(qualifiers: Iterable[tuple[str, str]], text: str) -> list[str]:
    """What stands beside a fact, but for what its text says itself."""
    return [
        f"{role}: {quote(words)}"
        for role, words in qualifiers
        if words.casefold() not in text.casefold() and not (role == "when" and ISO.fullmatch(words))
    ]


def memory_line(item: ContextItem) -> str:
    """One memory below the day it was said on: who said it, and all that is to be known of it."""
    who, mark = quote(item.speaker), f"[m{item.id}]"
    if item.kind == "episode":
        line = f"{mark} {who}: {quote(item.text)}" if who else f"{mark} {quote(item.text)}"
        about = []
    else:
        line = f"{mark} {quote(item.text)}"
        dated = known(item.valid_from or 0.0)
        about = _roles((q for q in item.qualifiers if not (dated and q[0] == "when")), item.text)
        begun = since(item.valid_from, weekday=True)
        about += [f"since {begun}"] * bool(begun) + [f"told by {who}"] * bool(who)
    over = since(item.valid_to, weekday=True)
    if not item.current:
        about.append(f"no longer true since {over}" if over else "no longer true")
    elif over:
        about.append(f"until {over}")
    marks = [GUESS] * item.tentative + [DISPUTED] * item.disputed
    return " ".join((line, *([f"({'; '.join(about)})"] if about else []), *marks))


def _day(at: float) -> str:
    return now(at) if known(at) else ""


def lines(memories: Sequence[str]) -> str:
    """Memories, one a line."""
    return "\n".join(memories) or NOTHING
