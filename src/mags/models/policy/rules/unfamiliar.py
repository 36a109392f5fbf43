"""Words that plain English lacks: made-up names, terms of a trade, things of another world.

The vocabulary is the one the shipped embedder reads by (about 20,000 whole words, lower case).
A word is familiar where it, or what is left without an ending, stands there, is a verb of the
list, or is made of two that do.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from mags.caches import cached
from mags.models.policy.rules.lexicon import PREPOSITIONS, word_set
from mags.ports.english import is_verb

_VOCABULARY = Path(__file__).resolve().parents[2] / "data" / "all-minilm-l6-v2-tokenizer.json"
_ENDINGS = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "ness", "less", "able")
_BEFORE = ("over", "out", "under", "up", "re", "un", "in", "mis", "fore")
_POINTED = ("here", "there", "where")
"""What makes an adverb with a preposition: "hereby", "therein"."""
_NOUNS = word_set(
    """air arm bag bar bed bee box boy bus car cat cow cup day dog ear egg eye fox gun hen ice inn
    jar key leg log man map oil pan pen pig pot rat row sea ski sky sun tea toy van war web"""
)
"""Short nouns that make compounds with a word of `_HALF` letters and more."""
_SHORTEST = 3
_LONGEST = 40
"""Letters of the longest word: what is longer is no word, and would take long to take apart."""
_HALF = 4
"""Letters that each half of a compound has at least."""


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """The whole words of two letters and more that the embedder knows."""
    found = json.loads(_VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in found if len(word) > 1 and word.isalpha())


@cached(65536)
def is_unfamiliar(word: str) -> bool:
    """Whether a word of letters, in lower case, is none of English."""
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha() or not word.isascii():
        return False
    return not (is_known(word) or _inflected(word) or _compound(word))


def is_known(word: str) -> bool:
    """Whether a word in lower case stands in the vocabulary itself, or among the verbs."""
    return word in vocabulary() or is_verb(word)


def _inflected(word: str) -> bool:
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base == word or len(base) < _SHORTEST:
            continue
        doubled = len(base) > _SHORTEST and base[-1] == base[-2]
        if is_known(base) or is_known(base + "e") or (doubled and is_known(base[:-1])):
            return True
        if base.endswith("i") and is_known(base[:-1] + "y"):
            return True
    return False


def _compound(word: str) -> bool:
    if any(word.removeprefix(place) in PREPOSITIONS for place in _POINTED):
        return True
    cuts = range(_HALF, len(word) - _HALF + 1)
    halves = [(word[:cut], word[cut:]) for cut in cuts]
    halves += [
        (before, word.removeprefix(before))
        for before in _BEFORE
        if word.startswith(before) and len(word) - len(before) >= _HALF
    ]
    if any((is_known(a) or a in _BEFORE) and (is_known(b) or _inflected(b)) for a, b in halves):
        return True
    if len(word) < _SHORTEST + _HALF:
        return False
    first, last = word[:_SHORTEST], word[-_SHORTEST:]
    return (first in _NOUNS and is_known(word[_SHORTEST:])) or (
        last in _NOUNS and is_known(word[:-_SHORTEST])
    )
