"""Names of random syllables: copying can be learned from them, memorising cannot.

Every syllable belongs to training or to the tests by a hash of its letters. A test name is spelled
with held-out syllables alone, and cannot be spelled with those of training: it never occurs there.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

from mags_lab.training.chains.files import blocked
from mags_lab.training.chains.splits import held_out

ONSETS = (
    *("b", "br", "c", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl"),
    *("qu", "r", "s", "sh", "sk", "st", "t", "th", "tr", "v", "w", "y", "z"),
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "ou", "ie")
CODAS = ("", "", "n", "r", "l", "s", "m", "k", "t", "nd", "x", "lt")
LONGEST = max(map(len, ONSETS)) + max(map(len, VOWELS)) + max(map(len, CODAS))
MANY = 5000


@cache
def syllables(held: bool) -> tuple[str, ...]:
    """All syllables of one side, in a fixed order."""
    spelled = dict.fromkeys("".join(parts) for parts in product(ONSETS, VOWELS, CODAS))
    return tuple(s for s in spelled if held_out(s, kind="syllable") is held)


@cache
def _known(held: bool) -> frozenset[str]:
    return frozenset(syllables(held))


def spellable(word: str, *, held: bool) -> bool:
    """Whether a word can be cut into syllables of that side."""
    known, letters = _known(held), word.casefold()
    reached = {0}
    for end in range(1, len(letters) + 1):
        starts = range(max(0, end - LONGEST), end)
        if any(start in reached and letters[start:end] in known for start in starts):
            reached.add(end)
    return len(letters) in reached


def decent(word: str) -> bool:
    """Whether a made-up word spells nothing that offends."""
    letters = word.casefold()
    return not any(bad in letters for bad in blocked())


def made_up(rng: Random, *, held: bool) -> str:
    """A word of two or three syllables of that side, in lower case."""
    pool = syllables(held)
    for _ in range(MANY):
        word = "".join(rng.choice(pool) for _ in range(2 + (rng.random() < 0.25)))
        if len(word) <= 12 and decent(word) and not (held and spellable(word, held=False)):
            return word
    raise AssertionError("no decent word among so many: the list of blocked letters is too broad")


def name(rng: Random, *, held: bool) -> str:
    """A made-up name."""
    return made_up(rng, held=held).capitalize()
