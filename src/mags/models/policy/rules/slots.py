"""Which slot a possessed noun names: "my manager" is a boss, "Kate's new phone number" a number."""

from __future__ import annotations

from mags.models.policy.rules.lexicon import word_set
from mags.ports.relations import Relation, canonical

_SHADES = word_set("new current actual present latest own dear beloved beautiful lovely little")
_PERSONAL = {"manager": "boss", "coworker": "colleague"}


def slot_of(noun: str) -> Relation | None:
    """Return the relation that "Alice's <noun>" is, or None where the table knows none."""
    plain = unshaded(noun)
    if plain in _PERSONAL:
        return canonical(_PERSONAL[plain])
    if plain != noun:
        return canonical(plain) or Relation(name=plain, noun=True, known=False)
    return canonical(plain)


def unshaded(noun: str) -> str:
    """A noun without the words before it that make it no other thing: "new favourite food"."""
    words = noun.split()
    while len(words) > 1 and words[0] in _SHADES:
        words = words[1:]
    return " ".join(words)


def compound(noun: str) -> str:
    """The plain name of a thing: "kitchen budget" for "budget for the kitchen"."""
    for link in (" for the ", " of the ", " for our ", " for my ", " for "):
        head, found, rest = noun.partition(link)
        if found and rest and len(rest.split()) < 3 and not rest[0].isupper():
            return f"{rest} {head}"
    return noun


_DUE = ("deadline", "due date", "date")


def without_due(noun: str) -> str:
    """The thing of which a noun names the day: "report" of "report deadline"."""
    for word in _DUE:
        if noun.lower().endswith(f" {word}"):
            return noun[: -len(word) - 1]
    return noun
