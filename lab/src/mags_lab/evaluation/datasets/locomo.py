"""LoCoMo: long conversations of two people, with questions, evidence turns and readers' notes.

Maharana et al., 2024 (CC BY-NC 4.0: used to measure, never to fit). Some evidence ids are malformed
("D8:6; D9:17", "D:11:26", "D"): those that can be read are read, the others are counted in
`dropped`. Known wrong citations can be corrected from the list of dial481/locomo-audit.
Observations, events and summaries are written by a language model, questions by people and models.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mags.ports import policy
from mags_lab.evaluation.datasets.source import Json, moment, read_json
from mags_lab.evaluation.protocol import Probe, SourceTurn

CATEGORIES: Mapping[int, str] = MappingProxyType(
    {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
)
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocomoConversation:
    """One conversation with its questions, without category 5.

    `dropped`: how many evidence ids name no turn; `unanswerable`: how many questions are left out
    because none of their evidence could be read.
    """

    id: str
    speakers: tuple[str, str]
    turns: tuple[SourceTurn, ...]
    probes: tuple[Probe, ...]
    dropped: int
    unanswerable: int


def load_locomo(path: Path, *, audit: Path | None = None) -> tuple[LocomoConversation, ...]:
    """Return the conversations in `path`, with evidence corrected if `audit` is given.

    Turn and question ids have the conversation's id as a prefix, so that all conversations can
    share one memory.
    """
    mended = _mended(audit) if audit else {}
    return tuple(_conversation(index, raw, mended) for index, raw in enumerate(read_json(path)))


def evidence_ids(written: str) -> tuple[str, ...]:
    """Return every turn id in an evidence string, normalised: "D:11:026" is D11:26."""
    return tuple(f"D{int(s)}:{int(t)}" for s, t in _EVIDENCE.findall(written))


def _conversation(
    index: int, raw: Json, mended: Mapping[tuple[int, int], list[str]]
) -> LocomoConversation:
    name = str(raw["sample_id"])
    talk = raw["conversation"]
    turns = tuple(spoken(name, talk))
    known = {turn.id for turn in turns}
    probes: list[Probe] = []
    dropped = unanswerable = 0
    for number, item in enumerate(raw["qa"]):
        # Adversarial questions ask about what was never said: there is no evidence to find.
        if item["category"] == 5:
            continue
        written = mended.get((index, number), item["evidence"])
        read = [f"{name}/{i}" for text in written for i in evidence_ids(text)]
        malformed = sum(not evidence_ids(text) for text in written)
        gold = frozenset(read) & known
        dropped += malformed + len(set(read) - known)
        if not gold:
            unanswerable += 1
            continue
        probes.append(
            Probe(
                id=f"{name}/qa{number}",
                text=item["question"],
                gold=gold,
                kind=CATEGORIES[item["category"]],
            )
        )
    return LocomoConversation(
        id=name,
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        turns=turns,
        probes=tuple(probes),
        dropped=dropped,
        unanswerable=unanswerable,
    )


def spoken(name: str, talk: Mapping[str, Any]) -> list[SourceTurn]:
    """The turns of a conversation of this name, in order."""
    # By number: as text, "session_10" would come before "session_2".
    sessions = sorted(
        (int(match[1]), key) for key in talk if (match := re.fullmatch(r"session_(\d+)", key))
    )
    turns = []
    for _, key in sessions:
        at = _session_time(talk[f"{key}_date_time"])
        for said in talk[key]:
            turns.append(
                SourceTurn(
                    id=f"{name}/{evidence_ids(said['dia_id'])[0]}",
                    text=_with_picture(said),
                    speaker=said["speaker"],
                    at=at,
                    session=f"{name}/{key}",
                )
            )
    return turns


def _session_time(written: str) -> datetime:
    return moment(written, "%I:%M %p on %d %B, %Y")


def _with_picture(said: Mapping[str, Any]) -> str:
    """Return the text of a turn with the caption of a shared picture, as a chat would log it."""
    caption, query = said.get("blip_caption"), said.get("query")
    if not caption:
        return str(said["text"])
    found = f" (searched: {query})" if query else ""
    return f"{said['text']} [picture: {caption}{found}]"


def _mended(audit: Path) -> dict[tuple[int, int], list[str]]:
    found = {}
    for item in read_json(audit):
        match = re.fullmatch(r"locomo_(\d+)_qa(\d+)", item["question_id"])
        if match and item["correct_evidence"]:
            found[int(match[1]), int(match[2])] = list(item["correct_evidence"])
    return found


_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What was noted about a person. `cited`: ids of the turns that it is drawn from."""

    text: str
    person: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedConversation:
    """One conversation with notes. `sessions`: by session, its turns by id, in order.

    `lines`: by session, everything written about it, with the questions that have evidence in it.
    """

    id: str
    speakers: tuple[str, str]
    sessions: Mapping[str, Mapping[str, policy.Turn]]
    observations: tuple[Observation, ...]
    lines: Mapping[str, tuple[str, ...]]


def load_notes(path: Path) -> tuple[NotedConversation, ...]:
    """The conversations in `path`; raises NotFound."""
    return tuple(_talk(raw) for raw in read_json(path))


def _talk(raw: Json) -> NotedConversation:
    talk = raw["conversation"]
    sessions = {
        name: _spoken(name, turns, talk[f"{name}_date_time"])
        for name, turns in talk.items()
        if re.fullmatch(r"session_\d+", name) and turns
    }
    asked: dict[str, list[str]] = defaultdict(list)
    # A question with its answer is a line about each session that it has evidence in.
    for one in raw["qa"]:
        for written in one["evidence"]:
            for turn in evidence_ids(written):
                asked[f"session_{turn[1:].partition(':')[0]}"].append(
                    f"{one['question']} {one.get('answer', '')}"
                )
    return NotedConversation(
        id=raw["sample_id"],
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        sessions=sessions,
        observations=tuple(o for name in sessions for o in _observations(raw, name)),
        lines={name: tuple(dict.fromkeys((*_lines(raw, name), *asked[name]))) for name in sessions},
    )


def _spoken(session: str, turns: Json, date: str) -> dict[str, policy.Turn]:
    at = moment(date, "%I:%M %p on %d %B, %Y").timestamp()
    return {
        evidence_ids(one["dia_id"])[0]: policy.Turn(
            text=one["text"], speaker=one["speaker"], at=at, session=session
        )
        for one in turns
    }


def _observations(raw: Json, session: str) -> Iterator[Observation]:
    for person, noted in raw["observation"].get(f"{session}_observation", {}).items():
        for text, written in noted:
            yield Observation(text=text, person=person, cited=evidence_ids(str(written)))


def _lines(raw: Json, session: str) -> Iterator[str]:
    for observation in _observations(raw, session):
        yield observation.text
    for person, events in raw["event_summary"].get(f"events_{session}", {}).items():
        if isinstance(events, list):
            yield from (f"{person}: {event}" for event in events)
    yield from _SENTENCE.split(raw["session_summary"].get(f"{session}_summary", ""))
