"""What is said and asked in a companion game, turn after turn."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from math import log
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from mags_lab.games.companion.bank import MONTHS, TASTES, WEEKDAYS, CompanionBank
from mags_lab.games.companion.cast import (
    Cast,
    CompanionLevel,
    CompanionTelling,
    FactSlot,
    ToldFacts,
)
from mags_lab.games.companion.life import Life
from mags_lab.games.sentences import sentence

CHOICES = 4
"""Actions of a scene."""
REMEMBERED = 2
"""How many former values of a slot are distractors."""
PLAIN = frozenset({"work", "home", *TASTES, "day", "outcome", "role"})
"""Kinds that ask for the value of the slot of the same key."""
DATED = frozenset({"work_since", "home_since", "work_before", "home_before"})
OF_KIN = frozenset({"role_work", "role_home"})
CONFIDED = frozenset({"secret", "own", "open"})
CLOSED = frozenset({*TASTES, "meal", "place"})
"""Kinds whose actions are values alone: something has to be chosen."""
TELLABLE = frozenset({"work", "home", "role"})
"""What may be asked although nobody has told it."""
NAMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(TASTES, "gift"),
        **dict.fromkeys(OF_KIN, "kin's"),
        "role": "kin",
        "work_since": "month",
        "home_since": "month",
        "work_before": "before",
        "home_before": "before",
        "own": "own secret",
        "open": "open secret",
    }
)
"""Kinds as tables name them, where that is not their own name."""


class CompanionDecision(NamedTuple):
    """Something to decide. `topic`: of the slot asked for; `dishes`: of a meal, what is no good."""

    kind: str
    subject: str
    topic: str = ""
    dishes: tuple[FactSlot, ...] = ()


class PlannedQuestion(NamedTuple):
    """A question as it is put. `slots`: what the answer rests on; `unknown`: for what was never
    told, the sentence that says so.
    """

    kind: str
    question: str
    actions: tuple[str, ...]
    best: str
    slots: tuple[FactSlot, ...]
    unknown: str


class CompanionQuestioner:
    """Puts questions to one who has heard what the diary says."""

    def __init__(self, bank: CompanionBank, cast: Cast, diary: ToldFacts, rng: Random) -> None:
        self._bank = bank
        self._cast = cast
        self._diary = diary
        self._rng = rng
        self.former: dict[FactSlot, list[str]] = defaultdict(list)

    def rests_on(self, decision: CompanionDecision) -> tuple[FactSlot, ...] | None:
        """The slots that decide; None where they have not all been told."""
        kind, subject, topic, dishes = decision
        values, hero = self._diary.values, self._cast.hero
        if kind in OF_KIN:
            role = FactSlot(hero, "role", topic)
            slots: tuple[FactSlot, ...] = (
                role,
                FactSlot(values.get(role, ""), kind.removeprefix("role_")),
            )
        elif kind == "place":
            mood = FactSlot(hero, "mood")
            slots = (FactSlot(hero, "spot", values.get(mood, "")), mood)
        elif kind == "meal":
            slots = dishes
        else:
            slots = (self._asked_for(decision),)
        if kind in DATED and FactSlot(subject, kind.partition("_")[0]) not in values:
            return None
        if kind in CONFIDED and (FactSlot(subject, "keeps", topic) in values) is (kind == "open"):
            return None
        return slots if slots and all(slot in values for slot in slots) else None

    def unknown(self, slot: FactSlot) -> bool:
        """Whether it may be asked for and nobody has ever told it."""
        return slot.key in TELLABLE and slot not in self._diary.turns

    def _asked_for(self, decision: CompanionDecision) -> FactSlot:
        kind, subject, topic, _ = decision
        if kind == "secret":
            return FactSlot(subject, "keeps", topic)
        if kind in CONFIDED:
            return FactSlot(subject, topic)
        return FactSlot(subject, kind, topic)

    def ask(self, decision: CompanionDecision, slots: tuple[FactSlot, ...]) -> PlannedQuestion:
        """The question with its actions, the right one among them by chance."""
        right, wrong = self._values(decision, slots)
        verb = self._rng.choice(self._bank.lists["action"][_verb(decision)])
        raised = [_raised(verb.format(o=value)) for value in (right, *wrong) if value]
        other = self._otherwise(decision.kind)
        actions = raised if other is None else [*raised[: CHOICES - 1], other]
        refused = decision.kind in ("never", "secret")
        best = other if refused and other is not None else raised[0]
        self._rng.shuffle(actions)
        return PlannedQuestion(
            kind=NAMES.get(decision.kind, decision.kind),
            question=self._worded(decision),
            actions=tuple(actions),
            best=best,
            slots=slots,
            unknown=self._unknown(decision) if decision.kind == "never" else "",
        )

    def never(self, slot: FactSlot) -> PlannedQuestion:
        """A question after something that nobody has told."""
        return self.ask(
            CompanionDecision("never", slot.subject, f"{slot.key} {slot.topic}".strip()), ()
        )

    def _otherwise(self, kind: str) -> str | None:
        """The action that names no value."""
        if kind in CLOSED:
            return None
        return self._bank.lists["action"]["keep" if kind in CONFIDED else "never"][0]

    def _values(
        self, decision: CompanionDecision, slots: tuple[FactSlot, ...]
    ) -> tuple[str, list[str]]:
        """The right value ("" where none is to be named) and three others."""
        kind, values = decision.kind, self._diary.values
        if kind == "meal":
            eaters = {slot.subject for slot in slots}
            bad = {s.topic for s in self._cast.truth if s.key == "avoid" and s.subject in eaters}
            fine = [dish for dish in self._cast.pools["food"] if dish not in bad]
            return self._rng.choice(fine), [slot.topic for slot in slots]
        if kind == "never":
            return "", self._others(self._pool(decision), "", [])
        asked_for = slots[0] if kind == "place" else slots[-1]
        if kind == "secret":
            asked_for = FactSlot(decision.subject, decision.topic)
            secret = values.get(asked_for, "")
            return "", [secret, *self._others(self._pool(decision), secret, [])][: CHOICES - 1]
        right = values[asked_for]
        first = self.former[asked_for][::-1][:REMEMBERED]
        return right, self._others(self._pool(decision), right, first)

    def _others(self, pool: tuple[str, ...], right: str, first: list[str]) -> list[str]:
        found = [value for value in dict.fromkeys(first) if value != right]
        rest = [value for value in pool if value != right and value not in found]
        count = min(CHOICES - 1 - len(found), len(rest))
        return [*found, *self._rng.sample(rest, count)]

    def _pool(self, decision: CompanionDecision) -> tuple[str, ...]:
        kind, subject, topic, _ = decision
        key = topic.partition(" ")[0] if kind == "never" else topic if kind in CONFIDED else kind
        if key in ("work_since", "home_since"):
            return MONTHS
        if key == "day":
            return WEEKDAYS
        if key == "outcome":
            return self._bank.outcomes
        of = {"role": "person", "debt": "person", "crush": "person", "leaving": "home"}
        of |= {"hoard": "spot", "place": "spot", "role_work": "work", "role_home": "home"}
        pool = self._cast.pools[of.get(key, key.partition("_")[0])]
        return tuple(value for value in pool if value != subject)

    def _worded(self, decision: CompanionDecision) -> str:
        kind, subject, topic, dishes = decision
        key = kind
        if kind == "never":
            key, _, topic = topic.partition(" ")
        elif kind in ("secret", "open"):
            key = "secret"
        if kind in CONFIDED:
            topic = self._bank.topics[topic]
        eaters = " and ".join(dict.fromkeys(slot.subject for slot in dishes))
        others = [name for name in self._cast.people if name != subject]
        now = self._diary.values.get(FactSlot(subject, kind.partition("_")[0]), "")
        line = self._rng.choice(self._bank.lists["question"][key])
        return sentence(
            line.format(s=eaters or subject, t=topic, o=now, a=self._rng.choice(others))
        )

    def _unknown(self, decision: CompanionDecision) -> str:
        key, _, topic = decision.topic.partition(" ")
        line = self._rng.choice(self._bank.lists["unknown"][key])
        return sentence(line.format(s=decision.subject, t=topic))


def _verb(decision: CompanionDecision) -> str:
    """The list of actions of a decision."""
    kind = decision.kind
    if kind in CONFIDED:
        return "secret"
    if kind.endswith("_since"):
        return "month"
    if kind == "never":
        return decision.topic.partition(" ")[0]
    return kind.removesuffix("_before").removeprefix("role_")


def _raised(text: str) -> str:
    return text[:1].upper() + text[1:]


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


class CompanionStep(NamedTuple):
    """A scene that is to come. `at`: seconds of game time."""

    turn: int
    at: float
    tellings: tuple[CompanionTelling, ...]
    asked: PlannedQuestion


class CompanionPlan:
    """The steps of one game. Iterate it once."""

    def __init__(self, level: CompanionLevel, bank: CompanionBank, cast: Cast, rng: Random) -> None:
        self._level = level
        self._cast = cast
        self._bank = bank
        self._rng = rng
        self._diary = ToldFacts()
        self._asker = CompanionQuestioner(bank, cast, self._diary, rng)
        self._life = Life(level, bank, cast, self._diary, rng)
        self._life.changed = self._changed
        self._probes: list[tuple[int, int, FactSlot]] = []
        self._recent: deque[CompanionDecision | FactSlot] = deque(maxlen=RECENT)
        self._kinds = list(WEIGHTS)
        self._weights = list(WEIGHTS.values())

    def __iter__(self) -> Iterator[CompanionStep]:
        """Every step, first to last."""
        for lines in self._life:
            asked = self._asked()
            yield CompanionStep(self._life.turn, self._life.at, tuple(lines), asked)

    def _changed(self, slot: FactSlot, old: str) -> None:
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

    def _asked(self) -> PlannedQuestion:
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

    def _never(self) -> PlannedQuestion:
        """After something that nobody has told so far."""
        fit = [s for s in self._cast.truth if self._asker.unknown(s) and s not in self._recent]
        if not fit:
            return self._made_up()
        slot = self._rng.choice(fit)
        self._recent.append(slot)
        return self._asker.never(slot)

    def _made_up(self) -> PlannedQuestion:
        """After a kinship of somebody of whom none is ever told."""
        role, name = self._rng.choice(self._bank.roles), self._rng.choice(self._cast.people)
        return self._asker.never(FactSlot(name, "role", role))

    def _due(self) -> tuple[CompanionDecision, tuple[FactSlot, ...]] | None:
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

    def _resting(self, slot: FactSlot) -> list[CompanionDecision]:
        subject, key, topic = slot
        if key == "spot":
            return [CompanionDecision("place", subject)]
        found = [CompanionDecision(key, subject, topic)]
        if key in ("work", "home"):
            found += [CompanionDecision(f"{key}_{x}", subject) for x in ("since", "before")]
            kin = self._diary.of[self._cast.hero, "role"]
            found += [
                CompanionDecision(f"role_{key}", self._cast.hero, role.topic)
                for role in kin
                if self._diary.values[role] == subject
            ]
        return found

    def _knowable(self, decision: CompanionDecision) -> tuple[FactSlot, ...] | None:
        """What it rests on, where all of that was told before this turn and is not in dispute."""
        slots = self._asker.rests_on(decision)
        if slots is None or (decision.kind == "day" and self._is_past(decision.subject)):
            return None
        turn, turns = self._life.turn, self._diary.turns
        quiet = all(turns[s] < turn and not self._in_dispute(s) for s in slots)
        return slots if quiet else None

    def _in_dispute(self, slot: FactSlot) -> bool:
        return self._diary.news((slot,))[1] == "rumour" and not self._life.is_quiet(slot)

    def _is_past(self, event: str) -> bool:
        return FactSlot(event, "outcome") in self._diary.values

    def _some(self) -> Iterator[CompanionDecision]:
        """So many decisions by chance."""
        for kind in self._rng.choices(self._kinds, self._weights, k=SAMPLE):
            found = self._of_kind(kind)
            if found is not None:
                yield found

    def _of_kind(self, kind: str) -> CompanionDecision | None:
        rng, hero = self._rng, self._cast.hero
        if kind in ("day", "outcome"):
            events = self._events[kind]
            return CompanionDecision(kind, rng.choice(events)) if events else None
        if kind == "place":
            return CompanionDecision(kind, hero)
        if kind in OF_KIN or kind == "role":
            return CompanionDecision(
                kind, hero, rng.choice(self._bank.roles[: len(self._cast.people)])
            )
        name = hero if rng.random() < HERO else rng.choice(self._cast.people)
        if kind == "meal":
            return self._meal(name)
        return CompanionDecision(kind, name)

    @property
    def _events(self) -> dict[str, list[str]]:
        open_ = [s.subject for s in self._diary.values if s.key == "day"][-40:]
        over = [s.subject for s in self._diary.values if s.key == "outcome"]
        return {"day": open_, "outcome": over}

    def _meal(self, name: str) -> CompanionDecision | None:
        """A meal for one, or for two where one alone would make it too easy."""
        known = list(self._diary.of[name, "avoid"])
        guest = self._rng.choice(self._cast.people)
        if len(known) < 3 and guest != name:
            known += self._diary.of[guest, "avoid"]
        dishes = {slot.topic: slot for slot in known}
        if len(dishes) < 3:
            return None
        chosen = self._rng.sample(list(dishes.values()), 3)
        return CompanionDecision("meal", name, "", tuple(sorted(chosen)))

    def _confided(self) -> Iterator[CompanionDecision]:
        keeps = [s for s in self._diary.turns if s.key == "keeps"]
        for slot in self._rng.sample(keeps, min(len(keeps), 4)):
            for kind in ("secret", "secret", "own", "open"):
                yield CompanionDecision(kind, slot.subject, slot.topic)

    def _best(
        self, decisions: Iterator[CompanionDecision]
    ) -> tuple[CompanionDecision, tuple[FactSlot, ...]] | None:
        """The one whose lines are about as old as chance wants them."""
        wanted = self._rng.uniform(log(2), log(self._life.turn + 2))
        best: tuple[float, CompanionDecision, tuple[FactSlot, ...]] | None = None
        for decision in decisions:
            slots = self._knowable(decision)
            if slots is None or decision in self._recent:
                continue
            age = self._life.turn - min(self._diary.turns[slot] for slot in slots)
            off = abs(log(age + 1) - wanted)
            if best is None or off < best[0]:
                best = off, decision, slots
        return None if best is None else (best[1], best[2])
