"""Rules, questions and what comes of a move, put into words of a bank."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from mags_lab.games.nonsense.bank import Bank
from mags_lab.games.nonsense.rules import EVENTS, KINDS, Decision, Slot
from mags_lab.games.sentences import Lists, sentence

NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
WARDEN = frozenset({"gift_place", "greet_place", "toll_place"})
"""Kinds of decisions that name a place and mean its guardian."""


def days(count: int) -> str:
    """A number of days in words, as "ten days"."""
    number = NUMBERS[count - 1] if count <= len(NUMBERS) else str(count)
    return f"{number} day{'s' if count > 1 else ''}"


class Phrases:
    """The words of a bank, chosen by chance."""

    def __init__(self, bank: Bank, rng: Random) -> None:
        """Choose by `rng` alone."""
        self._bank = bank
        self._rng = rng

    def told(self, slot: Slot, value: str) -> str:
        """A rule as a clause without a full stop."""
        return self._clause(self._bank.told, slot, value, None)

    def again(self, slot: Slot, value: str) -> str:
        """A rule brought up once more: what has happened is not told as if it happened now."""
        lists = self._bank.again if slot.relation in EVENTS else self._bank.told
        return self._clause(lists, slot, value, None)

    def change(self, slot: Slot, value: str, old: str | None) -> str:
        """A rule that has changed, as a clause; names what it was only where that is given."""
        return self._clause(self._bank.change, slot, value, old)

    def plainest(self, slot: Slot, value: str) -> str:
        """A rule as a sentence in the bank's first words for it, whatever chance would choose."""
        return sentence(self._bank.told[slot.relation][0].format(**_slots(slot, value, None)))

    def framed(self, frame: str, **parts: str) -> str:
        """A clause, a moon or nothing in one of the frames of that name."""
        return sentence(self._rng.choice(self._bank.frames[frame]).format(**parts))

    def question(self, decision: Decision, elsewhere: str) -> str:
        """What is to be decided. `elsewhere`: a place that does not matter."""
        lines = self._bank.question[decision.kind]
        subject, topic = self._pair(decision)
        return sentence(self._rng.choice(lines).format(s=subject, t=topic, m=elsewhere))

    def actions(self, decision: Decision, values: list[str]) -> list[str]:
        """What may be done, one action for each value, all alike."""
        if decision.kind == "allowed":
            of = {law.status: law.action for law in self._bank.laws}
            return [of[value].format(t=decision.topic) for value in values]
        frame = self._rng.choice(self._bank.action[KINDS[decision.kind].family])
        return [raised(frame.format(o=value)) for value in values]

    def outcome(self, decision: Decision, value: str, *, right: bool) -> str:
        """What came of choosing a value."""
        lines = self._bank.right if right else self._bank.wrong
        line = self._rng.choice(lines[KINDS[decision.kind].family])
        subject, topic = self._pair(decision)
        if decision.kind in WARDEN:
            subject = self._bank.kinds["warden"][0].format(s=subject)
        elif decision.kind == "clash":
            subject = f"{subject} and {topic}"
        return sentence(line.format(s=subject, t=topic, o=value))

    def filler(self, pools: Mapping[str, tuple[str, ...]], rng: Random) -> str:
        """A line that tells nothing, about somebody and some place or about nobody."""
        folk = (*rng.choices(pools["creature"], k=2), rng.choice(pools["person"]))
        one, other = rng.sample(folk, 2)
        place = rng.choice(pools["place"])
        return sentence(self._rng.choice(self._bank.filler).format(a=one, b=other, p=place))

    def _pair(self, decision: Decision) -> tuple[str, str]:
        if decision.kind == "enter":
            return decision.topic, ""
        return decision.subject, decision.topic

    def _clause(self, lists: Lists, slot: Slot, value: str, old: str | None) -> str:
        lines = lists[slot.relation]
        if old is None:
            lines = tuple(line for line in lines if "{old}" not in line)
        return self._rng.choice(lines).format(**_slots(slot, value, old))


def raised(text: str) -> str:
    """The text with its first letter raised."""
    return text[:1].upper() + text[1:]


def _slots(slot: Slot, value: str, old: str | None) -> dict[str, str]:
    if slot.relation == "before":
        other = slot.topic if value == slot.subject else slot.subject
        return {"s": value, "o": other, "old": other}
    return {"s": slot.subject, "t": slot.topic, "o": value, "old": old or ""}
