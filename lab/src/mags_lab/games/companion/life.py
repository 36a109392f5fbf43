"""What happens in a life, day after day, and how people tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from heapq import heappop, heappush
from random import Random

from mags_lab.games.companion.bank import MONTHS, SECRETS, TASTES, WEEKDAYS, CompanionBank
from mags_lab.games.companion.cast import (
    Cast,
    CompanionLevel,
    CompanionTelling,
    FactSlot,
    ToldFacts,
)
from mags_lab.games.sentences import sentence

INNER = frozenset({*SECRETS, "mood"})
"""What people tell of themselves alone."""
EVENTFUL = frozenset({"day", "outcome"})
DATED = 0.7
"""Share of the changes of work and home that are told with the month."""


class SpeechMaker:
    """Lines by chance. `rng` alone decides."""

    def __init__(self, bank: CompanionBank, cast: Cast, rng: Random) -> None:
        self._bank = bank
        self._cast = cast
        self._rng = rng

    def told(self, slot: FactSlot, value: str) -> CompanionTelling:
        """A fact, by whom it is about or by somebody else."""
        speaker, section = self._speaker(slot, value)
        text = self.framed("plain", c=self.clause(section, slot, value))
        return CompanionTelling(speaker, text, ((slot, value),))

    def changed(
        self, slot: FactSlot, value: str, old: str, month: str, how: str
    ) -> CompanionTelling:
        """A fact that has another value now, told by whom it is about, or as hearsay."""
        speaker, section = self._speaker(slot, value)
        if how == "hearsay":
            speaker, section = self.somebody(slot.subject, value, old), "theirs"
        clause = self.clause(f"{section}_change", slot, value, old=old)
        frame = "hearsay" if how == "hearsay" else "plain"
        gives = [(slot, value)]
        frees: tuple[FactSlot, ...] = ()
        if slot.key in ("work", "home"):
            gives.append((slot._replace(key=f"{slot.key}_before"), old))
            since = slot._replace(key=f"{slot.key}_since")
            if self._rng.random() < DATED:
                frame = "dated"
                gives.append((since, month))
            else:
                frees = (since,)
        text = self.framed(frame, c=clause, m=month)
        return CompanionTelling(speaker, text, tuple(gives), frees, how)

    def shown(self, slot: FactSlot, value: str, old: str) -> CompanionTelling:
        """A preference that shows in what somebody does."""
        text = self._pick("shown", slot.key).format(s=slot.subject, o=value, old=old)
        speaker = self._bank.narrator
        if slot.subject != self._cast.hero and self._rng.random() < 0.5:
            speaker = self._cast.hero
        return CompanionTelling(speaker, sentence(text), ((slot, value),), (), "shown")

    def corrected(self, slot: FactSlot, value: str, old: str) -> CompanionTelling:
        """A fact that was told wrongly before."""
        speaker, section = self._speaker(slot, value)
        clause = self.clause(section, slot, value)
        text = self.framed("corrected", c=clause, o=value, old=old)
        frees: tuple[FactSlot, ...] = ()
        if slot.key in ("work", "home"):
            frees = tuple(slot._replace(key=f"{slot.key}_{x}") for x in ("since", "before"))
        return CompanionTelling(speaker, text, ((slot, value),), frees, "corrected")

    def rumour(self, slot: FactSlot, value: str) -> CompanionTelling:
        """Something that is not so."""
        clause = self.clause("theirs", slot, value)
        text = self.framed("rumour", c=clause)
        return CompanionTelling(self.somebody(slot.subject, value), text, rumoured=slot)

    def denied(self, slot: FactSlot, value: str, claimed: str) -> CompanionTelling:
        """What is so, after a rumour."""
        mine = self._rng.random() < 0.5
        speaker = slot.subject if mine else self._cast.hero
        clause = self.clause("mine" if mine else "theirs", slot, value)
        text = self.framed("denied", c=clause, old=claimed)
        return CompanionTelling(speaker, text, ((slot, value),))

    def confided(self, slot: FactSlot, value: str) -> list[CompanionTelling]:
        """A secret, and that it is one."""
        topic = self._bank.topics[slot.key]
        keeps = FactSlot(slot.subject, "keeps", slot.key)
        text = self.framed("secret", t=topic)
        return [self.told(slot, value), CompanionTelling(slot.subject, text, ((keeps, topic),))]

    def lifted(self, keeps: FactSlot) -> CompanionTelling:
        """A secret is one no longer."""
        text = self.framed("lifted", t=self._bank.topics[keeps.topic])
        return CompanionTelling(keeps.subject, text, (), (keeps,), "lifted")

    def chatter(self) -> CompanionTelling:
        """A line that tells nothing."""
        people = self._rng.sample(self._cast.people, 2)
        text = self._pick("chatter", "lines").format(a=people[0], b=people[1])
        speaker = self._cast.hero
        if self._rng.random() < 0.25:
            speaker = self.somebody(*people)
        return CompanionTelling(speaker, sentence(text))

    def clause(self, section: str, slot: FactSlot, value: str, *, old: str = "") -> str:
        """A fact as a clause; as it is told plainly where the section has no words for it."""
        if slot.key not in self._bank.lists[section]:
            section = section.removesuffix("_change")
        if slot.key not in self._bank.lists[section]:
            section = "theirs"
        line = self._pick(section, slot.key)
        return line.format(s=slot.subject, o=value, old=old, t=slot.topic)

    def framed(self, frame: str, **parts: str) -> str:
        """A sentence in one of the frames of that name."""
        return sentence(self._pick("frames", frame).format(**parts))

    def somebody(self, *but: str) -> str:
        """One of the people, none of these; the one who is got to know where nobody is left."""
        people = [name for name in self._cast.people if name not in but]
        return self._rng.choice(people or [self._cast.hero])

    def _speaker(self, slot: FactSlot, value: str) -> tuple[str, str]:
        """Who tells it, and whether as of themselves."""
        hero, luck = self._cast.hero, self._rng.random()
        if slot.key in INNER:
            return slot.subject, "mine"
        if slot.key in EVENTFUL:
            return hero, "theirs"
        if slot.subject == hero:
            return (hero, "mine") if luck < 0.8 else (self.somebody(value), "theirs")
        if luck < 0.6:
            return hero, "theirs"
        if luck < 0.8:
            return slot.subject, "mine"
        return self.somebody(slot.subject, value), "theirs"

    def _pick(self, section: str, key: str) -> str:
        return self._rng.choice(self._bank.lists[section][key])


def reminder(
    bank: CompanionBank, cast: Cast, values: Mapping[FactSlot, str], rng: Random
) -> CompanionTelling | None:
    """One of these facts, told again by the one who is got to know; None where nobody would."""

    def section(slot: FactSlot) -> str:
        mine = slot.subject == cast.hero and slot.key in bank.lists["mine"]
        return "mine" if mine else "theirs"

    fit = [slot for slot in values if slot.key in bank.lists[section(slot)]]
    if not fit:
        return None
    slot = rng.choice(fit)
    clause = SpeechMaker(bank, cast, rng).clause(section(slot), slot, values[slot])
    text = sentence(rng.choice(bank.lists["reply"]["remind"]).format(c=clause))
    return CompanionTelling(cast.hero, text, ((slot, values[slot]),))


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

    def __init__(
        self, level: CompanionLevel, bank: CompanionBank, cast: Cast, diary: ToldFacts, rng: Random
    ) -> None:
        self._level = level
        self._bank = bank
        self._cast = cast
        self._diary = diary
        self._rng = rng
        self._speech = SpeechMaker(bank, cast, rng)
        self._lines: list[CompanionTelling] = []
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._made = 0
        self._world = dict(cast.truth)
        self._events = iter(rng.sample(cast.pools["event"], len(cast.pools["event"])))
        self._locked: dict[FactSlot, int] = {}
        self.changed: Callable[[FactSlot, str], None] = _nothing
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

    def __iter__(self) -> Iterator[list[CompanionTelling]]:
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

    def say(self, telling: CompanionTelling) -> None:
        """Have a line said in this turn."""
        self._diary.hear((self.turn, len(self._lines)), telling)
        self._lines.append(telling)

    def is_quiet(self, slot: FactSlot) -> bool:
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

    def _teller(self, slot: FactSlot) -> Callable[[], None]:
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
        slot = FactSlot(self._cast.hero, "mood")
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

    def _may(self, slot: FactSlot, how: str) -> bool:
        """Rumours are about others; what is corrected was told not long ago; kin stay kin."""
        if slot.key == "role" and how != "corrected" and slot.topic not in self._bank.changing:
            return False
        if how == "rumour":
            return slot.subject != self._cast.hero
        return how != "corrected" or self.turn - self._diary.turns[slot] < 40

    def _denier(self, slot: FactSlot, claimed: str) -> Callable[[], None]:
        return lambda: self.say(self._speech.denied(slot, self._world[slot], claimed))

    def _other(self, slot: FactSlot, old: str) -> str:
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
        slot = FactSlot(event, "day")
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

    def _redated(self, slot: FactSlot, how: str) -> None:
        if (
            slot not in self._diary.values
            or FactSlot(slot.subject, "outcome") in self._diary.values
        ):
            return
        old = self._diary.values[slot]
        value = self._rng.choice([day for day in WEEKDAYS if day != old])
        self._world[slot] = value
        self.changed(slot, old)
        if how == "corrected":
            self.say(self._speech.corrected(slot, value, old))
        else:
            self.say(self._speech.changed(slot, value, old, "", how))

    def _end(self, slot: FactSlot) -> None:
        outcome = self._rng.choice(self._bank.outcomes)
        self.say(self._speech.told(FactSlot(slot.subject, "outcome"), outcome))


def _nothing(slot: FactSlot, value: str) -> None:
    """Nobody wants to know."""
