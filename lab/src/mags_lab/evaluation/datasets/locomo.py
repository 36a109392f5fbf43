"""LoCoMo: long conversations of two people, with questions and evidence turns.

Maharana et al., 2024 (CC BY-NC 4.0: it may measure, never fit). Evidence ids
are partly malformed ("D8:6; D9:17", "D:11:26", "D"): what can be read is read,
what cannot is counted in `dropped`. Known wrong citations can be mended from
the list of dial481/locomo-audit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mags_lab.evaluation.datasets.source import Json, moment, read_json
from mags_lab.evaluation.protocol import Probe, Turn

CATEGORIES: Mapping[int, str] = MappingProxyType(
    {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
)
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One conversation with its questions (category 5 left out).

    `dropped` counts evidence ids that name no turn, `unanswerable` questions
    left out because none of their evidence could be read.
    """

    id: str
    speakers: tuple[str, str]
    turns: tuple[Turn, ...]
    probes: tuple[Probe, ...]
    dropped: int
    unanswerable: int


def load_locomo(path: Path, *, audit: Path | None = None) -> tuple[Conversation, ...]:
    """Return the conversations in `path`, with gold mended where `audit` is given.

    Turn and question ids are prefixed with the conversation's id, so that all
    conversations can share one memory.
    """
    mended = _mended(audit) if audit else {}
    return tuple(_conversation(index, raw, mended) for index, raw in enumerate(read_json(path)))


def evidence_ids(written: str) -> tuple[str, ...]:
    """Return every turn id in an evidence string, normalised: "D:11:026" is D11:26."""
    return tuple(f"D{int(s)}:{int(t)}" for s, t in _EVIDENCE.findall(written))


def _conversation(
    index: int, raw: Json, mended: Mapping[tuple[int, int], list[str]]
) -> Conversation:
    name = str(raw["sample_id"])
    talk = raw["conversation"]
    turns = tuple(_turns(name, talk))
    known = {turn.id for turn in turns}
    probes: list[Probe] = []
    dropped = unanswerable = 0
    for number, item in enumerate(raw["qa"]):
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
    return Conversation(
        id=name,
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        turns=turns,
        probes=tuple(probes),
        dropped=dropped,
        unanswerable=unanswerable,
    )


def _turns(name: str, talk: Mapping[str, Any]) -> list[Turn]:
    sessions = sorted(
        (int(match[1]), key) for key in talk if (match := re.fullmatch(r"session_(\d+)", key))
    )
    turns = []
    for _, key in sessions:
        at = _session_time(talk[f"{key}_date_time"])
        for said in talk[key]:
            turns.append(
                Turn(
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
    """Return the words with what a shared picture shows, as a chat would log it."""
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
