"""Questions in other words than what was told: put plainly, and what their nouns may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WHO = r"(?P<who>I|we|[A-Z]\w*|my \w+)"
_PLAIN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), plain)
    for pattern, plain in (
        (
            rf"\b(?:what|which) (?:company|firm|employer|hospital|school|shop|office|bank|place)"
            rf" (?P<do>do|does|did) {_WHO} work (?:at|for|in)\b",
            r"where \g<do> \g<who> work",
        ),
        (
            r"\bwhat(?:'s| is| was) (?P<who>my \w+|[A-Z]\w*)'s"
            r" (?:job|profession|occupation|trade)\b",
            r"what does \g<who> do for a living",
        ),
        (
            rf"\b(?:what|which) (?P<noun>[a-z]+) (?:do|does|did) {_WHO} (?:like|love|enjoy)"
            r" (?:the )?(?:best|most)\b",
            r"what is \g<who>'s favourite \g<noun>",
        ),
        (r"(?<=\w), [\w' -]+ or [\w' -]+(?=\?*$)", ""),
        (
            rf"^what(?:'s| is| are| am| 's) {_WHO} into(?: (?:now|these days))?(?=\?*$)",
            r"what does \g<who> like",
        ),
        (r"\bmy (?:closest|oldest) friend\b", "my best friend"),
        (r"\bmy (?:boy|lad)(?='s|\b)(?! ?friend)", "my son"),
        (r"\bmy (?:little |baby )?girl(?='s|\b)", "my daughter"),
        (r"\bmy (?:other half|significant other|spouse)\b", "my partner"),
        (r"\bwhat(?:'s| is) my number\b", "what is my phone number"),
        (
            r"\b(?P<do>do|does) (?P<who>I|we|[A-Z]\w*) have any (?P<noun>[a-z]+)s\b",
            r"what \g<noun>s \g<do> \g<who> have",
        ),
    )
)


def plainer(question: str) -> str:
    """A question in the words that facts are told in; as it is where it has others."""
    for pattern, plain in _PLAIN:
        question = pattern.sub(plain, question)
    return re.sub(r"\b[Ii]'s favourite\b", "my favourite", question)


_GROUPS: tuple[tuple[str, str, str], ...] = (
    ("sibling siblings", "brother|sister", "sibling"),
    ("pet pets animals", "dog|cat|rabbit|hamster|parrot|bird|fish|horse|pet", "pet animal"),
    ("child children kids", "son|daughter|child", "child"),
    ("partner", "is dating|is married to|is engaged to", "partner"),
    ("boyfriend girlfriend", "is dating", "boyfriend girlfriend"),
    ("allergy allergies", "is allergic to", "allergy"),
    ("car", "car|drives", "car drive kind make"),
    ("rent", "rent", "rent pay"),
    ("earn salary wage income", "salary|income", "earn salary wage income"),
    ("colour color", "car|bike|phone", "colour"),
    ("university uni college", "studied at|studied|studies|is studying at", "university uni go"),
    ("book novel", "is reading", "book novel"),
    ("phobia phobias", "is afraid of", "phobia"),
    ("medicine medication tablets pills", "takes", "medicine medication tablets pills"),
)
"""Nouns of a question, the relations they may ask for, and what these are then said by."""


def grouped(heard: list[str]) -> Iterator[tuple[str, str]]:
    """Each relation that a noun of a question may stand for, with the words it says it by."""
    held = set(heard)
    for nouns, relations, said in _GROUPS:
        if not held.isdisjoint(nouns.split()):
            yield from ((relation, said) for relation in relations.split("|"))
    yield from _denied(held)
    if _KIND.match(" ".join(heard)):
        yield "is a", " ".join(heard)
    if {"who", "live", "with"} <= held:
        yield from ((r, "live") for r in ("roommate", "lives with"))
    if {"when", "born"} <= held:
        yield "birthday", "born bear"
    if "job" in held and held & {"previous", "last", "former", "old"}:
        yield from ((r, "job previous last former old") for r in ("worked at", "worked as"))
    if "from" in held and held & {"country", "city", "town", "place"}:
        yield "is from", "country city town place"
    if held & {"food", "foods", "dish", "dishes", "drink", "drinks"}:
        yield from ((r, "food dish drink like hate love") for r in ("likes", "dislikes"))


_KIND = re.compile(
    r"^(?:what|which) (?:kind|sort|type|breed)(?: of [a-z]+)? (?:is|was) [\w'-]+(?: [\w'-]+){0,2}$"
)
"""A question of what something is: "what kind of dog is Pepe"."""


def _denied(held: set[str]) -> Iterator[tuple[str, str]]:
    """What is asked for by denying it: what one can't eat, what one doesn't like."""
    eaten = "eat" in held or ("have" in held and held & {"food", "foods"})
    if eaten and held & {"can't", "cannot", "don't"}:
        for relation in ("is allergic to", "does not eat", "can not eat"):
            yield relation, "eat have food can't don't"
    if "like" in held and held & {"don't", "doesn't"}:
        yield "dislikes", "like don't doesn't"


SYNONYMS = {
    "movie": "film", "movies": "film", "films": "film", "telly": "tv", "television": "tv",
    "mobile": "phone", "cellphone": "phone", "bike": "bicycle", "bikes": "bicycle",
    "automobile": "car",
    "apartment": "flat", "holiday": "vacation", "holidays": "vacation", "color": "colour",
    "wedding": "marry", "weddings": "marry",
    "physician": "doctor", "gp": "doctor", "uni": "university", "tablets": "tablet",
}  # fmt: skip
"""Words of one meaning, each with the one that stands for them."""
COLOURS = frozenset(
    {"red", "green", "blue", "yellow", "black", "white", "grey", "gray", "silver", "brown"}
    | {"orange", "purple", "pink", "beige"}
)
