"""Weekdays without their preposition: "I work Tuesdays and Fridays", "Mondays I swim"."""

from __future__ import annotations

import re

from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.spans import DAYS, EACH_DAY
from mags.ports.english import forms

_LIST = rf"{EACH_DAY}(?:(?:, and |, | and | & ){EACH_DAY})*"
_ONE = r"(?:" + "|".join(DAYS) + r")"
_FRONTED = re.compile(
    rf"^(?P<lead>(?:(?:and|but|so|also|oh)\b,? )*)(?P<days>{_LIST}|{_ONE})(?: (?P<part>mornings?"
    r"|afternoons?|evenings?|nights?))?,? (?=(?:I|we|she|he|they|my|our)(?:'\w+)?(?!\w))",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?P<before>[\w']+)(?P<now> now)? (?P<days>{_LIST})(?![\w'-])", re.IGNORECASE
)
_OF_DAYS = word_set(
    """be love hate like dislike prefer want need enjoy dread miss have take get keep choose pick
    mean say call suit spend fear book cancel add skip drop include change switch swap make find
    give see know"""
)
"""Verbs of which a day is the object: "I love Mondays", "he wants Wednesdays"."""


def with_days(text: str) -> str:
    """Return "I work on Tuesdays" for "I work Tuesdays", "on Mondays I swim" for "Mondays I swim".

    Weekdays stay where they may be an object or what something is called.
    """
    if "day" not in text:
        return text
    text = _FRONTED.sub(_led, text)
    return _BEHIND.sub(_placed, text)


def _led(match: re.Match[str]) -> str:
    part = f" {match['part']}" if match["part"] else ""
    return f"{match['lead']}on {match['days']}{part} "


def _placed(match: re.Match[str]) -> str:
    found = forms(match["before"].lower())
    if not found or any(base in _OF_DAYS for base, _ in found):
        return match[0]
    return f"{match['before']}{match['now'] or ''} on {match['days']}"
