"""PersonaMem: which of four replies suits a user, given their sessions (Jiang et al., 2025; MIT).

The sessions of a user are in order but have no dates: each is dated a month after the one before,
with its turns a minute apart. The evidence given for a question is all sessions of its user, so the
recall of turns cannot be scored.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.evaluation.datasets.source import Json, read_json
from mags_lab.evaluation.protocol import SourceTurn

FIRST = datetime(2024, 1, 1, 12, tzinfo=UTC)
APART = timedelta(days=30)
_TURN = re.compile(r"^\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?", re.MULTILINE)
_OPTION = re.compile(r"^\(([a-z])\) ", re.MULTILINE)
_NAMED = re.compile(r"User: [^\n]+\n\n(.+)", re.DOTALL)
_NAME = re.compile(r"\bName: (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """What a user says, four replies, and the place of the one that suits them."""

    id: str
    kind: str
    said: str
    options: tuple[str, ...]
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A user: everything said in their sessions, oldest first, and the questions."""

    id: str
    name: str
    turns: tuple[SourceTurn, ...]
    questions: tuple[OneOf, ...]


def load_personamem(documents: Path, queries: Path) -> tuple[Persona, ...]:
    """The users with their questions, in the order of the file.

    Raises NotFound if a file is missing, InvalidInput for a question without its four replies.
    """
    sessions: dict[str, list[Json]] = defaultdict(list)
    for document in read_json(documents):
        sessions[document["user_id"]].append(document)
    asked: dict[str, list[Json]] = defaultdict(list)
    for query in read_json(queries):
        asked[query["user_id"]].append(query)
    return tuple(
        _persona(user, sorted(sessions[user], key=_number), found) for user, found in asked.items()
    )


def _number(document: Json) -> int:
    return int(document["id"].rpartition("_")[2])


def _persona(user: str, documents: list[Json], queries: list[Json]) -> Persona:
    named = _NAME.search(documents[0]["content"])
    name = named[1].strip() if named else "user"
    turns = [
        turn
        for place, document in enumerate(documents)
        for turn in _turns(document, name, FIRST + place * APART)
    ]
    # A text that several sessions repeat is told once, when it first occurs.
    once: dict[str, SourceTurn] = {}
    for turn in turns:
        once.setdefault(turn.text, turn)
    questions = tuple(_question(query) for query in queries)
    return Persona(id=user, name=name, turns=tuple(once.values()), questions=questions)


def _turns(document: Json, name: str, at: datetime) -> Iterator[SourceTurn]:
    """The turns of a session; the system's text describes the user."""
    parts = _TURN.split(document["content"])
    speakers = {"USER": name, "ASSISTANT": "assistant", "SYSTEM": "profile"}
    for number, (role, text) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        if text.strip():
            yield SourceTurn(
                id=f"{document['id']}#{number}",
                text=text.strip(),
                speaker=speakers[role],
                at=at + timedelta(minutes=number),
                session=document["id"],
            )


def _question(query: Json) -> OneOf:
    head, *parts = _OPTION.split(query["query"])
    named = _NAMED.match(head.strip())
    said = named[1] if named else head.strip().removeprefix("User: ")
    options = dict(zip(parts[::2], (text.strip() for text in parts[1::2]), strict=True))
    letter = query["gold_answers"][-1]
    if len(options) != 4 or letter not in options:
        raise InvalidInput(f"question {query['id']} has no four replies", id=query["id"])
    return OneOf(
        id=query["id"],
        kind=query["meta"]["question_type"],
        said=said.strip(),
        options=tuple(options.values()),
        right=list(options).index(letter),
    )
