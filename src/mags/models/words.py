"""Words of a text: which they are, their stems, and a question put plainly."""

from __future__ import annotations

import re

import snowballstemmer

from mags.caches import cached
from mags.ports.english import word_set as word_set

WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\W_]+)?")


def stems(text: str) -> frozenset[str]:
    """Stems of the words of a text, each word also as it stands, without "'s"."""
    words = {
        re.sub(r"['\N{RIGHT SINGLE QUOTATION MARK}]s$", "", w.casefold())
        for w in WORD.findall(text)
    }
    return frozenset(words) | frozenset(map(_stem, words))


@cached(16384)
def _stem(word: str) -> str:
    """The stem of one word; kept, since a long turn is stemmed at every question."""
    stemmer = snowballstemmer.stemmer("english")  # it keeps state: one a call, for threads
    return str(stemmer.stemWord(word))


def is_name(words: str) -> bool:
    """Whether it is written as a proper name: a capital in it (or a script without any)."""
    letters = [c for c in words if c.isalpha()]
    return any(c.isupper() or c.lower() == c.upper() for c in letters)


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
