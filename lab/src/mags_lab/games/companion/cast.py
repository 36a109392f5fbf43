"""Whom there is to know, and what is so of them, told or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from mags_lab.games.companion.bank import SECRETS, TASTES, Bank
from mags_lab.games.companion.facts import Slot
from mags_lab.games.companion.levels import Level
from mags_lab.games.nonsense.names import Names

OWN_DISHES, DISHES = 6, 2
"""What the one who is got to know does not eat, and what anybody else does not."""
CONFIDES = 0.25
"""Share of the others who have a secret as well."""
POOLS: Mapping[str, float] = {"work": 0.6, "home": 0.6, "drink": 0.5, "sweet": 0.5, "craft": 0.5}
"""Values there are of a kind, for each person and beside ten more: some are shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """`hero`: who is got to know; `people`: the others; `pools`: values by kind.

    `truth`: every slot and its value at the beginning; it is all one needs to know of the world.
    """

    hero: str
    people: tuple[str, ...]
    pools: Mapping[str, tuple[str, ...]]
    truth: Mapping[Slot, str]


def make_cast(level: Level, bank: Bank, rng: Random) -> Cast:
    """People with jobs, homes, tastes, kin and secrets, by chance."""
    names = Names(rng, side=bank.side, taken=bank.words)

    def value(kind: str) -> str:
        word = names.word()
        return rng.choice(bank.lists["kinds"][kind]).format(n=word, N=word.capitalize())

    hero, *people = [value("person") for _ in range(level.people + 1)]
    sizes = {kind: 10 + round(share * level.people) for kind, share in POOLS.items()}
    sizes |= {"spot": 12, "food": 12 + round(0.8 * level.people)}
    pools = {kind: tuple(value(kind) for _ in range(size)) for kind, size in sizes.items()}
    events = level.turns * level.events
    pools["event"] = tuple(value("event") for _ in range(10 + round(1.5 * events)))
    pools["person"] = (hero, *people)
    truth: dict[Slot, str] = {}
    for name in (hero, *people):
        for key in ("work", "home", *TASTES):
            truth[Slot(name, key)] = rng.choice(pools[key])
        count = OWN_DISHES if name == hero else DISHES
        for dish in rng.sample(pools["food"], count):
            truth[Slot(name, "avoid", dish)] = dish
    for mood, spot in zip(bank.moods, rng.sample(pools["spot"], 4), strict=True):
        truth[Slot(hero, "spot", mood)] = spot
    for role, name in zip(bank.roles, rng.sample(people, min(8, len(people))), strict=False):
        truth[Slot(hero, "role", role)] = name
    cast = Cast(hero=hero, people=tuple(people), pools=pools, truth=truth)
    _secrets(cast, truth, rng)
    return cast


def _secrets(cast: Cast, truth: dict[Slot, str], rng: Random) -> None:
    of = {"debt": "person", "crush": "person", "leaving": "home", "hoard": "spot"}
    for name in cast.pools["person"]:
        mine = name == cast.hero
        if not mine and rng.random() > CONFIDES:
            continue
        for key in SECRETS if mine else (rng.choice(SECRETS),):
            values = [value for value in cast.pools[of[key]] if value != name]
            truth[Slot(name, key)] = rng.choice(values)
