"""What may be asked, which facts the answer rests on, and among what one chooses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from mags_lab.games.companion.bank import MONTHS, TASTES, WEEKDAYS, Bank
from mags_lab.games.companion.cast import Cast
from mags_lab.games.companion.facts import Diary, Slot
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


class Decision(NamedTuple):
    """Something to decide. `topic`: of the slot asked for; `dishes`: of a meal, what is no good."""

    kind: str
    subject: str
    topic: str = ""
    dishes: tuple[Slot, ...] = ()


class Asked(NamedTuple):
    """A question as it is put. `slots`: what the answer rests on; `unknown`: for what was never
    told, the sentence that says so.
    """

    kind: str
    question: str
    actions: tuple[str, ...]
    best: str
    slots: tuple[Slot, ...]
    unknown: str


class Asker:
    """Puts questions to one who has heard what the diary says."""

    def __init__(self, bank: Bank, cast: Cast, diary: Diary, rng: Random) -> None:
        self._bank = bank
        self._cast = cast
        self._diary = diary
        self._rng = rng
        self.former: dict[Slot, list[str]] = defaultdict(list)

    def rests_on(self, decision: Decision) -> tuple[Slot, ...] | None:
        """The slots that decide; None where they have not all been told."""
        kind, subject, topic, dishes = decision
        values, hero = self._diary.values, self._cast.hero
        if kind in OF_KIN:
            role = Slot(hero, "role", topic)
            slots: tuple[Slot, ...] = (role, Slot(values.get(role, ""), kind.removeprefix("role_")))
        elif kind == "place":
            mood = Slot(hero, "mood")
            slots = (Slot(hero, "spot", values.get(mood, "")), mood)
        elif kind == "meal":
            slots = dishes
        else:
            slots = (self._asked_for(decision),)
        if kind in DATED and Slot(subject, kind.partition("_")[0]) not in values:
            return None
        if kind in CONFIDED and (Slot(subject, "keeps", topic) in values) is (kind == "open"):
            return None
        return slots if slots and all(slot in values for slot in slots) else None

    def unknown(self, slot: Slot) -> bool:
        """Whether it may be asked for and nobody has ever told it."""
        return slot.key in TELLABLE and slot not in self._diary.turns

    def _asked_for(self, decision: Decision) -> Slot:
        kind, subject, topic, _ = decision
        if kind == "secret":
            return Slot(subject, "keeps", topic)
        if kind in CONFIDED:
            return Slot(subject, topic)
        return Slot(subject, kind, topic)

    def ask(self, decision: Decision, slots: tuple[Slot, ...]) -> Asked:
        """The question with its actions, the right one among them by chance."""
        right, wrong = self._values(decision, slots)
        verb = self._rng.choice(self._bank.lists["action"][_verb(decision)])
        raised = [_raised(verb.format(o=value)) for value in (right, *wrong) if value]
        other = self._otherwise(decision.kind)
        actions = raised if other is None else [*raised[: CHOICES - 1], other]
        refused = decision.kind in ("never", "secret")
        best = other if refused and other is not None else raised[0]
        self._rng.shuffle(actions)
        return Asked(
            kind=NAMES.get(decision.kind, decision.kind),
            question=self._worded(decision),
            actions=tuple(actions),
            best=best,
            slots=slots,
            unknown=self._unknown(decision) if decision.kind == "never" else "",
        )

    def never(self, slot: Slot) -> Asked:
        """A question after something that nobody has told."""
        return self.ask(Decision("never", slot.subject, f"{slot.key} {slot.topic}".strip()), ())

    def _otherwise(self, kind: str) -> str | None:
        """The action that names no value."""
        if kind in CLOSED:
            return None
        return self._bank.lists["action"]["keep" if kind in CONFIDED else "never"][0]

    def _values(self, decision: Decision, slots: tuple[Slot, ...]) -> tuple[str, list[str]]:
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
            asked_for = Slot(decision.subject, decision.topic)
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

    def _pool(self, decision: Decision) -> tuple[str, ...]:
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

    def _worded(self, decision: Decision) -> str:
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
        now = self._diary.values.get(Slot(subject, kind.partition("_")[0]), "")
        line = self._rng.choice(self._bank.lists["question"][key])
        return sentence(
            line.format(s=eaters or subject, t=topic, o=now, a=self._rng.choice(others))
        )

    def _unknown(self, decision: Decision) -> str:
        key, _, topic = decision.topic.partition(" ")
        line = self._rng.choice(self._bank.lists["unknown"][key])
        return sentence(line.format(s=decision.subject, t=topic))


def _verb(decision: Decision) -> str:
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
