"""What is asked when: the same for every player of a seed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from math import log
from random import Random
from typing import NamedTuple

from mags_lab.games.companion.bank import TASTES, Bank
from mags_lab.games.companion.cast import Cast
from mags_lab.games.companion.facts import Diary, Slot, Telling
from mags_lab.games.companion.levels import Level
from mags_lab.games.companion.life import Life
from mags_lab.games.companion.questions import DATED, OF_KIN, Asked, Asker, Decision

SAMPLE = 14
"""Decisions among which one of the right age is looked for."""
RECENT = 6
"""A decision is not asked again for so many turns, unless it is there to measure a change."""
PROBES = ((1, 3), (4, 9), (10, 20), (30, 60))
"""After how many turns, least and most, a change is asked for."""
WEIGHTS = {
    **{"work": 2, "home": 2, "meal": 2, "place": 2, "role": 1, "day": 2, "outcome": 2},
    **dict.fromkeys(TASTES, 1),
    **dict.fromkeys(sorted(OF_KIN), 2),
    **dict.fromkeys(sorted(DATED), 1),
}
"""How often each kind is tried."""
HERO = 0.4
"""Share of the questions that are about the one who is got to know, where they may be."""


class Step(NamedTuple):
    """A scene that is to come. `at`: seconds of game time."""

    turn: int
    at: float
    tellings: tuple[Telling, ...]
    asked: Asked


class Plan:
    """The steps of one game. Iterate it once."""

    def __init__(self, level: Level, bank: Bank, cast: Cast, rng: Random) -> None:
        self._level = level
        self._cast = cast
        self._bank = bank
        self._rng = rng
        self._diary = Diary()
        self._asker = Asker(bank, cast, self._diary, rng)
        self._life = Life(level, bank, cast, self._diary, rng)
        self._life.changed = self._changed
        self._probes: list[tuple[int, int, Slot]] = []
        self._recent: deque[Decision | Slot] = deque(maxlen=RECENT)
        self._kinds = list(WEIGHTS)
        self._weights = list(WEIGHTS.values())

    def __iter__(self) -> Iterator[Step]:
        """Every step, first to last."""
        for lines in self._life:
            asked = self._asked()
            yield Step(self._life.turn, self._life.at, tuple(lines), asked)

    def _changed(self, slot: Slot, old: str) -> None:
        """A value that a slot had, or was claimed to have, misleads from now on."""
        former = self._asker.former[slot]
        if old in former:
            former.remove(old)
        former.append(old)
        if slot.key in ("work", "home"):
            self._asker.former[slot._replace(key=f"{slot.key}_before")].append(old)
        for low, high in PROBES:
            turn = self._life.turn + self._rng.randint(low, high)
            heappush(self._probes, (turn, len(former) + turn, slot))

    def _asked(self) -> Asked:
        luck, level = self._rng.random(), self._level
        if luck < level.never:
            return self._never()
        confided = luck < level.never + level.secrets
        found = self._best(self._confided()) if confided else self._due()
        found = found or self._best(self._some())
        if found is None:
            return self._never()
        decision, slots = found
        self._recent.append(decision)
        return self._asker.ask(decision, slots)

    def _never(self) -> Asked:
        """After something that nobody has told so far."""
        fit = [s for s in self._cast.truth if self._asker.unknown(s) and s not in self._recent]
        if not fit:
            return self._made_up()
        slot = self._rng.choice(fit)
        self._recent.append(slot)
        return self._asker.never(slot)

    def _made_up(self) -> Asked:
        """After a kinship of somebody of whom none is ever told."""
        role, name = self._rng.choice(self._bank.roles), self._rng.choice(self._cast.people)
        return self._asker.never(Slot(name, "role", role))

    def _due(self) -> tuple[Decision, tuple[Slot, ...]] | None:
        """What rests on a slot that changed, when it is time to ask for it."""
        while self._probes and self._probes[0][0] <= self._life.turn:
            slot = heappop(self._probes)[2]
            found = [d for d in self._resting(slot) if d not in self._recent]
            self._rng.shuffle(found)
            for decision in found:
                slots = self._knowable(decision)
                if slots is not None:
                    return decision, slots
        return None

    def _resting(self, slot: Slot) -> list[Decision]:
        subject, key, topic = slot
        if key == "spot":
            return [Decision("place", subject)]
        found = [Decision(key, subject, topic)]
        if key in ("work", "home"):
            found += [Decision(f"{key}_{x}", subject) for x in ("since", "before")]
            kin = self._diary.of[self._cast.hero, "role"]
            found += [
                Decision(f"role_{key}", self._cast.hero, role.topic)
                for role in kin
                if self._diary.values[role] == subject
            ]
        return found

    def _knowable(self, decision: Decision) -> tuple[Slot, ...] | None:
        """What it rests on, where all of that was told before this turn and is not in dispute."""
        slots = self._asker.rests_on(decision)
        if slots is None or (decision.kind == "day" and self._is_past(decision.subject)):
            return None
        turn, turns = self._life.turn, self._diary.turns
        quiet = all(turns[s] < turn and not self._in_dispute(s) for s in slots)
        return slots if quiet else None

    def _in_dispute(self, slot: Slot) -> bool:
        return self._diary.news((slot,))[1] == "rumour" and not self._life.is_quiet(slot)

    def _is_past(self, event: str) -> bool:
        return Slot(event, "outcome") in self._diary.values

    def _some(self) -> Iterator[Decision]:
        """So many decisions by chance."""
        for kind in self._rng.choices(self._kinds, self._weights, k=SAMPLE):
            found = self._of_kind(kind)
            if found is not None:
                yield found

    def _of_kind(self, kind: str) -> Decision | None:
        rng, hero = self._rng, self._cast.hero
        if kind in ("day", "outcome"):
            events = self._events[kind]
            return Decision(kind, rng.choice(events)) if events else None
        if kind == "place":
            return Decision(kind, hero)
        if kind in OF_KIN or kind == "role":
            return Decision(kind, hero, rng.choice(self._bank.roles[: len(self._cast.people)]))
        name = hero if rng.random() < HERO else rng.choice(self._cast.people)
        if kind == "meal":
            return self._meal(name)
        return Decision(kind, name)

    @property
    def _events(self) -> dict[str, list[str]]:
        open_ = [s.subject for s in self._diary.values if s.key == "day"][-40:]
        over = [s.subject for s in self._diary.values if s.key == "outcome"]
        return {"day": open_, "outcome": over}

    def _meal(self, name: str) -> Decision | None:
        """A meal for one, or for two where one alone would make it too easy."""
        known = list(self._diary.of[name, "avoid"])
        guest = self._rng.choice(self._cast.people)
        if len(known) < 3 and guest != name:
            known += self._diary.of[guest, "avoid"]
        dishes = {slot.topic: slot for slot in known}
        if len(dishes) < 3:
            return None
        chosen = self._rng.sample(list(dishes.values()), 3)
        return Decision("meal", name, "", tuple(sorted(chosen)))

    def _confided(self) -> Iterator[Decision]:
        keeps = [s for s in self._diary.turns if s.key == "keeps"]
        for slot in self._rng.sample(keeps, min(len(keeps), 4)):
            for kind in ("secret", "secret", "own", "open"):
                yield Decision(kind, slot.subject, slot.topic)

    def _best(self, decisions: Iterator[Decision]) -> tuple[Decision, tuple[Slot, ...]] | None:
        """The one whose lines are about as old as chance wants them."""
        wanted = self._rng.uniform(log(2), log(self._life.turn + 2))
        best: tuple[float, Decision, tuple[Slot, ...]] | None = None
        for decision in decisions:
            slots = self._knowable(decision)
            if slots is None or decision in self._recent:
                continue
            age = self._life.turn - min(self._diary.turns[slot] for slot in slots)
            off = abs(log(age + 1) - wanted)
            if best is None or off < best[0]:
                best = off, decision, slots
        return None if best is None else (best[1], best[2])
