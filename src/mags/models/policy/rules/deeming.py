"""What a place or a people is said to hold something for: "Oslo considers smoking rude"."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.lexicon import ADVERBS, PREPOSITIONS, word_set
from mags.models.policy.rules.tokens import Token, join
from mags.ports.english import GERUND, PARTICIPLE, PAST, forms

_DEEM = word_set("consider deem declare call treat regard hold judge rule pronounce find")
_AS = frozenset({"as", "to", "be"})
_THEY = frozenset({"they", "people", "everyone", "everybody", "one", "you", "folk"})
_REACH = 3
"""Words from the place to the verb, at most: "has now declared"."""


def deemed(before: Sequence[Token], after: Sequence[Token]) -> tuple[str, str] | None:
    """Read "Oslo considers smoking rude" and "in Oslo they treat smoking as rude".

    Returns ("smoking is", "rude"); None where no doing is held for anything.
    """
    placed = bool(before) and before[-1].low in PREPOSITIONS
    words = [t for t in after if t.text != ","]
    if placed:
        if not words or words[0].low not in _THEY:
            return None
        words = words[1:]
    k = next((i for i, t in enumerate(words[:_REACH]) if _is_deeming(t)), None)
    if k is None or any(t.low not in ADVERBS | {"has", "have", "now"} for t in words[:k]):
        return None
    rest = words[k + 1 :]
    cut = _topic_end(rest)
    state = rest[cut:]
    while state and state[0].low in _AS:
        state = state[1:]
    if not cut or not state:
        return None
    return f"{' '.join(t.low for t in rest[:cut])} is", join(state)


def _is_deeming(token: Token) -> bool:
    known = any(base in _DEEM and form != GERUND for base, form in forms(token.low))
    return known or token.low.removesuffix("s") in _DEEM


def _topic_end(words: Sequence[Token]) -> int:
    """Where "keeping bees" ends before what it is held for; 0 where no doing leads."""
    if not words or not words[0].low.endswith("ing"):
        return 0
    as_at = next((i for i, t in enumerate(words) if t.low in {"as", "to"}), 0)
    if as_at:
        return as_at
    said = (i for i, t in enumerate(words) if i and _is_state(t))
    plural = len(words) > 2 and words[1].low.endswith("s")
    return next(said, 1 + plural)


def _is_state(token: Token) -> bool:
    """Say whether a word tells a state: a participle ("banned"), "unrestricted"."""
    tags = {form for _, form in forms(token.low)}
    return bool(tags & {PAST, PARTICIPLE}) or token.low.endswith("ed")
