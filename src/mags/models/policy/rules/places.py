"""The names of places in a sentence, and what stands around each.

Names alone do not tell a place from a person: what leads to it or follows it does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mags.models.policy.rules.lexicon import FUNCTION_WORDS
from mags.models.policy.rules.spans import DAYS, MONTHS
from mags.models.policy.rules.tokens import Token, join

_NEVER = FUNCTION_WORDS | frozenset(DAYS) | frozenset(MONTHS)
_ARTICLE = frozenset({"the", "a", "an"})
_JOINS = frozenset({"'s", "of"})
_NEAR = 2
"""Words after a name's "'s" within which one of its sides is told: "Leeds's old east gate"."""

Test = Callable[[Sequence[Token], int], bool]
"""Says something of the word at a place in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A name in a sentence: `before` and `after` are the words beside it (and its article).

    `led`: it has an article. `sided`: one of its sides is told by "'s".
    """

    name: str
    before: str
    after: str
    led: bool
    sided: bool


def places_in(tokens: Sequence[Token], is_side: Test, is_no_name: Test) -> list[Place]:
    """Return the names that may be of places, in order; what only owns a thing is none."""
    found: list[Place | None] = []
    i = 0
    while i < len(tokens):
        end = _name_end(tokens, i, is_no_name)
        if end > i:
            found.append(_place(tokens, i, end, is_side))
        i = max(end, i + 1)
    return [one for one in found if one is not None]


def _place(tokens: Sequence[Token], start: int, end: int, is_side: Test) -> Place | None:
    owner = end < len(tokens) and tokens[end].low == "'s"
    sides = range(end + 1, min(end + 1 + _NEAR, len(tokens)))
    sided = owner and any(is_side(tokens, i) for i in sides)
    if owner and not sided:
        return None  # "Ana's house"
    led = start > 0 and tokens[start - 1].low in _ARTICLE
    first = start - 1 if led else start
    return Place(
        name=join(tokens[start:end]),
        before=tokens[first - 1].low if first else "",
        after=tokens[end].low if end < len(tokens) else "",
        led=led,
        sided=sided,
    )


def _name_end(tokens: Sequence[Token], start: int, is_no_name: Test) -> int:
    """Where a name that begins here ends: "Porter's Lodge" and "Hall of Keys" are one each."""
    end = start
    while _is_name(tokens, end, is_no_name):
        end += 1
        if _is_name(tokens, end + 1, is_no_name) and tokens[end].low in _JOINS:
            end += 1
    return end


def _is_name(tokens: Sequence[Token], i: int, is_no_name: Test) -> bool:
    if i >= len(tokens) or not tokens[i].is_capital or tokens[i].low in _NEVER:
        return False
    return not is_no_name(tokens, i)
