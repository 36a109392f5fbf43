"""Made-up chats of two friends: told, asked back, answered; what a question needs stands near.

The answer of a turn often lacks every word of its topic, which its neighbour holds; both
friends live through the same topics, so that the speaker decides; dates are told in passing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from mags_lab.evaluation.protocol import Probe, SourceTurn

PAIRS = (("Ines", "Robert"), ("Hanna", "Malik"), ("Greta", "Sam"), ("Yusuf", "Nora"))
TIMES = ("yesterday", "last week", "last Friday", "two days ago", "last month", "this morning")


class Chat:
    """One conversation: both people live through most topics, two or three a session."""

    def __init__(self, number: int) -> None:
        book = tomllib.loads((Path(__file__).parent / "chats.toml").read_text())
        self._topics: Sequence[Mapping[str, Any]] = book["topic"]
        self._talk: Mapping[str, Sequence[str]] = book["talk"]
        self._rng = np.random.default_rng(100 + number)
        self._name = f"chat{number}"
        self._pair = PAIRS[number]
        self.turns: list[SourceTurn] = []
        self.probes: list[Probe] = []

    def build(self) -> Chat:
        """Fill the turns and the questions."""
        told = [
            (who, topic) for who in self._pair for topic in self._topics if self._rng.random() < 0.8
        ]
        told = [told[i] for i in self._rng.permutation(len(told))]
        start = datetime(2023, 2, 3, 18, 0, tzinfo=UTC)
        session = 0
        while told:
            n = int(self._rng.integers(2, 4))
            self._session(session, start + timedelta(days=9 * session), told[:n])
            told = told[n:]
            session += 1
        return self

    def _session(
        self, number: int, at: datetime, told: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> None:
        session = f"{self._name}/s{number}"
        one, other = self._pair if self._rng.random() < 0.5 else self._pair[::-1]
        self._say(session, at, one, self._pick("hello", other))
        self._say(session, at, other, self._pick("reply", one))
        for who, topic in told:
            self._topic(session, at, who, topic)
        self._say(session, at, one, self._pick("bye", other))

    def _topic(self, session: str, at: datetime, who: str, topic: Mapping[str, Any]) -> None:
        friend = next(p for p in self._pair if p != who)
        when = TIMES[int(self._rng.integers(len(TIMES)))]
        filled = str(self._rng.choice(topic["x"]))
        name = f"{friend}, " if self._rng.random() < 0.3 else ""
        ids = {"a": self._say(session, at, who, name + topic["a"].format(t=when))}
        if self._rng.random() < 0.75:
            self._say(session, at, friend, topic["b"])
        else:
            self._say(session, at, friend, self._pick("warm", who) + " " + topic["b"])
        ids["c"] = self._say(session, at, who, topic["c"].format(x=filled))
        for side in range(int(self._rng.integers(1, 5))):
            speaker, other = (friend, who) if side % 2 == 0 else (who, friend)
            self._say(session, at, speaker, self._pick("warm", other))
        for text, key in topic["asks"]:
            identifier = f"{self._name}/q{len(self.probes)}"
            question = text.format(n=who)
            kind = "chat when" if key == "a" else "chat what"
            gold = frozenset({ids[key]})
            self.probes.append(Probe(id=identifier, text=question, gold=gold, kind=kind))

    def _pick(self, kind: str, other: str) -> str:
        return str(self._rng.choice(self._talk[kind])).format(o=other)

    def _say(self, session: str, at: datetime, speaker: str, text: str) -> str:
        turn = SourceTurn(
            id=f"{self._name}/{len(self.turns)}", text=text, speaker=speaker, at=at, session=session
        )
        self.turns.append(turn)
        return turn.id


def chats() -> Iterator[Chat]:
    """One chat a pair of friends."""
    for number in range(len(PAIRS)):
        yield Chat(number).build()
