"""LifeBench: one person's messages, notes and calendar, with questions (Apache-2.0)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from mags_lab.evaluation.datasets.source import Json, read_json
from mags_lab.evaluation.protocol import Probe, SourceTurn

OWNER = "Lu Mingqiang"
_FILES = {
    "calendar": "calendar.json.gz",
    "note": "note.json.gz",
    "sms": "sms.json.gz",
    "photo": "photo.json",
    "push": "push.json",
}


def load_lifebench(folder: Path) -> tuple[list[SourceTurn], list[Probe]]:
    """Turns oldest first, and the questions whose evidence is among them."""
    turns: dict[str, SourceTurn] = {}
    for kind, name in _FILES.items():
        for raw in read_json(folder / "phone_data" / name):
            turn = _turn(kind, raw)
            turns.setdefault(turn.id, turn)
    probes = []
    for number, raw in enumerate(read_json(folder / "QA" / "QA_clean.json.gz")):
        gold = frozenset(i for i in _evidence(raw) if i in turns)
        if gold:
            kind = str(raw["question_type"])
            identifier = f"lifebench/{number}"
            probes.append(Probe(id=identifier, text=raw["question"], gold=gold, kind=kind))
    ordered = sorted(turns.values(), key=lambda t: (t.session.split("|")[0], t.session, t.at))
    return ordered, probes


def _evidence(raw: Json) -> Iterator[str]:
    found = raw.get("evidence") or []
    if isinstance(found, str):
        found = ast.literal_eval(found)
    for item in found:
        yield f"{item['type']}/{item['id']}"


def _turn(kind: str, raw: Json) -> SourceTurn:
    at = datetime.fromisoformat(raw["datetime"].replace("/", "-")).replace(tzinfo=UTC)
    speaker, other = OWNER, kind
    if kind == "sms":
        other = raw["contactName"]
        speaker = other if raw["message_type"] == "Receive" else OWNER
        text = raw["message_content"]
    elif kind == "calendar":
        text = f"{raw['title']}: {raw['description']}"
    elif kind == "photo":
        text = f"{raw['caption']} ({', '.join(raw.get('imageTag') or [])})"
    else:
        text = f"{raw['title']}: {raw['content']}"
    if kind == "push":
        speaker = str(raw.get("source") or "phone")
    return SourceTurn(
        id=f"{kind}/{raw['phone_id']}",
        text=text,
        speaker=speaker,
        at=at,
        session=f"{at:%Y-%m-%d}|{other}",
    )
