"""Two-person chats made from LongMemEval's dev half (MIT): named speakers, third-person questions.

The user's turns of two sessions are cut into pieces of a sentence or two and told in turn by
two named people; the question's "I" becomes the name. The answer's turn is the piece that
holds most of the answer's words. So the weight of speaker, neighbours and session can be
learned without a set that may only measure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from mags.index.tokens import terms
from mags_lab.evaluation.datasets.longmemeval import LongMemEval
from mags_lab.evaluation.datasets.source import read_jsonl
from mags_lab.evaluation.protocol import Probe, SourceTurn, split
from mags_lab.talk.pools import named

PEOPLE = (
    ("Clara", "Dan"),
    ("Marta", "Tessa"),
    ("Owen", "Priya"),
    ("Jonas", "Felix"),
)
_REPLIES = (
    "That sounds great, {n}!",
    "Wow, {n}, tell me more about that?",
    "Oh nice! How did that go?",
    "I love hearing that. How do you feel about it, {n}?",
    "Thanks for sharing! What is next for you?",
    "That is really inspiring, {n}.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetoldChat:
    """One chat of two people and the questions about them."""

    name: str
    turns: tuple[SourceTurn, ...]
    probes: tuple[Probe, ...]


def pieces(text: str, rng: np.random.Generator) -> list[str]:
    """A turn cut into runs of one or two sentences."""
    parts = [p.strip() for p in re.split(r"(?<=[.!?])\s+|\n+", text) if p.strip()]
    out: list[str] = []
    while parts:
        n = int(rng.integers(1, 3))
        out.append(" ".join(parts[:n]))
        parts = parts[n:]
    return out


class ChatBuilder:
    """Builds the chats of one memory."""

    def __init__(self, data: LongMemEval, evidence: Path, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._answers = {
            r["question_id"]: " ".join(map(str, r["answers"])) for r in read_jsonl(evidence)
        }
        held_out = {g for p in data.probes if split(p.id) == "test" for g in p.gold}
        spoken = [t for t in data.turns if t.speaker == "user" and t.id not in held_out]
        self._text = {t.id: t.text for t in spoken}
        self._sessions: dict[str, list[str]] = {}
        for turn in spoken:
            self._sessions.setdefault(turn.session, []).append(turn.id)
        self._session_of = {t.id: t.session for t in spoken}
        self._probes = [
            p for p in data.probes if split(p.id) == "dev" and all(g in self._text for g in p.gold)
        ]

    def chats(self) -> list[RetoldChat]:
        """One chat a pair of people; every question is asked of one of them."""
        order = self._rng.permutation(len(self._probes))
        shares = np.array_split(order, 2 * len(PEOPLE))
        out = []
        for i, pair in enumerate(PEOPLE):
            asked = [
                (self._probes[j], who)
                for who, share in zip(pair, shares[2 * i : 2 * i + 2], strict=True)
                for j in share
            ]
            out.append(self._chat(i, pair, asked))
        return out

    def _chat(
        self, number: int, pair: tuple[str, str], asked: Sequence[tuple[Probe, str]]
    ) -> RetoldChat:
        told: dict[str, list[str]] = {who: [] for who in pair}
        for probe, who in asked:
            for g in sorted(probe.gold):
                if self._session_of[g] not in told[who]:
                    told[who].append(self._session_of[g])
        wanted = max(map(len, told.values())) + 12
        rest = [s for s in self._sessions if not any(s in held for held in told.values())]
        for who in pair:
            extra = self._rng.permutation(len(rest))[: wanted - len(told[who])]
            told[who] += [rest[j] for j in extra]
            self._rng.shuffle(told[who])
        turns: list[SourceTurn] = []
        made: dict[tuple[str, str], list[SourceTurn]] = {}
        start = datetime(2023, 1, 8, 15, 0, tzinfo=UTC)
        for n, sessions in enumerate(zip(told[pair[0]], told[pair[1]], strict=True)):
            turns += self._session(
                f"retold{number}/s{n}", start + timedelta(days=5 * n), pair, sessions, made
            )
        probes = []
        for probe, who in asked:
            gold = frozenset(self._best(made[who, g], self._answers[probe.id]) for g in probe.gold)
            kind = f"retold {probe.kind}"
            probes.append(
                Probe(id=f"retold/{probe.id}", text=named(probe.text, who), gold=gold, kind=kind)
            )
        return RetoldChat(name=f"retold{number}", turns=tuple(turns), probes=tuple(probes))

    def _session(
        self,
        session: str,
        at: datetime,
        pair: tuple[str, str],
        sources: tuple[str, str],
        made: dict[tuple[str, str], list[SourceTurn]],
    ) -> list[SourceTurn]:
        queues = []
        for who, source in zip(pair, sources, strict=True):
            queue = [
                (who, turn_id, piece)
                for turn_id in self._sessions[source][:3]
                for piece in pieces(self._text[turn_id], self._rng)
            ]
            queues.append(queue[:24])
        out: list[SourceTurn] = []
        while any(queues):
            side = len(out) % 2
            who, other = pair[side], pair[1 - side]
            if queues[side] and (not queues[1 - side] or self._rng.random() < 0.75):
                _, turn_id, piece = queues[side].pop(0)
            else:
                turn_id = ""
                piece = _REPLIES[int(self._rng.integers(len(_REPLIES)))].format(n=other)
            turn = SourceTurn(
                id=f"{session}/{len(out)}", text=piece, speaker=who, at=at, session=session
            )
            if turn_id:
                made.setdefault((who, turn_id), []).append(turn)
            out.append(turn)
        return out

    def _best(self, told: Sequence[SourceTurn], answer: str) -> str:
        wanted = set(terms(answer))

        def score(turn: SourceTurn) -> tuple[float, bool, int]:
            said = set(terms(turn.text))
            aside = "by the way" in turn.text.casefold()
            return len(said & wanted) / max(1, len(wanted)), aside, len(turn.text)

        return max(told, key=score).id
