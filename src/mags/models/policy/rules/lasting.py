"""How long a statement says that it holds: "for ten days", "until the moon of Pell rises"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mags.models.policy.rules.lexicon import BE, FUNCTION_WORDS
from mags.models.policy.rules.spans import YEAR_S
from mags.models.policy.rules.tokens import Token, tokenise
from mags.models.policy.rules.when import times
from mags.ports.english import BASE, forms

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
    r"|for (?:(?:a|the) (?:term|space|span|time)|all) of|as long as"
    r"|(?:ends|lapses|expires|stops|over) (?:in|after)"
    r"|until(?= [\w-]+ \w+ have passed)) "
    rf"(\d+|{'|'.join(_COUNTS)}) (day|week|hour)s?\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:has|have(?! passed)|had|was|were|ago)\b", re.IGNORECASE)
_SECONDS = {"hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_COMING = re.compile(r"\b(?:next|coming|following)\b", re.IGNORECASE)
_OWN = re.compile(
    r"(?:^|[.;:!?] )(?:it|this|that) (?:\w+s|will \w+) (?:only )?$|\b(?:only|just|but) $",
    re.IGNORECASE,
)
"""What stands before a span that is to come."""
_NO_LONGER = re.compile(r" (?:only|and no (?:longer|more)|and not)\b")
_COMES = (
    r"(?:rises|appears|arrives|comes(?: up| out)?|returns|emerges|shows|sets|begins|starts|ends"
    r"|is (?:up|out|seen|over|here)|has \w+)"
)
_UNTIL = re.compile(
    r"\b(?:until|till|as long as|so long as|up to|(?:while|as) we (?:wait for|await)|pending"
    rf"|before(?= [^,;:.!?]+\b{_COMES}(?: in the sky)?(?:[,;:.!?]|$))"
    r"|(?:ends?|lapses|expires|stops|ceases|over|lifted)"
    r" (?:when|once|as soon as|with|at|upon|after)"
    r") (?P<event>[^,;:.!?]+)",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:(?:is|be|comes|goes|stands) (?:up|out)|(?:is|stands) (?:not )?in the sky)\b",
    re.IGNORECASE,
)
"""Other words for what rises, as the moon does."""
_AWAITED = frozenset({"wait", "expect"})


def lasting(text: str, at: float) -> tuple[float | None, dict[str, str]]:
    """When a statement is said to be over, and the qualifier that says until what.

    That is in the names and the verbs of what is to happen.
    """
    lasts = _LASTS.search(text)
    if lasts and (_is_ahead(text, lasts) or not _SINCE.search(text)):
        count = int(lasts[1]) if lasts[1].isdigit() else _COUNTS.index(lasts[1].lower()) + 1
        return at + count * _SECONDS[lasts[2].lower()], {}
    end = next((t.since for t in times(text, at, future=True) if t.role == "until"), None)
    if end is not None:
        return end, {}
    until = _until(text)
    return (at + YEAR_S, {"until": until}) if until else (None, {})


def _is_ahead(text: str, lasts: re.Match[str]) -> bool:
    """Say whether a span is one to come, though "has" stands beside: "has honey for two days only".

    "This applies for ten days" in a sentence of its own tells of now.
    """
    own = _OWN.search(text[: lasts.start()])
    return bool(_COMING.search(lasts[0]) or own or _NO_LONGER.match(text, lasts.end()))


def coming(text: str, at: float) -> float | None:
    """When a statement that is made of the time to come ("for the next ten days") is over."""
    return lasting(text, at)[0] if _COMING.search(text) else None


def _until(text: str) -> str:
    """What is to happen: its names and what these are to do, "" where no name is in it."""
    found = _UNTIL.search(text)
    tokens = tokenise(_UP.sub("rises", found["event"])) if found else ()
    names = [t.low for t in tokens if t.is_capital and t.low not in FUNCTION_WORDS]
    if found is None or not names:
        return ""
    waits = "wait" in found[0].lower() or found[0].lower().startswith("pending")
    named = found["event"].lower().startswith("the ")  # "until the eclipse of Tra": it is to come
    doing = "rise" if waits else _doing(tokens) or ("come" if named else "")
    return " ".join(dict.fromkeys([*names, doing])) if doing else ""


def _doing(tokens: Sequence[Token]) -> str:
    """The verb of what is to happen, "" where none is."""
    found = [
        (base, form)
        for t in tokens
        if not t.is_capital and t.low not in FUNCTION_WORDS | BE | _AWAITED
        for base, form in forms(t.low)[:1]
    ]
    told = [base for base, form in found if form != BASE] or [base for base, _ in found]
    return "".join(told[:1])
