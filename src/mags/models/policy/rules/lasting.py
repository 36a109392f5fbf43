"""How long a statement says that it holds: "for ten days", "until the moon of Pell rises"."""

from __future__ import annotations

import re

from mags.models.policy.rules.lexicon import BE, FUNCTION_WORDS
from mags.models.policy.rules.tokens import tokenise
from mags.models.policy.rules.when import times
from mags.ports.inflection import forms

YEAR_S = 366 * 86_400.0
"""What is to hold until something happens is not held to be so for longer."""
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty
"""
_COUNTS = _NUMBERS.split()
_LASTS = re.compile(
    r"\b(?:(?:for|during)(?: the)?(?: next| coming| following| no more than| at most| exactly"
    r"| just| only| a period of| a mere| no longer than)?"
    r"|(?:over|in|within) the (?:next|coming|following)"
    r"|until(?= [\w-]+ \w+ have passed)) "
    rf"(\d+|{'|'.join(_COUNTS)}) (day|week|hour)s?\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:has|have(?! passed)|had|was|were|ago)\b", re.IGNORECASE)
_SECONDS = {"hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_COMING = re.compile(r"\b(?:next|coming|following)\b", re.IGNORECASE)
_UNTIL = re.compile(
    r"\b(?:until|till|as long as|so long as|up to"
    r"|before(?= [^,;:.!?]+\b(?:rises|comes up|is up)\b)) (?P<event>[^,;:.!?]+)",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:(?:is|comes|goes|stands) up|(?:is|stands) (?:not )?in the sky)\b", re.IGNORECASE
)
"""Other words for what rises, as the moon does."""
_AWAITED = frozenset({"wait", "expect"})


def lasting(text: str, at: float) -> tuple[float | None, dict[str, str]]:
    """When a statement is said to be over, and the qualifier that says until what.

    That is in the names and the verbs of what is to happen.
    """
    lasts = _LASTS.search(text)
    if lasts and (_COMING.search(lasts[0]) or not _SINCE.search(text)):
        count = int(lasts[1]) if lasts[1].isdigit() else _COUNTS.index(lasts[1].lower()) + 1
        return at + count * _SECONDS[lasts[2].lower()], {}
    end = next((t.since for t in times(text, at, future=True) if t.role == "until"), None)
    if end is not None:
        return end, {}
    until = _until(text)
    return (at + YEAR_S, {"until": until}) if until else (None, {})


def coming(text: str, at: float) -> float | None:
    """When a statement that is made of the time to come ("for the next ten days") is over."""
    return lasting(text, at)[0] if _COMING.search(text) else None


def _until(text: str) -> str:
    found = _UNTIL.search(text)
    tokens = tokenise(_UP.sub("rises", found["event"])) if found else ()
    names = [t.low for t in tokens if t.is_capital and t.low not in FUNCTION_WORDS]
    verbs = [
        base
        for t in tokens
        if not t.is_capital and t.low not in FUNCTION_WORDS | BE | _AWAITED
        for base, _ in forms(t.low)[:1]
    ]
    return " ".join(dict.fromkeys([*names, *verbs])) if names and verbs else ""
