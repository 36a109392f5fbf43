"""What there is to know of somebody, and what has been told of it so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from mags_lab.games.turns import Said, TruthFact


class Slot(NamedTuple):
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


def fact(slot: Slot, value: str) -> TruthFact:
    """A slot and its value as the game's truth has them."""
    return TruthFact(subject=slot.subject, relation=slot.relation, object=value)


class Telling(NamedTuple):
    """A line and what it tells. `gives`: slots with the values they have from now on.

    `frees`: slots that have no value from now on; `how`: the sort of change, "" for none;
    `rumoured`: a slot that it tells something false of.
    """

    speaker: str
    text: str
    gives: tuple[tuple[Slot, str], ...] = ()
    frees: tuple[Slot, ...] = ()
    how: str = ""
    rumoured: Slot | None = None


class Diary:
    """What has been told so far, what of it holds, and by which line it was told last."""

    def __init__(self) -> None:
        """Nothing has been told."""
        self.values: dict[Slot, str] = {}
        self.turns: dict[Slot, int] = {}
        self.of: dict[tuple[str, str], dict[Slot, None]] = defaultdict(dict)
        self.changes: list[int] = []
        self._texts: dict[Slot, str] = {}
        self._held: set[TruthFact] = set()
        self._over: set[TruthFact] = set()
        self._rumoured: dict[Slot, int] = {}
        self._changed: dict[Slot, tuple[int, str]] = {}
        self.teaches: dict[Said, tuple[TruthFact, ...]] = {}
        self.ends: dict[Said, tuple[TruthFact, ...]] = {}

    def begin_scene(self) -> None:
        """What is heard from here on belongs to a new scene."""
        self.teaches, self.ends = {}, {}

    def hear(self, said: Said, telling: Telling) -> None:
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

    def _end(self, slot: Slot) -> list[TruthFact]:
        value = self.values.pop(slot, None)
        if value is None:
            return []
        self.of[slot.subject, slot.key].pop(slot)
        found = fact(slot, value)
        self._held.discard(found)
        self._over.add(found)
        return [found]

    def _change(self, turn: int, telling: Telling) -> None:
        touched = (*telling.frees, *(slot for slot, _ in telling.gives))
        self._changed.update(dict.fromkeys(touched, (turn, telling.how)))
        if self.changes[-1:] != [turn]:
            self.changes.append(turn)

    def text(self, slot: Slot) -> str:
        """The line that told it last, with who said it."""
        return self._texts[slot]

    def news(self, slots: Iterable[Slot]) -> tuple[int | None, str]:
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
