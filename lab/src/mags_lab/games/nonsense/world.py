"""A made-up world: who and what there is, its names, and the arbitrary rules it begins with.

Names are made of random syllables, so nothing known of the world helps with them. Every syllable
belongs to one bank, so that no name of a scored game shares a syllable with the names that anything
was built on: to the first two by a checksum of its letters, to the third by other vowels or endings
than theirs.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations, pairwise, product
from random import Random
from zlib import crc32

from mags_lab.games.nonsense.bank import NonsenseBank
from mags_lab.games.nonsense.rules import SUBJECTS, VALUES, RuleSlot, before

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


class NameMaker:
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


SHARES: Mapping[str, float] = {
    "clan": 0.16,
    "species": 0.08,
    "feast": 0.04,
    "gift": 0.03,
    "greeting": 0.04,
    "elder": 0.03,
    "food": 0.02,
    "own gift": 0.03,
    "own food": 0.03,
    "guardian": 0.07,
    "toll": 0.06,
    "key": 0.05,
    "custom": 0.06,
    "act": 0.03,
    "before": 0.03,
    "law": 0.08,
    "sage": 0.06,
    "honesty": 0.04,
    "relic": 0.02,
    "password": 0.02,
    "debt": 0.02,
}
"""How many of a world's rules are of each relation."""
SMALL: Mapping[str, float] = {
    "clan": 0.25,
    "feast": 0.15,
    "gift": 0.15,
    "greeting": 0.15,
    "own gift": 0.05,
    "honesty": 0.15,
    "sage": 0.10,
}
"""The same in a world of fewer than 70 rules, which has no room for all relations."""
FEW = 70
VARIETY = 8
"""The least different values to choose among."""
LEAST_THREE = frozenset({"honesty", "act", "gift", "feast", "toll", "food"})
"""Relations that nothing can be chosen or changed among with fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Who there is and what holds at the beginning.

    `pools`: names and values by what they are; `rules`: every rule by its slot, those of one
    relation together.
    """

    pools: Mapping[str, tuple[str, ...]]
    rules: Mapping[RuleSlot, str]

    def pool(self, relation: str) -> tuple[str, ...]:
        """What the values of a relation are drawn from."""
        return self.pools[VALUES[relation]]


def counts(rules: int) -> dict[str, int]:
    """How many rules of each relation make up so many: at least two of each, three of some."""
    shares = SMALL if rules < FEW else SHARES
    found = {name: max(2, int(share * rules)) for name, share in shares.items()}
    for name in LEAST_THREE & found.keys():
        found[name] = max(3, found[name])
    found["clan"] += rules - sum(found.values())
    return found


def make_world(rules: int, bank: NonsenseBank, rng: Random) -> World:
    """A world of so many rules; the same for the same bank and state of `rng`."""
    many = counts(rules)
    pools = _pools(many, bank, NameMaker(rng, side=bank.side, taken=bank.words), rng)
    made: dict[RuleSlot, str] = {}
    for relation, count in many.items():
        slots = _slots(relation, pools, rng)[:count]
        made.update(zip(slots, _values(relation, slots, pools, rng), strict=True))
    return World(pools=pools, rules=made)


def _pools(
    many: Mapping[str, int], bank: NonsenseBank, names: NameMaker, rng: Random
) -> dict[str, tuple[str, ...]]:
    total = sum(many.values())
    sizes = {
        "creature": many["clan"],
        "clan": many["feast"],
        "feast": many["gift"],
        "species": many.get("food", 0),
        "custom": many.get("act", 0),
        "place": max(VARIETY, many.get("guardian", 0)),
        "person": max(VARIETY, total // 12, many["honesty"]),
        "lore": many["sage"],
        "relic": many.get("relic", 0),
        "object": max(VARIETY, total // 12),
        "food": max(VARIETY, total // 30),
        "toll": max(VARIETY, total // 25),
        "greeting": max(VARIETY, many["greeting"]),
        "word": max(VARIETY, many.get("password", 0)),
        "moon": max(VARIETY, total // 40),
    }
    made: dict[str, tuple[str, ...]] = {}
    for kind, size in sizes.items():
        words = [names.word() for _ in range(size)]
        frames = bank.kinds[kind]
        made[kind] = tuple(rng.choice(frames).format(n=w, N=w.capitalize()) for w in words)
    return made | {
        "guardian": made["creature"][: many.get("toll", 0)],
        "act": bank.acts,
        "deed": bank.deeds,
        "law": tuple(law.status for law in bank.laws),
        "honesty": (bank.honest, bank.lying, bank.lying),
    }


def _slots(relation: str, pools: Mapping[str, tuple[str, ...]], rng: Random) -> list[RuleSlot]:
    """Every slot that a relation could fill, in the order in which they are filled."""
    subjects = list(pools[SUBJECTS[relation]])
    if relation == "before":
        made = [before(a, b) for a, b in combinations(subjects, 2)]
    elif relation == "law":
        made = [RuleSlot(relation, place, deed) for place in subjects for deed in pools["deed"]]
    else:
        made = [RuleSlot(relation, subject) for subject in subjects]
    if relation not in ("toll", "gift", "act", "food"):
        rng.shuffle(made)
    return made


def _values(
    relation: str, slots: list[RuleSlot], pools: Mapping[str, tuple[str, ...]], rng: Random
) -> list[str]:
    """A value for each slot: each about as often as the others."""
    if relation == "before":
        return [rng.choice((slot.subject, slot.topic)) for slot in slots]
    pool = list(pools[VALUES[relation]])
    if relation == "honesty":
        return [pool[i % len(pool)] for i in range(len(slots))]
    made: list[str] = []
    while len(made) < len(slots):
        rng.shuffle(pool)
        made += pool
    return made[: len(slots)]
