"""Sentence banks: all the words of a game, one file each, and what is said by them.

`mags_lab.games.sentences.BANKS` says what each is for. All have the same keys, which is checked
when they are read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from mags.errors import InvalidInput, NotFound
from mags_lab.games.nonsense.rules import EVENTS, KINDS, VALUES, NonsenseDecision, RuleSlot
from mags_lab.games.sentences import BANKS, Lists, lists_of, sentence

LEAST = 6
FIXED = frozenset({"species"})
"""Relations that never change: nobody turns into another kind of creature."""
NOUNS = frozenset(
    {
        *("creature", "species", "clan", "feast", "custom", "place", "person", "lore", "relic"),
        *("object", "food", "toll", "greeting", "word", "moon", "warden"),
    }
)
FRAMES: Mapping[str, str] = MappingProxyType(
    {
        "hearsay": "c",
        "herald": "c",
        "temporary": "c days",
        "moon": "c moon",
        "moonrise": "moon",
        "reveal": "c",
        "no longer": "",
    }
)
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What a place may say of an act, and what one does who knows it."""

    status: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NonsenseBank:
    """The words of a game. `side`: whose syllables its names have."""

    name: str
    side: int
    kinds: Lists
    acts: tuple[str, ...]
    deeds: tuple[str, ...]
    honest: str
    lying: str
    guides: tuple[str, ...]
    herald: str
    narrator: str
    laws: tuple[Law, ...]
    told: Lists
    again: Lists
    change: Lists
    question: Lists
    action: Lists
    right: Lists
    wrong: Lists
    frames: Lists
    filler: tuple[str, ...]
    words: frozenset[str]


@cache
def bank(name: str) -> NonsenseBank:
    """The bank of that name, or in that file ("mine.toml").

    Raises NotFound, and InvalidInput where the file has a flaw. What a file of one's own leaves
    out (its questions, say) is the tuning bank's.
    """
    if name not in BANKS and not name.endswith(".toml"):
        raise NotFound(
            f"there is no bank {name!r}: choose among {', '.join(BANKS)}, or name a .toml file",
            bank=name,
        )
    text = _text(name)
    raw = _parsed(name, text)
    if name not in BANKS:
        raw = {**_parsed("tuning", _text("tuning")), **raw}
    words = raw["words"]
    made = NonsenseBank(
        name=name if name in BANKS else Path(name).stem,
        side=raw["side"],
        kinds=lists_of(raw["kinds"]),
        acts=tuple(words["acts"]),
        deeds=tuple(words["deeds"]),
        honest=words["honest"],
        lying=words["lying"],
        guides=tuple(words["guides"]),
        herald=words["herald"],
        narrator=words["narrator"],
        laws=tuple(Law(**law) for law in raw["laws"]),
        told=lists_of(raw["told"]),
        again=lists_of(raw["again"]),
        change=lists_of(raw["change"]),
        question=lists_of(raw["question"]),
        action=lists_of(raw["action"]),
        right=lists_of(raw["right"]),
        wrong=lists_of(raw["wrong"]),
        frames=lists_of(raw["frames"]),
        filler=tuple(raw["filler"]["lines"]),
        words=frozenset(re.findall(r"[a-z]+", text.casefold())),
    )
    _check(made)
    return made


def _text(name: str) -> str:
    if name in BANKS:
        return files("mags_lab.games.nonsense").joinpath(f"data/{name}.toml").read_text("utf-8")
    path = Path(name)
    if not path.is_file():
        raise NotFound(f"there is no bank file {name!r}", bank=name)
    return path.read_text("utf-8")


def _parsed(name: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"bank {name}: no TOML: {error}", bank=name) from error


def _check(made: NonsenseBank) -> None:
    families = {kind.family for kind in KINDS.values()}
    _keys(made, "kinds", made.kinds, NOUNS)
    _keys(made, "action", made.action, families - {"allowed"})
    for name, lists, wanted in (
        ("told", made.told, set(VALUES)),
        ("again", made.again, set(EVENTS)),
        ("change", made.change, set(VALUES) - EVENTS - FIXED),
        ("question", made.question, set(KINDS)),
        ("right", made.right, families),
        ("wrong", made.wrong, families),
        ("frames", made.frames, set(FRAMES)),
    ):
        _keys(made, name, lists, wanted)
        for key, lines in lists.items():
            if len(set(lines)) < LEAST:
                raise _flaw(made, f"{name}.{key} has fewer than {LEAST} different lines", key)
            for line in lines:
                _check_slots(made, name, key, line)


def _keys(made: NonsenseBank, name: str, lists: Lists, wanted: set[str] | frozenset[str]) -> None:
    if set(lists) != wanted:
        odd = ", ".join(sorted(set(lists) ^ wanted))
        raise _flaw(made, f"[{name}] should have each key once and no other: {odd}", name)


def _check_slots(made: NonsenseBank, name: str, key: str, line: str) -> None:
    """Raise InvalidInput for a line that lacks what it tells of, or has a slot that nothing fills.

    A rule names its subject and its value; a question never names a value.
    """
    found = set(SLOT.findall(line))
    if name == "frames":
        must = may = set(FRAMES[key].split())
    elif name == "question":
        may = {"s", "t", "m"}
        must = {"clash": {"s", "t"}, "allowed": {"s", "t"}, "believe": {"m"}}.get(key, {"s"})
    elif name in ("told", "again", "change"):
        must = {"s", "o", "t"} if key == "law" else {"s", "o"}
        may = must | ({"old"} if name == "change" else set())
    else:
        must, may = {"believe": {"o"}}.get(key, set()), {"s", "o", "t"}
    if not must <= found <= may:
        raise _flaw(made, f"{name}.{key}: {line!r} has the wrong slots", key)


def _flaw(made: NonsenseBank, what: str, key: str) -> InvalidInput:
    return InvalidInput(f"bank {made.name}: {what}", bank=made.name, key=key)


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

    def __init__(self, bank: NonsenseBank, rng: Random) -> None:
        """Choose by `rng` alone."""
        self._bank = bank
        self._rng = rng

    def told(self, slot: RuleSlot, value: str) -> str:
        """A rule as a clause without a full stop."""
        return self._clause(self._bank.told, slot, value, None)

    def again(self, slot: RuleSlot, value: str) -> str:
        """A rule brought up once more: what has happened is not told as if it happened now."""
        lists = self._bank.again if slot.relation in EVENTS else self._bank.told
        return self._clause(lists, slot, value, None)

    def change(self, slot: RuleSlot, value: str, old: str | None) -> str:
        """A rule that has changed, as a clause; names what it was only where that is given."""
        return self._clause(self._bank.change, slot, value, old)

    def plainest(self, slot: RuleSlot, value: str) -> str:
        """A rule as a sentence in the bank's first words for it, whatever chance would choose."""
        return sentence(self._bank.told[slot.relation][0].format(**_slots_of(slot, value, None)))

    def framed(self, frame: str, **parts: str) -> str:
        """A clause, a moon or nothing in one of the frames of that name."""
        return sentence(self._rng.choice(self._bank.frames[frame]).format(**parts))

    def question(self, decision: NonsenseDecision, elsewhere: str) -> str:
        """What is to be decided. `elsewhere`: a place that does not matter."""
        lines = self._bank.question[decision.kind]
        subject, topic = self._pair(decision)
        return sentence(self._rng.choice(lines).format(s=subject, t=topic, m=elsewhere))

    def actions(self, decision: NonsenseDecision, values: list[str]) -> list[str]:
        """What may be done, one action for each value, all alike."""
        if decision.kind == "allowed":
            of = {law.status: law.action for law in self._bank.laws}
            return [of[value].format(t=decision.topic) for value in values]
        frame = self._rng.choice(self._bank.action[KINDS[decision.kind].family])
        return [raised(frame.format(o=value)) for value in values]

    def outcome(self, decision: NonsenseDecision, value: str, *, right: bool) -> str:
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

    def _pair(self, decision: NonsenseDecision) -> tuple[str, str]:
        if decision.kind == "enter":
            return decision.topic, ""
        return decision.subject, decision.topic

    def _clause(self, lists: Lists, slot: RuleSlot, value: str, old: str | None) -> str:
        lines = lists[slot.relation]
        if old is None:
            lines = tuple(line for line in lines if "{old}" not in line)
        return self._rng.choice(lines).format(**_slots_of(slot, value, old))


def raised(text: str) -> str:
    """The text with its first letter raised."""
    return text[:1].upper() + text[1:]


def _slots_of(slot: RuleSlot, value: str, old: str | None) -> dict[str, str]:
    if slot.relation == "before":
        other = slot.topic if value == slot.subject else slot.subject
        return {"s": value, "o": other, "old": other}
    return {"s": slot.subject, "t": slot.topic, "o": value, "old": old or ""}
