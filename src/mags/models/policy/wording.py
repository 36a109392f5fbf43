"""How a memory of a slot is worded: the queries that look for it."""

from __future__ import annotations

from mags.ports.relations import kind_of, normalise


def stem(subject: str, relation: str) -> str:
    """What a memory of this slot begins with: "Ana lives in", "Ana's sister"."""
    known, kind = normalise(relation), kind_of(relation)
    words = f"{known.name} {kind}".strip() if kind else known.name
    if not known.noun:
        return f"{subject} {words}"
    return f"{subject}'{'' if subject.endswith('s') else 's'} {words}"


def backwards(relation: str, object: str) -> str:
    """What a memory of this object ends in: "lives in Oslo", "birthday is 3 May"."""
    words = stem("", relation).removeprefix("'s").strip()
    return f"{words} is {object}" if normalise(relation).noun else f"{words} {object}"
