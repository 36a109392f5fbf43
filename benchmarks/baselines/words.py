"""Words for BM25: lower case, English stop words out, Snowball stems."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_STOP_WORDS = """
about above after again against all am an and any are aren't as at be because been before being
below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't
down during each few for from further had hadn't has hasn't have haven't having he her here hers
herself him himself his how i i'd i'll i'm i've if in into is isn't it it's its itself just me
more most my myself no nor not now of off on once only or other our ours ourselves out over own
same she should shouldn't so some such than that that's the their theirs them themselves then
there these they they're this those through to too under until up very was wasn't we we're were
weren't what what's when where which while who who's whom why will with won't would wouldn't you
you're your yours yourself yourselves a
"""
_STOP = frozenset(_STOP_WORDS.split())
_STEMMER = snowballstemmer.stemmer("english")


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def stems(text: str) -> list[str]:
    """Return the stems of the words of `text`, in order, without stop words."""
    words = (w.removesuffix("'s") for w in _WORD.findall(text.lower().replace("\u2019", "'")))
    return [_stem(word) for word in words if word and word not in _STOP]


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`; the whole text if it has but one."""
    parts = [p.strip() for p in re.split(r"(?<=[.!?])\s+|\n+", text) if p.strip()]
    return parts or [text]
