"""Which slot a possessed noun names: "my manager" is a boss, "Kate's new phone number" a number."""

from __future__ import annotations

from mags.models.policy.rules.lexicon import word_set
from mags.ports.relations import Relation, canonical

_SHADES = word_set("new current actual present latest own dear beloved beautiful lovely little")
_PERSONAL = {"manager": "boss", "coworker": "colleague"}


def slot_of(noun: str) -> Relation | None:
    """Return the relation that "Alice's <noun>" is, or None where the table knows none."""
    words = noun.split()
    while len(words) > 1 and words[0] in _SHADES:
        words = words[1:]
    plain = " ".join(words)
    if plain in _PERSONAL:
        return canonical(_PERSONAL[plain])
    if len(words) < len(noun.split()):
        return canonical(plain) or Relation(name=plain, noun=True, known=False)
    return canonical(plain)
