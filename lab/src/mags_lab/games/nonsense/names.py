"""Names of random syllables: nothing known of the world helps with them.

Every syllable belongs to one bank, so that no name of a scored game shares a syllable with the
names that anything was built on: to the first two by a checksum of its letters, to the third by
other vowels or endings than theirs.
"""

from __future__ import annotations

import codecs
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from random import Random
from zlib import crc32

ONSETS = (
    *("b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "y", "z"),
    *("br", "dr", "fl", "gr", "kr", "pl", "sk", "sn", "st", "th", "tr", "vr"),
)
VOWELS = ("a", "e", "i", "o", "u", "ei", "au", "oa")
CODAS = ("", "", "", "n", "r", "l", "m")
THIRD = 2
"""The side whose syllables are none of the first two's."""
OTHER_VOWELS = ("ee", "oo", "ou", "ie", "ea", "ai")
OTHER_CODAS = ("b", "d", "g", "k", "p", "t", "x")
VOICED = frozenset("aeiou")
SHORTEST, LONGEST = 5, 9
TRIES = 5000


@cache
def syllables(side: int) -> tuple[str, ...]:
    """All syllables of one side (0, 1 or 2), in a fixed order."""
    if side == THIRD:
        ends = (*product(OTHER_VOWELS, CODAS), *product(("a", "e", "i", "o", "u"), OTHER_CODAS))
        return tuple(dict.fromkeys("".join((onset, *end)) for onset, end in product(ONSETS, ends)))
    spelled = dict.fromkeys("".join(parts) for parts in product(ONSETS, VOWELS, CODAS))
    return tuple(s for s in spelled if crc32(s.encode()) % 2 == side)


@cache
def blocked() -> tuple[str, ...]:
    """Letters that no name may hold, kept unreadable in the file."""
    text = (
        files("mags_lab.games.nonsense").joinpath("data/blocked.rot13").read_text(encoding="ascii")
    )
    return tuple(codecs.decode(text, "rot13").split())


def decent(word: str) -> bool:
    """Whether a made-up word spells nothing that offends."""
    letters = word.casefold()
    return not any(bad in letters for bad in blocked())


def sayable(parts: list[str]) -> bool:
    """Whether no three consonants meet where the syllables do."""
    return all(before[-1] in VOICED or after[1] in VOICED for before, after in pairwise(parts))


class Names:
    """A maker of names, none twice. `side`: whose syllables; `taken`: words that no name is."""

    def __init__(self, rng: Random, *, side: int, taken: frozenset[str] = frozenset()) -> None:
        """Draw from `rng` alone."""
        self._rng = rng
        self._pool = syllables(side)
        self._taken = set(taken)

    def word(self) -> str:
        """A new word of two or three syllables, in lower case."""
        for _ in range(TRIES):
            count = 2 + (self._rng.random() < 0.3)
            parts = [self._rng.choice(self._pool) for _ in range(count)]
            word = "".join(parts)
            if SHORTEST <= len(word) <= LONGEST and sayable(parts) and self._new(word):
                self._taken.update((word, word + "s"))
                return word
        raise AssertionError("no new decent word among so many: too many names for the syllables")

    def _new(self, word: str) -> bool:
        return word not in self._taken and decent(word)
