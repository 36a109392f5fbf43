"""Whether what the heads read can be what it says: a place is no weekday, an age no weight."""

from __future__ import annotations

import re

from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.spans import COUNTED, DAYS, MONTHS
from mags.ports.policy import Operation, Turn
from mags.ports.relations import canonical

_CALENDAR = re.compile(rf"\b(?:{'|'.join(DAYS)}|{'|'.join(MONTHS)})s?\b", re.I)
_YEARS = rf"(?:\d{{1,3}}|{'|'.join(COUNTED)})"
_WHOSE = rf"(?:[Ii]|he|she|who|[A-Z]\w+|{'|'.join(KIN | PETS)})"
_AGE = re.compile(
    r"\b(?:old|aged?|years?|yrs?|birthday|bday|turn(?:s|ed|ing)?|toddler|teen\w*)\b"
    rf"|\b{_WHOSE}(?:'s|'m| is| am)(?: (?:only|just|now|already|nearly|almost))? {_YEARS}"
    r"(?![:%\w]|\.\d| ?(?:kilos?|kg|pounds|lbs|cm|am|pm|minutes|hours|days|weeks))"
    rf"|, {_YEARS}(?=[,.]|$)|\({_YEARS}\)",
)
_COUNT = re.compile(rf"{_YEARS}$", re.I)
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
    if told.relation == "age" and not (_COUNT.match(named) and _AGE.search(text)):
        return False
    if told.relation in ("birthday", "was born on") and not _BORN.search(text):
        return False
    return told.subject == turn.speaker or _is_spoken_of(told, text)


def _is_spoken_of(told: Operation, text: str) -> bool:
    """Say whether a turn names who is told of, or points at anybody at all; a note is of nobody."""
    first = next(iter(told.subject.lower().split()), "")
    return not told.subject_is_name or first in text.lower() or bool(_POINTS.search(text))
