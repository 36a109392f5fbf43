"""LoCoMo's conversations with what readers wrote of them.

Maharana et al., 2024 (CC BY-NC 4.0: it may measure, never fit). Observations, events
and summaries are a language model's, questions by people and models.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mags.ports.policy import Turn
from mags_lab.evaluation.datasets.locomo import evidence_ids
from mags_lab.evaluation.datasets.source import Json, moment, read_json

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a reader noted of a person. `cited`: ids of the turns it is drawn from."""

    text: str
    person: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation. `sessions`: turns by id, in order, session by session.

    `lines`: what was written of a session, the questions with evidence in it among them.
    """

    id: str
    speakers: tuple[str, str]
    sessions: Mapping[str, Mapping[str, Turn]]
    observations: tuple[Observation, ...]
    lines: Mapping[str, tuple[str, ...]]


def load_notes(path: Path) -> tuple[Talk, ...]:
    """The conversations in `path`; raises NotFound."""
    return tuple(_talk(raw) for raw in read_json(path))


def _talk(raw: Json) -> Talk:
    talk = raw["conversation"]
    sessions = {
        name: _turns(name, turns, talk[f"{name}_date_time"])
        for name, turns in talk.items()
        if re.fullmatch(r"session_\d+", name) and turns
    }
    asked: dict[str, list[str]] = defaultdict(list)
    for one in raw["qa"]:
        for written in one["evidence"]:
            for turn in evidence_ids(written):
                asked[f"session_{turn[1:].partition(':')[0]}"].append(
                    f"{one['question']} {one.get('answer', '')}"
                )
    return Talk(
        id=raw["sample_id"],
        speakers=(talk["speaker_a"], talk["speaker_b"]),
        sessions=sessions,
        observations=tuple(o for name in sessions for o in _observations(raw, name)),
        lines={name: tuple(dict.fromkeys((*_lines(raw, name), *asked[name]))) for name in sessions},
    )


def _turns(session: str, turns: Json, date: str) -> dict[str, Turn]:
    at = moment(date, "%I:%M %p on %d %B, %Y").timestamp()
    return {
        evidence_ids(one["dia_id"])[0]: Turn(
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
