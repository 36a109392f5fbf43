"""The levels of a companion game, the facts of a life, and who is in it at the start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from mags.errors import NotFound
from mags_lab.games.companion.bank import SECRETS, TASTES, CompanionBank
from mags_lab.games.nonsense.world import NameMaker
from mags_lab.games.turns import Said, TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanionLevel:
    """How a game is made.

    `people`: beside the one who is got to know; `turns`, `days`: how long; `opening`: facts told
    in the first scene; `told`: the share of the others told sooner or later. By turn: `fillers`,
    lines that tell nothing; `moods`, `events`: how often a mood changes and an event is planned.
    `never`, `secrets`: shares of the questions that ask what was never told, and after a secret.
    `remind`: how often a wrong answer is set right. `changes`: how many of each sort:
    "announced" (by whom it is about), "hearsay" (by others), "shown" (by what somebody does),
    "corrected" (was never so), "rumour" (claimed, not so, and denied later), "lifted" (a secret).
    """

    name: str
    people: int
    turns: int
    days: int
    opening: int
    told: float = 0.85
    fillers: float = 1.2
    moods: float = 0.1
    events: float = 0.07
    never: float = 0.08
    secrets: float = 0.08
    remind: float = 0.3
    changes: Mapping[str, int]


def _changes(*counts: int) -> Mapping[str, int]:
    sorts = ("announced", "hearsay", "shown", "corrected", "rumour", "lifted")
    return MappingProxyType(dict(zip(sorts, counts, strict=True)))


LEVELS: Mapping[str, CompanionLevel] = MappingProxyType(
    {
        level.name: level
        for level in (
            CompanionLevel(
                name="short",
                people=5,
                turns=60,
                days=60,
                opening=8,
                changes=_changes(3, 1, 2, 2, 1, 1),
            ),
            CompanionLevel(
                name="standard",
                people=24,
                turns=600,
                days=240,
                opening=24,
                changes=_changes(24, 12, 14, 12, 8, 3),
            ),
            CompanionLevel(
                name="long",
                people=90,
                turns=5000,
                days=330,
                opening=40,
                events=0.05,
                changes=_changes(150, 80, 80, 60, 50, 10),
            ),
        )
    }
)


def level(name: str) -> CompanionLevel:
    """The level of that name; raises NotFound."""
    if name not in LEVELS:
        raise NotFound(f"there is no level {name!r}: choose among {', '.join(LEVELS)}", level=name)
    return LEVELS[name]


class FactSlot(NamedTuple):
    """What can have one value at a time. `key`: the bank's list it is told with.

    `topic`: a kinship, a mood, a dish or a secret, "" for none.
    """

    subject: str
    key: str
    topic: str = ""

    @property
    def relation(self) -> str:
        """The game's name of the relation."""
        return _RELATIONS.get(self.key, self.key).format(t=self.topic)


_RELATIONS: Mapping[str, str] = MappingProxyType(
    {
        "work": "works at",
        "home": "lives in",
        "drink": "likes to drink",
        "sweet": "likes to eat",
        "craft": "collects",
        "avoid": "does not eat",
        "spot": "goes when {t} to",
        "role": "{t}",
        "debt": "owes money to",
        "crush": "loves",
        "leaving": "wants to leave for",
        "hoard": "has money hidden at",
        "keeps": "keeps secret",
        "mood": "feels",
        "work_since": "works there since",
        "home_since": "lives there since",
        "work_before": "worked before at",
        "home_before": "lived before in",
    }
)


def fact(slot: FactSlot, value: str) -> TruthFact:
    """A slot and its value as the game's truth has them."""
    return TruthFact(subject=slot.subject, relation=slot.relation, object=value)


class CompanionTelling(NamedTuple):
    """A line and what it tells. `gives`: slots with the values they have from now on.

    `frees`: slots that have no value from now on; `how`: the sort of change, "" for none;
    `rumoured`: a slot that it tells something false of.
    """

    speaker: str
    text: str
    gives: tuple[tuple[FactSlot, str], ...] = ()
    frees: tuple[FactSlot, ...] = ()
    how: str = ""
    rumoured: FactSlot | None = None


class ToldFacts:
    """What has been told so far, what of it holds, and by which line it was told last."""

    def __init__(self) -> None:
        """Nothing has been told."""
        self.values: dict[FactSlot, str] = {}
        self.turns: dict[FactSlot, int] = {}
        self.of: dict[tuple[str, str], dict[FactSlot, None]] = defaultdict(dict)
        self.changes: list[int] = []
        self._texts: dict[FactSlot, str] = {}
        self._held: set[TruthFact] = set()
        self._over: set[TruthFact] = set()
        self._rumoured: dict[FactSlot, int] = {}
        self._changed: dict[FactSlot, tuple[int, str]] = {}
        self.teaches: dict[Said, tuple[TruthFact, ...]] = {}
        self.ends: dict[Said, tuple[TruthFact, ...]] = {}

    def begin_scene(self) -> None:
        """What is heard from here on belongs to a new scene."""
        self.teaches, self.ends = {}, {}

    def hear(self, said: Said, telling: CompanionTelling) -> None:
        """Take in a line."""
        ended: list[TruthFact] = []
        text = f"{telling.speaker}: {telling.text}"
        for slot in telling.frees:
            ended += self._end(slot)
        for slot, value in telling.gives:
            if self.values.get(slot, value) != value:
                ended += self._end(slot)
            self.values[slot] = value
            self.turns[slot] = said[0]
            self.of[slot.subject, slot.key][slot] = None
            self._texts[slot] = text
        told = tuple(fact(slot, value) for slot, value in telling.gives)
        self._held.update(told)
        self._over.difference_update(told)
        if told:
            self.teaches[said] = told
        if ended:
            self.ends[said] = tuple(ended)
        if telling.rumoured is not None:
            self._rumoured[telling.rumoured] = said[0]
        if telling.how:
            self._change(said[0], telling)

    def _end(self, slot: FactSlot) -> list[TruthFact]:
        value = self.values.pop(slot, None)
        if value is None:
            return []
        self.of[slot.subject, slot.key].pop(slot)
        found = fact(slot, value)
        self._held.discard(found)
        self._over.add(found)
        return [found]

    def _change(self, turn: int, telling: CompanionTelling) -> None:
        touched = (*telling.frees, *(slot for slot, _ in telling.gives))
        self._changed.update(dict.fromkeys(touched, (turn, telling.how)))
        if self.changes[-1:] != [turn]:
            self.changes.append(turn)

    def text(self, slot: FactSlot) -> str:
        """The line that told it last, with who said it."""
        return self._texts[slot]

    def news(self, slots: Iterable[FactSlot]) -> tuple[int | None, str]:
        """The turn of the last change that touched one of these; its sort, or "rumour"."""
        slots = tuple(slots)
        found = (self._changed[slot] for slot in slots if slot in self._changed)
        turn, how = max(found, default=(-1, ""))
        if max((self._rumoured.get(slot, -1) for slot in slots), default=-1) > turn:
            how = "rumour"
        return (turn if turn >= 0 else None), how

    def facts(self) -> frozenset[TruthFact]:
        """What has been told and holds."""
        return frozenset(self._held)

    def over(self) -> frozenset[TruthFact]:
        """What has been told and holds no longer."""
        return frozenset(self._over)


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
    truth: Mapping[FactSlot, str]


def make_cast(level: CompanionLevel, bank: CompanionBank, rng: Random) -> Cast:
    """People with jobs, homes, tastes, kin and secrets, by chance."""
    names = NameMaker(rng, side=bank.side, taken=bank.words)

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
    truth: dict[FactSlot, str] = {}
    for name in (hero, *people):
        for key in ("work", "home", *TASTES):
            truth[FactSlot(name, key)] = rng.choice(pools[key])
        count = OWN_DISHES if name == hero else DISHES
        for dish in rng.sample(pools["food"], count):
            truth[FactSlot(name, "avoid", dish)] = dish
    for mood, spot in zip(bank.moods, rng.sample(pools["spot"], 4), strict=True):
        truth[FactSlot(hero, "spot", mood)] = spot
    for role, name in zip(bank.roles, rng.sample(people, min(8, len(people))), strict=False):
        truth[FactSlot(hero, "role", role)] = name
    cast = Cast(hero=hero, people=tuple(people), pools=pools, truth=truth)
    _secrets(cast, truth, rng)
    return cast


def _secrets(cast: Cast, truth: dict[FactSlot, str], rng: Random) -> None:
    of = {"debt": "person", "crush": "person", "leaving": "home", "hoard": "spot"}
    for name in cast.pools["person"]:
        mine = name == cast.hero
        if not mine and rng.random() > CONFIDES:
            continue
        for key in SECRETS if mine else (rng.choice(SECRETS),):
            values = [value for value in cast.pools[of[key]] if value != name]
            truth[FactSlot(name, key)] = rng.choice(values)
