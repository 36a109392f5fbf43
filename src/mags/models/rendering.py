"""Turns, memories and dates as a language model is shown them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from mags.models.grammar import MARKUP
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


def said(turns: Iterable[Turn]) -> str:
    """Turns, one a line, with their speakers."""
    lines = [f"{quote(turn.speaker)}: {quote(turn.text)}" for turn in turns]
    return "\n".join(lines) or NOTHING


def memory(shown: Recalled | ContextItem) -> str:
    """One memory with its mark, who said it when, whether it still holds and is a guess."""
    source = ", ".join(part for part in (quote(shown.speaker), date(shown.at)) if part)
    about = f" ({source})" if source else ""
    guess = f" {GUESS}" if shown.tentative else ""
    guess += f" {DISPUTED}" if isinstance(shown, ContextItem) and shown.disputed else ""
    over = "" if shown.current else " (no longer true)"
    return f"[m{shown.id}]{about} {quote(shown.text)}{guess}{over}"


def lines(memories: Sequence[str]) -> str:
    """Memories, one a line."""
    return "\n".join(memories) or NOTHING
