"""Where a noun ends that words with "to", "with", "at" belong to: "my flight to Delhi"."""

from __future__ import annotations

from collections.abc import Sequence

from mags.models.policy.rules.lexicon import word_set
from mags.models.policy.rules.names import name_end
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
