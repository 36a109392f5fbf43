"""Things told of without an article: "rent is 480 a month", "deadline for the beta is 4 April"."""

from __future__ import annotations

import re

from mags.models.policy.rules.casing import PLAIN_NAMES
from mags.models.policy.rules.lexicon import FUNCTION_WORDS, KIN, PETS, word_set
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.unfamiliar import is_known
from mags.ports.english import BASE, GERUND, forms

_DAY = "|".join(f"{day}s?" for day in DAYS)
_MONTH = "|".join(MONTHS)
_NUMBER = r"(?:[$\u20ac\u00a3]?\d|(?:two|three|four|five|six|seven|eight|nine|ten|noon|half)\b)"
_SHAPE = re.compile(
    r"^(?P<noun>[A-Za-z][a-z-]+(?: [a-z][a-z-]+){0,2}?)"
    r"(?P<of> (?:for|of) (?:the |my |our )?\w+(?: \w+)?)?"
    r"(?P<be>(?: is| are|'s| was)(?: now| still| only| about| around)?"
    r"|(?: has| is|'s)? (?:(?:went|gone|dropped|risen|rose|fell|fallen|come) )?(?:up|down) to) "
    rf"(?P<value>{_NUMBER}|(?:on|at|from|in) (?:(?:the )?{_NUMBER}|{_DAY}|{_MONTH})|(?:{_DAY})\b)",
    re.I,
)
_NO_NOUN = FUNCTION_WORDS | word_set("it that this there today tomorrow yesterday results result")


def with_owner(text: str) -> str:
    """Return "my rent is 480" for "rent is 480", "the deadline for the beta is 4 April".

    Only what has a value, a day or an hour; what a thing is "up to" or "down to" is what it is now.
    """
    match = _SHAPE.match(text)
    if match is None or not _is_thing(match["noun"]):
        return text
    lone = match["noun"][0].isupper() and " " not in match["noun"] and not match["of"]
    if lone and match["noun"].lower() in PLAIN_NAMES:
        return text  # "Rose is at five"
    counted = match["value"][:1].isdigit() and not _is_sum(text[match.start("value") :])
    if lone and (counted or match["value"].startswith(("in ", "from "))):
        return text  # "Rose is 9", "Ana is in 4 clubs"
    noun = match["noun"][0].lower() + match["noun"][1:]
    be = " is now" if match["be"].endswith(" to") else match["be"].replace("'s", " is")
    lead = "the" if match["of"] else "my"
    return f"{lead} {noun}{match['of'] or ''}{be} {text[match.start('value') :]}"


_SUM = re.compile(
    r"(?P<number>\d[\d,]*)(?:[.:]\d\d)?"
    r"(?= (?:a|per|each|every) (?:month|week|year|day|night|hour)\b| now\b|[,;.!]|$)"
)
_OLDEST = 120


def _is_sum(value: str) -> bool:
    """Say whether a number is nobody's age and has no measure: "480", "1,850 a month"."""
    found = _SUM.match(value)
    return found is not None and int(found["number"].replace(",", "")) > _OLDEST


def _is_thing(noun: str) -> bool:
    words = noun.lower().split()
    if any(word in _NO_NOUN for word in words) or words[-1] in KIN | PETS:
        return False
    tags = {form for _, form in forms(words[0])}
    if tags - {BASE, GERUND} and len(words) > 1:
        return False  # "left home is ...": a clause, no thing
    plural = words[-1].endswith("s") and not words[-1].endswith("ss")
    return is_known(words[-1]) and not plural
