"""What happens to people, turn after turn, and who tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from heapq import heappop, heappush
from random import Random

from mags_lab.games.companion.bank import MONTHS, SECRETS, TASTES, WEEKDAYS, Bank
from mags_lab.games.companion.cast import Cast
from mags_lab.games.companion.facts import Diary, Slot, Telling
from mags_lab.games.companion.levels import Level
from mags_lab.games.companion.speech import Speech

FIRST = date(2024, 1, 1)
"""Second 0 of a game."""
DAY_S = 86_400.0
REST = 6
"""Turns for which what has changed stays as it is."""
SOON, LATER = 2, 13
"""Days from the telling of an event to the event."""
UNSURE, POSTPONED = 0.25, 0.2
"""Shares of the events whose day is corrected, and put off."""
MAY: Mapping[str, frozenset[str]] = {
    "announced": frozenset({"work", "home", *TASTES, "role", "spot"}),
    "hearsay": frozenset({"work", "home", *TASTES}),
    "shown": frozenset(TASTES),
    "corrected": frozenset({"work", "home", *TASTES, "role"}),
    "rumour": frozenset({"work", "home"}),
    "lifted": frozenset({"keeps"}),
}
"""What a change of each sort may touch."""


class Life:
    """The lines of a game, a turn at a time; they do not depend on what a player does.

    `changed`: called with a slot and the value it had, or was claimed to have.
    """

    def __init__(self, level: Level, bank: Bank, cast: Cast, diary: Diary, rng: Random) -> None:
        self._level = level
        self._bank = bank
        self._cast = cast
        self._diary = diary
        self._rng = rng
        self._speech = Speech(bank, cast, rng)
        self._lines: list[Telling] = []
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._made = 0
        self._world = dict(cast.truth)
        self._events = iter(rng.sample(cast.pools["event"], len(cast.pools["event"])))
        self._locked: dict[Slot, int] = {}
        self.changed: Callable[[Slot, str], None] = _nothing
        self.turn = 0
        start = rng.randint(0, 365 - level.days)
        self.at = start * DAY_S + 8 * 3600.0
        self._untold()
        for how, count in level.changes.items():
            for _ in range(count):
                self._at(self._sometime(0.08, 0.92), self._changer(how))

    @property
    def today(self) -> date:
        """The day of this turn."""
        return FIRST + timedelta(seconds=self.at)

    def __iter__(self) -> Iterator[list[Telling]]:
        """What is said in each turn, first to last; the diary has heard it by then."""
        for turn in range(self._level.turns):
            self.turn, self._lines = turn, []
            if turn:
                mean = self._level.days * DAY_S / self._level.turns
                self.at += mean * self._rng.uniform(0.4, 1.6)
            while self._due and self._due[0][0] <= turn:
                heappop(self._due)[2]()
            self._mood()
            if turn and self._rng.random() < self._level.events:
                self._plan_event()
            self._chat()
            yield self._lines

    def say(self, telling: Telling) -> None:
        """Have a line said in this turn."""
        self._diary.hear((self.turn, len(self._lines)), telling)
        self._lines.append(telling)

    def is_quiet(self, slot: Slot) -> bool:
        """Whether nobody has contradicted it for a while and nobody is about to."""
        return self._locked.get(slot, -1) < self.turn

    def _at(self, turn: int, do: Callable[[], None]) -> None:
        self._made += 1
        heappush(self._due, (turn, self._made, do))

    def _sometime(self, low: float, high: float) -> int:
        turns = self._level.turns
        return max(1, self._rng.randint(int(low * turns), int(high * turns)))

    def _untold(self) -> None:
        """When each fact is told first: some in the first scene, some never."""
        hero = self._cast.hero
        secrets = [slot for slot in self._world if slot.key in SECRETS]
        others = [slot for slot in self._world if slot.key not in SECRETS]
        others.sort(key=lambda slot: self._rng.random() + (slot.subject != hero))
        opening = self._level.opening
        for slot in others[:opening]:
            self._at(0, self._teller(slot))
        rest = others[opening:]
        for slot in self._rng.sample(rest, round(self._level.told * len(rest))):
            self._at(self._sometime(0.0, 0.7), self._teller(slot))
        for slot in secrets:
            self._at(self._sometime(0.03, 0.5), self._teller(slot))

    def _teller(self, slot: Slot) -> Callable[[], None]:
        def tell() -> None:
            value = self._world[slot]
            if slot.key in SECRETS:
                for telling in self._speech.confided(slot, value):
                    self.say(telling)
            else:
                self.say(self._speech.told(slot, value))

        return tell

    def _chat(self) -> None:
        lines = [
            self._speech.chatter() for _ in range(int(self._level.fillers + self._rng.random()))
        ]
        if lines and self._rng.random() < 0.5:
            self._lines[:0] = lines[:1]
            lines = lines[1:]
        self._lines += lines

    def _mood(self) -> None:
        if self.turn == 0 or self._rng.random() >= self._level.moods:
            return
        slot = Slot(self._cast.hero, "mood")
        moods = [mood for mood in self._bank.moods if mood != self._diary.values.get(slot)]
        self.say(self._speech.told(slot, self._rng.choice(moods)))

    def _changer(self, how: str) -> Callable[[], None]:
        return lambda: self._change(how)

    def _change(self, how: str) -> None:
        """A change of that sort, where anything that was told can change so."""
        fit = [
            slot
            for slot in self._diary.values
            if slot.key in MAY[how] and self.is_quiet(slot) and self._may(slot, how)
        ]
        if not fit:
            return
        slot = self._rng.choice(fit)
        self._locked[slot] = self.turn + REST
        if how == "lifted":
            self.say(self._speech.lifted(slot))
            return
        old = self._diary.values[slot]
        value = self._other(slot, old)
        self.changed(slot, value if how == "rumour" else old)
        if how == "rumour":
            self.say(self._speech.rumour(slot, value))
            self._at(self.turn + self._rng.randint(2, 4), self._denier(slot, value))
            return
        self._world[slot] = value
        if how == "shown":
            self.say(self._speech.shown(slot, value, old))
        elif how == "corrected":
            self.say(self._speech.corrected(slot, value, old))
        else:
            month = MONTHS[self.today.month - 1]
            self.say(self._speech.changed(slot, value, old, month, how))

    def _may(self, slot: Slot, how: str) -> bool:
        """Rumours are about others; what is corrected was told not long ago; kin stay kin."""
        if slot.key == "role" and how != "corrected" and slot.topic not in self._bank.changing:
            return False
        if how == "rumour":
            return slot.subject != self._cast.hero
        return how != "corrected" or self.turn - self._diary.turns[slot] < 40

    def _denier(self, slot: Slot, claimed: str) -> Callable[[], None]:
        return lambda: self.say(self._speech.denied(slot, self._world[slot], claimed))

    def _other(self, slot: Slot, old: str) -> str:
        """Another value of a slot; nobody is of two kinships, where there are enough people."""
        pool = self._cast.pools["person" if slot.key == "role" else slot.key]
        taken = {old}
        if slot.key in ("role", "spot"):
            taken |= {v for s, v in self._world.items() if s.key == slot.key}
        taken.add(slot.subject)
        free = [value for value in pool if value not in taken]
        return self._rng.choice(free or [value for value in pool if value != old])

    def _plan_event(self) -> None:
        """Somebody has a plan: it may be corrected or put off, and something becomes of it."""
        event = next(self._events, None)
        if event is None:
            return
        slot = Slot(event, "day")
        when = self.today + timedelta(days=self._rng.randint(SOON, LATER))
        self._world[slot] = WEEKDAYS[when.weekday()]
        self.say(self._speech.told(slot, self._world[slot]))
        luck = self._rng.random()
        if luck < UNSURE:
            self._at(self.turn + self._rng.randint(1, 3), lambda: self._redated(slot, "corrected"))
        elif luck < UNSURE + POSTPONED:
            wait = self._rng.randint(2, 2 + self._turns(SOON))
            self._at(self.turn + wait, lambda: self._redated(slot, "put off"))
        days = (when - self.today).days + self._rng.randint(1, 4)
        self._at(self.turn + self._turns(days), lambda: self._end(slot))

    def _turns(self, days: int) -> int:
        return max(1, round(days * self._level.turns / self._level.days))

    def _redated(self, slot: Slot, how: str) -> None:
        if slot not in self._diary.values or Slot(slot.subject, "outcome") in self._diary.values:
            return
        old = self._diary.values[slot]
        value = self._rng.choice([day for day in WEEKDAYS if day != old])
        self._world[slot] = value
        self.changed(slot, old)
        if how == "corrected":
            self.say(self._speech.corrected(slot, value, old))
        else:
            self.say(self._speech.changed(slot, value, old, "", how))

    def _end(self, slot: Slot) -> None:
        outcome = self._rng.choice(self._bank.outcomes)
        self.say(self._speech.told(Slot(slot.subject, "outcome"), outcome))


def _nothing(slot: Slot, value: str) -> None:
    """Nobody wants to know."""
