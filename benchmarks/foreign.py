"""Talk that nobody here wrote, to be read by eye: nothing may be learned from it.

User turns and messages of LifeBench, and of the half of LongMemEval's sessions and PersonaMem's
personas that may not be annotated (`mags_lab.talk.corpus.annotated`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from random import Random

from mags_lab.evaluation.datasets.source import Json, read_json
from mags_lab.talk.corpus import AnnotatedDialogue, AnnotatedTurn, annotated

OWNER = "Lu Mingqiang"
MOST = 12
"""Turns of a session that are told, so that no long one makes up the whole draw."""
_ROLE = re.compile(r"^\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?", re.MULTILINE)
_FIRST = datetime(2024, 1, 1, 12, tzinfo=UTC)
_Session = tuple[str, datetime, Iterable[tuple[str, str]]]
"""Its id, when it begins, and its turns, a minute apart, as (speaker, text)."""


def drawn(data: Path, count: int, number: int) -> Iterator[AnnotatedDialogue]:
    """Sessions with some `count` turns of people in all, a third of them of each set.

    Draws of different `number`, from 0, have no session in common until a set is used up.
    """
    for sessions in (_lifebench(data), _longmemeval(data), _personamem(data)):
        every = [_dialogue(*one) for one in sessions]
        Random(0).shuffle(every)
        told = 0
        for one in every:
            if told // (count // 3) == number:
                yield one
            told += sum(said.speaker != "assistant" for said in one.turns)


def _dialogue(id: str, begun: datetime, turns: Iterable[tuple[str, str]]) -> AnnotatedDialogue:
    said = tuple(
        AnnotatedTurn(
            id=f"{id}:{place}",
            speaker=speaker,
            text=text,
            at=begun + timedelta(minutes=place),
            session=id,
        )
        for place, (speaker, text) in enumerate(itertools.islice(turns, MOST))
        if text.strip()
    )
    return AnnotatedDialogue(id=id, register="", hand=id.partition("/")[0], people={}, turns=said)


def _lifebench(data: Path) -> Iterator[_Session]:
    folder = data / "lifebench/lumingqiang/phone_data"
    for number, chat in enumerate(read_json(folder / "agent_chat.json.gz")):
        turns = [
            (speaker, turn[role]["content"])
            for turn in chat["conversation"].values()
            for role, speaker in (("user", OWNER), ("assistant", "assistant"))
            if role in turn
        ]
        yield f"lifebench/chat-{number}", _day(chat["date"]), turns
    sent = sorted(read_json(folder / "sms.json.gz"), key=itemgetter("contactName", "datetime"))
    for (whom, day), some in itertools.groupby(
        sent, lambda one: (one["contactName"], one["datetime"][:10])
    ):
        messages = list(some)
        turns = [
            (OWNER if one["message_type"] == "Send" else whom, one["message_content"])
            for one in messages
        ]
        begun = datetime.fromisoformat(messages[0]["datetime"]).replace(tzinfo=UTC)
        yield f"lifebench/{whom}-{day}", begun, turns


def _longmemeval(data: Path) -> Iterator[_Session]:
    seen = set[str]()
    for path in sorted((data / "longmemeval/haystacks").glob("*.json.gz")):
        for key, begun, turns in _sessions(read_json(path)):
            if not annotated(key) and key not in seen:
                seen.add(key)
                yield f"longmemeval/{key}", begun, turns


def _sessions(data: Json) -> Iterator[_Session]:
    if isinstance(data, dict):
        for step in data["steps"]:
            if said := step.get("messages"):
                turns = [(one["peer_id"], one["content"]) for one in said]
                yield step["session_id"], _day(said[0]["created_at"]), turns
        return
    for case in data:
        for key, day, said in zip(
            case["haystack_session_ids"],
            case["haystack_dates"],
            case["haystack_sessions"],
            strict=True,
        ):
            begun = _day(re.sub(r" \(\w+\)", "", day).replace("/", "-"))
            yield key, begun, [(one["role"], one["content"]) for one in said]


def _personamem(data: Path) -> Iterator[_Session]:
    seen = set[str]()
    for one in read_json(data / "personamem/documents.json.gz"):
        if not annotated(one["content"].partition("\n\n[USER]")[0]):
            parts = _ROLE.split(one["content"])[1:]
            pairs = zip(parts[::2], parts[1::2], strict=True)
            turns = [
                (role.lower(), text.strip())
                for role, text in pairs
                if role != "SYSTEM" and text not in seen  # users of a persona share sessions
            ]
            seen.update(parts[1::2])
            number = int(one["id"].rpartition("_")[2])
            yield f"personamem/{one['id']}", _FIRST + number * timedelta(days=30), turns


def _day(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)
