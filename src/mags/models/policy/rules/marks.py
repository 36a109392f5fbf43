"""Words that mark a change: what is so now, and what is so no longer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mags.models.policy.rules.lexicon import ARTICLES, POSSESSIVES, word_set
from mags.models.policy.rules.tokens import Token

_CHANGED = word_set(
    """now become becomes became instead anymore today lately henceforth nowadays recently
    hereafter"""
)
_CHANGES = (
    ("no", "longer"), ("from", "now", "on"), ("from", "today"), ("from", "this", "day"),
    ("these", "days"), ("in", "the", "place", "of"), ("in", "place", "of"), ("the", "place", "of"),
    ("any", "more"), ("any", "longer"), ("has", "left"), ("has", "been", "taken"),
    ("changed", "sides"), ("given", "up"), ("gave", "up"), ("of", "late"), ("as", "of"),
    ("by", "now"), ("from", "this", "year"), ("is", "out"), ("are", "out"),
)  # fmt: skip
_HAVE = frozenset({"has", "have", "had", "was", "were", "been"})
_TURNED = word_set(
    """changed switched turned replaced passed gone inherited elected joined adopted moved swapped
    exchanged traded hired appointed declared decreed succeeded taken handed given chosen raised
    placed put reversed amended overtaken"""
)
"""What something has done, or suffered, that is otherwise than it was."""
_NEW_OF = ARTICLES | POSSESSIVES | {"has"}
_AFTER = 3
"""Words from "has" to what has been done."""
_SINCE = 3
"""Words of what something has been so since, at most."""
_SINCE_LAST = (["since", "last"], ["since", "this"])
_WAS_HABIT = ("used", "to")
_ACCUSTOMED = word_set(
    "is are was were be been being get gets got getting gotten become became grown"
)
"""What stands before "used to" where it tells what somebody has come to like."""
_SINCE_WHEN = word_set(
    """from since as of starting beginning today now yesterday tomorrow tonight this that day week
    month year morning evening here then"""
)
_GOING_ON = word_set("on onwards onward forward")


def is_change(tokens: Sequence[Token]) -> bool:
    """Say whether words tell that something has become another: "now", "the new guardian"."""
    lows = [t.low for t in tokens]
    if not _CHANGED.isdisjoint(lows) or any(holds(lows, phrase) for phrase in _CHANGES):
        return True
    if was_so(lows) or lows[:2] in _SINCE_LAST:
        return True
    if lows[:1] == ["since"] and "," in lows[2 : _SINCE + 2]:
        return True  # "since the harvest, ..."
    return any(_turned(lows, i) or _is_new(lows, i) for i in range(len(lows)))


def _turned(lows: Sequence[str], i: int) -> bool:
    """Say whether "has changed", "has been given" begins at a place."""
    return lows[i] in _HAVE and not _TURNED.isdisjoint(lows[i + 1 : i + _AFTER])


def _is_new(lows: Sequence[str], i: int) -> bool:
    """Say whether "the new guardian of" stands at a place."""
    return lows[i] == "new" and (not i or lows[i - 1] in _NEW_OF)


def was_so(words: Sequence[str]) -> bool:
    """Say whether words tell a habit that is none any longer: "used to", not "is used to"."""
    habits = (i for i, pair in enumerate(pairwise(words)) if pair == _WAS_HABIT)
    return any(not i or words[i - 1] not in _ACCUSTOMED for i in habits)


def holds(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Say whether words hold a phrase, its words one after another."""
    last = len(words) - len(phrase) + 1
    return any(tuple(words[i : i + len(phrase)]) == tuple(phrase) for i in range(last))


def past_when(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The words after "from today", "as of this week" at their front; all if there are no more."""
    cut = 0
    while cut < len(tokens) and (
        tokens[cut].low in _SINCE_WHEN or (cut > 0 and tokens[cut].low in _GOING_ON)
    ):
        cut += 1
    return tuple(tokens[cut:] if cut < len(tokens) else tokens)
