"""Whether what the reader read can be what it says: a place is no weekday, an age no weight."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mags.models.policy.rules.claims import fits as fills
from mags.models.policy.rules.lexicon import KIN, PETS
from mags.models.policy.rules.when import COUNTED, DAYS, MONTHS
from mags.ports.policy import Operation, Turn
from mags.ports.relations import canonical

_CALENDAR = re.compile(rf"\b(?:{'|'.join(DAYS)}|{'|'.join(MONTHS)})s?\b", re.I)
_YEARS = rf"(?:\d{{1,3}}|{'|'.join(COUNTED)})"
_WHOSE = rf"(?:[Ii]|he|she|who|[A-Z]\w+|{'|'.join(KIN | PETS)})"
_AGE = re.compile(
    r"\b(?:old|aged?|years?|yrs?|birthday|bday|turn(?:s|ed|ing)?|toddler|teen\w*)\b"
    rf"|\b{_WHOSE}(?:'s|'m| is| am| was)(?: (?:only|just|now|already|nearly|almost))? {_YEARS}"
    r"(?![:%\w]|\.\d| ?(?:kilos?|kg|pounds|lbs|cm|am|pm|minutes|hours|days|weeks))"
    rf"|, {_YEARS}(?=[,.]|$)|\({_YEARS}\)",
)
_COUNT = re.compile(rf"{_YEARS}$", re.I)
_BORN = re.compile(r"\b(?:birthday|bday|b-day|born|birth|into (?:the|this) world)\b", re.I)
_NEAR = 2
"""Turns back to where somebody was named."""
_POINTS = re.compile(
    r"\b(?:he|she|they|it|him|her|them|his|hers|their|its|we|our|us|my|i|me|mine)\b", re.I
)


def fits(told: Operation, turn: Turn, recent: Sequence[Turn] = ()) -> bool:
    """Say whether an operation of a turn is of its relation's type, and of somebody spoken of.

    `recent`: the turns before, the newest last; "89." may answer what was asked of somebody there.
    """
    named = told.object.strip(" .!")
    talk = " ".join((turn.text, *(earlier.text for earlier in recent[-_NEAR:])))
    text = talk if turn.text.strip(" .!") == named else turn.text
    if not (_is_of_type(told.relation, named, text) and _fills(told.relation, named, turn.text)):
        return False
    return told.subject == turn.speaker or _is_spoken_of(told, talk)


def _fills(relation: str, named: str, text: str) -> bool:
    """Say whether words can fill a slot: a sister is no cousin, a home no vintage shop.

    Who writes all in small letters names places and people so, too.
    """
    kin = relation.removeprefix("has as ")
    last = named.lower().split()[-1:] or [""]
    if kin != relation and last[0] in KIN and last[0] != kin:
        return False
    return relation == "age" or text == text.lower() or fills(relation, named)


def _is_of_type(relation: str, named: str, text: str) -> bool:
    """Say whether what is named can be the object of a relation, by what is said around it."""
    known = canonical(relation)
    if known is not None and known.answers == "place":
        return not (_CALENDAR.search(named) or named.isdigit())
    if relation == "age":
        return bool(_COUNT.match(named) and _AGE.search(text))
    dated = "birthday" in relation or relation == "was born on"
    return not dated or bool(_BORN.search(text))


def _is_spoken_of(told: Operation, text: str) -> bool:
    """Say whether talk names who is told of, or points at anybody at all; a note is of nobody."""
    first = next(iter(told.subject.lower().split()), "")
    return not told.subject_is_name or first in text.lower() or bool(_POINTS.search(text))
