"""Several things after one verb: "tea and coffee"."""

from __future__ import annotations

from mags.models.policy.rules.phrase import Object, cut_aside, object_of
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token, starts_with


def objects(words: tuple[Token, ...], scene: Scene, name: str) -> list[Object]:
    """Return the noun phrases of "tea and coffee"; one where "and" is inside a name or phrase."""
    colon = next((i for i, t in enumerate(words) if t.text == ":"), 0)
    words = cut_aside(words[colon + 1 :] if colon else words)
    whole = object_of(words, scene, name)
    marks = [i for i, t in enumerate(words) if t.low in {"and", ",", "&"}]
    if marks and not any(words[i].low in {"and", "&"} for i in marks):
        return []
    if not marks or (whole is None and not marks):
        return [whole] if whole else []
    parts, start = [], 0
    for i in [*marks, len(words)]:
        if i > start:
            parts.append(_unmeasured(words[start:i]))
        start = i + 1
    if any(len(p) > 3 for p in parts):
        return [whole] if whole else []
    found = [object_of(part, scene, name) for part in parts]
    sure = [thing for thing in found if thing]
    return sure if len(sure) == len(found) else ([whole] if whole else [])


_MEASURES = (("a", "little", "bit", "of"), ("a", "bit", "of"), ("a", "little"), ("some",))


def _unmeasured(words: tuple[Token, ...]) -> tuple[Token, ...]:
    """Take "a bit of" off a thing of a list."""
    for phrase in _MEASURES:
        if len(phrase) < len(words) and starts_with(words, phrase):
            return words[len(phrase) :]
    return words
