"""Whether "'s" is a verb: "Mia's obsessed with horses", not "Mia's obsession"."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.lexicon import ADVERBS, BE, CONJUNCTIONS, PREPOSITIONS, TRAITS
from mags.models.policy.rules.tokens import Token
from mags.ports.english import PARTICIPLE, forms


def is_verb_next(tokens: Sequence[Token], i: int) -> bool:
    """Say whether "'s" at `i` is "is" or "has": before an article, adverb, -ing or participle."""
    if i + 1 >= len(tokens):
        return False
    low = tokens[i + 1].low
    if low in {"called", "named"} | PREPOSITIONS - {"like", "past", "down", "off", "over"}:
        return True
    if low in {"a", "an", "the", "not", "in", "from", "at", "been", "also", "now", "my", "so"}:
        return True
    after = tokens[i + 2].low if i + 2 < len(tokens) else ""
    if low in ADVERBS and low not in {"first", "best", "last", "only", "long"}:
        return i + 2 < len(tokens) and (is_verb_next(tokens, i + 1) or _is_participle(after))
    if low in TRAITS or _is_participle(low):
        return not after or after in PREPOSITIONS | CONJUNCTIONS or not after[0].isalnum()
    return low.endswith("ing") and len(low) > 5 and not _heads_a_clause(tokens, i + 2)


def _heads_a_clause(tokens: Sequence[Token], i: int) -> bool:
    """Say whether a verb follows, so that what is before it is had: "Mia's swimming lesson is"."""
    for token in tokens[i : i + _NEAR]:
        if not token.is_word or token.low in CONJUNCTIONS | _NEW_CLAUSE:
            return False
        if token.low in BE | {"has", "had"}:
            return True
    return False


_NEAR = 5
_NEW_CLAUSE = frozenset({"that", "who", "which", "what", "where", "when", "because", "if", "while"})


def _is_participle(word: str) -> bool:
    return any(form == PARTICIPLE for _, form in forms(word))
