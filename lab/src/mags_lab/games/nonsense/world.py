"""A made-up world: who and what there is, and the arbitrary rules it begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from random import Random

from mags_lab.games.nonsense.bank import Bank
from mags_lab.games.nonsense.names import Names
from mags_lab.games.nonsense.rules import SUBJECTS, VALUES, Slot, before

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
    rules: Mapping[Slot, str]

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


def make_world(rules: int, bank: Bank, rng: Random) -> World:
    """A world of so many rules; the same for the same bank and state of `rng`."""
    many = counts(rules)
    pools = _pools(many, bank, Names(rng, side=bank.side, taken=bank.words), rng)
    made: dict[Slot, str] = {}
    for relation, count in many.items():
        slots = _slots(relation, pools, rng)[:count]
        made.update(zip(slots, _values(relation, slots, pools, rng), strict=True))
    return World(pools=pools, rules=made)


def _pools(
    many: Mapping[str, int], bank: Bank, names: Names, rng: Random
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


def _slots(relation: str, pools: Mapping[str, tuple[str, ...]], rng: Random) -> list[Slot]:
    """Every slot that a relation could fill, in the order in which they are filled."""
    subjects = list(pools[SUBJECTS[relation]])
    if relation == "before":
        made = [before(a, b) for a, b in combinations(subjects, 2)]
    elif relation == "law":
        made = [Slot(relation, place, deed) for place in subjects for deed in pools["deed"]]
    else:
        made = [Slot(relation, subject) for subject in subjects]
    if relation not in ("toll", "gift", "act", "food"):
        rng.shuffle(made)
    return made


def _values(
    relation: str, slots: list[Slot], pools: Mapping[str, tuple[str, ...]], rng: Random
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
