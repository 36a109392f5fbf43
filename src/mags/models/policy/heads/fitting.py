"""Whether what the heads read can be what it says: a place is no weekday, an age no weight."""

from __future__ import annotations

import re

from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.ports.policy import Operation, Turn
from mags.ports.relations import canonical

_CALENDAR = re.compile(rf"\b(?:{'|'.join(DAYS)}|{'|'.join(MONTHS)})s?\b", re.I)
_AGE = re.compile(
    r"\b(?:old|aged?|years?|yrs?|birthday|bday|turn(?:s|ed|ing)?|toddler|teen\w*)\b"
    r"|\b(?:[Ii]|he|she|[A-Z]\w+)(?:'s|'m| is| am| are)"
    r"(?: (?:only|just|now|already|nearly|almost))?"
    r" \d{1,3}(?![\d.:%]|\w| ?(?:kilos?|kg|pounds|lbs|cm|am|pm|minutes|hours|days|weeks))",
)
_BORN = re.compile(r"\b(?:birthday|bday|b-day|born|birth)\b", re.I)
_POINTS = re.compile(
    r"\b(?:he|she|they|it|him|her|them|his|hers|their|its|we|our|us|my|i|me|mine)\b", re.I
)


def fits(told: Operation, turn: Turn) -> bool:
    """Say whether an operation of a turn is of its relation's type, and of somebody spoken of."""
    text = turn.text
    known = canonical(told.relation)
    named = told.object.strip(" .!")
    if (
        known is not None
        and known.answers == "place"
        and (_CALENDAR.search(named) or named.isdigit())
    ):
        return False
    if told.relation == "age" and not (named.isdigit() and _AGE.search(text)):
        return False
    if told.relation in ("birthday", "was born on") and not _BORN.search(text):
        return False
    return told.subject == turn.speaker or _is_spoken_of(told, text)


def _is_spoken_of(told: Operation, text: str) -> bool:
    """Say whether a turn names who is told of, or points at anybody at all."""
    if not told.subject_is_name or _POINTS.search(text):
        return True
    first = told.subject.split()[0].lower()
    return first in text.lower()
