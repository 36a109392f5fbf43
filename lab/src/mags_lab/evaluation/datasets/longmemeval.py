"""LongMemEval: questions over a user's chats with an assistant (Wu et al., 2025; MIT).

The evidence file has, for each question, only the turns that answer it; the haystack files have
whole sessions. Together they are one long memory: all evidence turns among all haystack sessions.
A haystack session that is also the evidence session of a question is not stored twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mags_lab.evaluation.datasets.source import Json, moment, read_json, read_jsonl
from mags_lab.evaluation.protocol import Probe, SourceTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class LongMemEval:
    """One memory of all sessions, oldest first, and the questions over it.

    Abstention questions have no evidence, or evidence of something else. They are left out and
    counted in `abstentions`.
    """

    turns: tuple[SourceTurn, ...]
    probes: tuple[Probe, ...]
    abstentions: int


def load_longmemeval(evidence: Path, haystacks: Path) -> LongMemEval:
    """Return the questions of `evidence` over its turns and all files of the folder `haystacks`."""
    sessions: dict[str, list[SourceTurn]] = {}
    for path in sorted(haystacks.glob("*.json*")):
        for name, at, said in _haystack(read_json(path)):
            if name not in sessions:
                sessions[name] = [_turn(name, n, at, *pair) for n, pair in enumerate(said)]
    probes = []
    abstentions = 0
    for raw in read_jsonl(evidence):
        # For abstentions, too: their turns are distractors for all other questions.
        gold = frozenset(_place(raw, sessions))
        if raw["abstention"]:
            abstentions += 1
            continue
        probes.append(
            Probe(
                id=raw["question_id"],
                text=raw["question"],
                gold=gold,
                kind=raw["question_type"],
                at=_time(raw["question_date"]),
            )
        )
    turns = sorted((t for said in sessions.values() for t in said), key=lambda t: (t.at, t.session))
    return LongMemEval(turns=tuple(turns), probes=tuple(probes), abstentions=abstentions)


def said(raw: Json) -> Iterator[SourceTurn]:
    """The turns of a file of haystacks, or of one question in either file, in order."""
    if "evidence_sessions" in raw:
        # By question, since of one session each has other turns.
        named = zip(raw["answer_session_ids"], raw["evidence_sessions"], strict=False)
        sessions = [
            (f"{raw['question_id']}/{name}", _time(one["date"]), _words(one["turns"]))
            for name, one in named
        ]
    else:
        sessions = list(_haystack(raw if "steps" in raw else [raw]))
    for name, at, words in sessions:
        yield from (_turn(name, n, at, *pair) for n, pair in enumerate(words))


def _words(turns: Json) -> list[tuple[str, str]]:
    return [(one["role"], one["content"]) for one in turns]


def _place(raw: Mapping[str, Any], sessions: dict[str, list[SourceTurn]]) -> Iterator[str]:
    """Put a question's evidence turns into their sessions and yield their ids."""
    for name, session in zip(raw["answer_session_ids"], raw["evidence_sessions"], strict=False):
        held = sessions.setdefault(name, [])
        for said in session["turns"]:
            # A session of a haystack has the turn already, perhaps with other white space.
            known = next((t for t in held if said["content"].strip() in t.text), None)
            if known is None:
                at = held[0].at if held else _time(session["date"])
                known = _turn(name, len(held), at, said["role"], said["content"])
                held.append(known)
            yield known.id


def _haystack(raw: Json) -> Iterator[tuple[str, datetime, list[tuple[str, str]]]]:
    """Yield (session, time, [(role, text)]) from a file in either of its two formats."""
    if isinstance(raw, dict):
        for step in raw["steps"]:
            if step["step_type"] == "add_messages" and step["messages"]:
                said = [(m["peer_id"], m["content"]) for m in step["messages"]]
                at = datetime.fromisoformat(step["messages"][0]["created_at"])
                yield step["session_id"], at.replace(tzinfo=UTC), said
        return
    for item in raw:
        for name, date, session in zip(
            item["haystack_session_ids"],
            item["haystack_dates"],
            item["haystack_sessions"],
            strict=True,
        ):
            yield name, _time(date), _words(session)


def _turn(name: str, number: int, at: datetime, role: str, words: str) -> SourceTurn:
    return SourceTurn(id=f"{name}#{number}", text=words.strip(), speaker=role, at=at, session=name)


def _time(written: str) -> datetime:
    return moment(written, "%Y/%m/%d %H:%M")
