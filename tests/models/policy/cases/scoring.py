"""Hand-written turns with what should be stored of them, and how well a policy does."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mags.ports.policy import Act, Policy, Turn

NOON = datetime(2024, 5, 15, 12, tzinfo=UTC).timestamp()
Fact = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A turn said by Alice, the operations it calls for, and whether it can be read.

    An object "*" stands for any (a date that depends on the day).
    """

    text: str
    gold: tuple[Fact, ...]
    understood: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Counts over operations, and how often `understood` was right."""

    right: int
    made: int
    wanted: int
    understood: float

    @property
    def precision(self) -> float:
        """Operations made that were wanted."""
        return self.right / max(1, self.made)

    @property
    def recall(self) -> float:
        """Operations wanted that were made."""
        return self.right / max(1, self.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        return 2 * self.right / max(1, self.made + self.wanted)


def load(half: str) -> list[Case]:
    """Return the turns of a half: dev (the rules were fitted on it) or test."""
    lines = (Path(__file__).parent / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Case(
            text=row["text"],
            gold=tuple(tuple(fact) for fact in row["gold"]),
            understood=row["understood"],
        )
        for row in rows
    ]


def score(policy: Policy, cases: Sequence[Case]) -> Score:
    """Return how the operations of a policy compare with those wanted."""
    right = made = wanted = understood = 0
    for case in cases:
        written = policy.write(Turn(text=case.text, speaker="Alice", at=NOON), (), ())
        got = [
            ("NOTE", "", "", "")
            if op.act is Act.NOTE
            else _folded((op.act.value, op.subject, op.relation, op.object))
            for op in written.operations
        ]
        made, wanted = made + len(got), wanted + len(case.gold)
        for fact in map(_folded, case.gold):
            hit = next((g for g in got if _same(fact, g)), None)
            if hit is not None:
                got.remove(hit)
                right += 1
        understood += written.understood == case.understood
    return Score(right=right, made=made, wanted=wanted, understood=understood / max(1, len(cases)))


def _same(gold: Fact, got: Fact) -> bool:
    return gold == got or (gold[3] == "*" and gold[:3] == got[:3])


def _folded(fact: Fact) -> Fact:
    act, subject, relation, thing = fact
    return act, _plain(subject), relation, _plain(thing)


def _plain(text: str) -> str:
    return " ".join(word for word in text.lower().split() if word not in {"the", "a", "an"})
