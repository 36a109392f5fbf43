"""What two or more are together: siblings, friends, avid hikers."""

from __future__ import annotations

from dataclasses import replace

from mags.models.policy.rules.claims import Manner, Said, claim
from mags.models.policy.rules.lexicon import (
    EVALUATIVE,
    FEELINGS,
)
from mags.models.policy.rules.phrase import cut_aside, object_of
from mags.models.policy.rules.scene import Scene
from mags.models.policy.rules.tokens import Token
from mags.ports.policy import Operation

_PAIRS = {
    "siblings": "is sibling of",
    "sisters": "is sibling of",
    "brothers": "is sibling of",
    "twins": "is sibling of",
    "friends": "is friends with",
    "colleagues": "colleague",
    "coworkers": "colleague",
    "roommates": "roommate",
    "married": "is married to",
    "engaged": "is engaged to",
    "neighbors": "is neighbour of",
    "neighbours": "is neighbour of",
    "dating": "is dating",
}


def read_pair(
    words: tuple[Token, ...], scene: Scene, manner: Manner, subjects: tuple[str, ...]
) -> list[Operation] | None:
    """Read "Ana and Bob are siblings", "Ana and Bob are avid hikers"; None if it is neither."""
    if len(subjects) < 2 or words[0].low in {"a", "an", "the", "in", "at", "from"}:
        return None
    body = cut_aside(words)
    stop = next((i for i, t in enumerate(body) if t.low in {"who", "that", "and", "|"}), len(body))
    body = body[:stop]
    last = body[-1].low if body else ""
    relation = _PAIRS.get(last)
    if relation and len(subjects) == 2:
        one, other = subjects
        said = Said(subject=one, relation=relation, object=other, object_is_name=True)
        return [claim(scene, manner, said)]
    end = next(
        (i for i, t in enumerate(body) if t.low in {"of", "in", "at", "for"} and i), len(body)
    )
    head = body[end - 1] if end else None
    if head is None or not head.low.endswith("s") or head.low.endswith("ss") or relation:
        return None
    if any(t.low in EVALUATIVE | FEELINGS for t in body):
        return []
    single = replace(head, text=_singular(head.text), end=head.end)
    core = (*body[: end - 1], single, *body[end:])
    thing = object_of(core, scene, "")
    if thing is None:
        return None
    return [
        claim(scene, manner, Said(subject=s, relation="is a", object=thing.text)) for s in subjects
    ]


def _singular(word: str) -> str:
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]
