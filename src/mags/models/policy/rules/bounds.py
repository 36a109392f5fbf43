"""Where a noun ends that words with "to", "with", "at" belong to: "my flight to Delhi"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.tokens import Token
from mags.models.policy.rules.verbs import SINGULAR, verb_group


def bound_end(tokens: Sequence[Token], k: int) -> int:
    """Return where "to Delhi", "with Laura", "at the dentist" ends before a verb; `k` if nowhere.

    Only before what tells when or where something is: of much else no lasting thing is said.
    """
    if tokens[k].low not in _BINDING:
        return k
    start = k + 1 + (k + 1 < len(tokens) and tokens[k + 1].low in {"the", "my", "our"})
    end = name_end(tokens, start)
    if end == start and start > k + 1 and start < len(tokens) and tokens[start].is_word:
        end = start + 1
    verb = verb_group(tokens, end, SINGULAR) if end > start else None
    return end if verb is not None and verb.base in _TIMED else k


_BINDING = frozenset({"to", "with", "at", "from", "on", "for"})
_TIMED = word_set("be leave start begin end depart arrive open close move expire")


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """The time that leads a clause after another: where it starts and ends, and the link."""

    start: int
    end: int
    link: str


def past_time(tokens: Sequence[Token], k: int, j: int) -> Led | None:
    """Read "since March" of ", but since March I've been working": a time before a subject.

    `k` is where the words that link begin, `j` where they end.
    """
    start = j - 1 if tokens[j - 1].low == "since" else j
    words = tokens[start : start + 1]
    if not words or words[0].low not in _DATING:
        return None
    end = next((i for i in range(start + 1, min(start + 6, len(tokens))) if _opens(tokens[i])), 0)
    if not end or not any(_dated(t) for t in tokens[start:end]):
        return None
    links = [t.low for t in tokens[k:start] if t.is_word]
    return Led(start=start, end=end, link=links[0] if links else ",")


def _opens(token: Token) -> bool:
    return token.low in {"i", "we", "he", "she", "they", "it", "my", "our", "the"}


def _dated(token: Token) -> bool:
    return token.low in DAYS or token.low in MONTHS or token.low[:1].isdigit() or token.low in _THEN


_DATING = word_set("since in on from last next this as now today these nowadays lately currently")
_THEN = word_set(
    """days nowadays lately currently last next year month week summer winter spring autumn today
    now then yesterday"""
)
