"""A sample: what a policy is shown for one turn, and the memory tokens it should answer with.

Samples lie in JSONL, one object a line, in the form of `SCHEMA` (its `v` grows with every change
that an older reader could not follow). Dates are ISO days; a target is read by the grammar of
memory tokens before it is let in, so that no model is ever taught what a reader refuses.

Targets are written canonically: the same decision is always the same string, since models are
scored by exact match. Operations stand in the order in which they were said, fields of a plan in
the order of the grammar, and nothing that can be left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from mags.errors import InvalidInput, ModelReplyError
from mags.models.grammar import read_engram, read_plan, read_route
from mags.ports.policy import Act, Recalled, Turn
from mags.ports.relations import kind_of, normalise

VERSION = 1
SAID = {
    "type": "object",
    "properties": {"speaker": {"type": "string"}, "text": {"type": "string"}},
    "required": ["speaker", "text"],
    "additionalProperties": False,
}
MEMORY = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "text": {"type": "string"},
        "speaker": {"type": "string"},
        "at": {"type": "string"},
        "current": {"type": "boolean"},
    },
    "required": ["id", "text", "speaker", "at", "current"],
    "additionalProperties": False,
}


class Role(StrEnum):
    """Which of the three decisions a sample teaches."""

    ASK = "ask"
    WRITE = "write"
    ROUTER = "router"


class Split(StrEnum):
    """What is new in a sample to a model that was trained on `train`.

    Every split but `train` and those of `dev` has names of held-out syllables and held-out fillers.
    """

    TRAIN = "train"
    DEV = "dev"
    """Other draws of what `train` has, to stop by; of conversation by hand, other turns."""
    DEV_PHRASINGS = "dev-phrasings"
    """As `dev`, in phrasings that `train` never has: to find thresholds and decoding by."""
    DEV_COUNTED = "dev-counted"
    """As `dev-phrasings`, other phrasings: to count by alone, failures unread."""
    SEEN = "seen"
    """Frames and phrasings as in `train`; new names (h0)."""
    FRAMES = "frames"
    """New sentence frames around phrasings of `train` (h1)."""
    PHRASINGS = "phrasings"
    """New frames and new phrasings of known relations (h2)."""
    INDEPENDENT = "independent"
    """Phrasings of known relations by another author."""
    RELATIONS = "relations"
    """Relations that `train` never names."""
    TALK = "talk"
    """Turns of conversation by hand that neither `train` nor `dev` has."""
    REAL = "real"
    """Text that people wrote."""


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A sample of MAGS's policy models",
    "type": "object",
    "properties": {
        "v": {"const": VERSION},
        "id": {"type": "string", "minLength": 1},
        "role": {"enum": [role.value for role in Role]},
        "split": {"enum": [split.value for split in Split]},
        "now": {"type": "string"},
        "recent": {"type": "array", "items": SAID},
        "recalled": {"type": "array", "items": MEMORY},
        "turn": SAID,
        "target": {"type": "string", "minLength": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "source": {"type": "string"},
    },
    "required": [
        *("v", "id", "role", "split", "now", "recent", "recalled", "turn", "target"),
        *("tags", "source"),
    ],
    "additionalProperties": False,
}
TYPES: dict[str, type] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One decision. `turn.at` is now (a whole day, UTC); `recent` is oldest first.

    `target`: the whole reply in memory tokens. `source`: where it came from ("generator",
    "hand", a data set). `tags`: what it exercises ("update", "two-hop", "near").
    """

    id: str
    role: Role
    split: Split
    turn: Turn
    target: str
    recent: tuple[Turn, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    tags: tuple[str, ...] = ()
    source: str = "generator"

    @property
    def now(self) -> float:
        """The day of the turn, in seconds since the epoch (UTC)."""
        return self.turn.at


def write_samples(path: Path, samples: Iterable[Sample]) -> int:
    """Write samples as JSONL, replacing what was there; return how many."""
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for sample in samples:
            file.write(to_line(sample) + "\n")
            count += 1
    return count


def read_samples(path: Path) -> Iterator[Sample]:
    """Read samples one by one; raises InvalidInput naming file, line and field."""
    for place, line in lines(path):
        yield from_line(line, where=f"{path.name}:{place}")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that hold something, with their numbers from 1; raises InvalidInput."""
    if not path.is_file():
        raise InvalidInput(
            f"There is no file {path}: write samples with `mags train data --out DIR`.",
            path=str(path),
        )
    with path.open(encoding="utf-8") as file:
        for place, line in enumerate(file, start=1):
            if line.strip():
                yield place, line


def to_line(sample: Sample) -> str:
    """One sample as one line of JSON (always the same bytes for the same sample)."""
    return json.dumps(to_json(sample), ensure_ascii=False)


def to_json(sample: Sample) -> dict[str, Any]:
    """One sample as the object that `SCHEMA` describes."""
    return {
        "v": VERSION,
        "id": sample.id,
        "role": sample.role.value,
        "split": sample.split.value,
        "now": day(sample.turn.at),
        "recent": [_said(turn) for turn in sample.recent],
        "recalled": [
            {
                "id": item.id,
                "text": item.text,
                "speaker": item.speaker,
                "at": day(item.at),
                "current": item.current,
            }
            for item in sample.recalled
        ],
        "turn": _said(sample.turn),
        "target": sample.target,
        "tags": list(sample.tags),
        "source": sample.source,
    }


def from_line(line: str, *, where: str = "a line") -> Sample:
    """Read one line; raises InvalidInput that says where and what is wrong."""
    written = read_object(line, SCHEMA, where=where)
    now = moment(written["now"], where)
    sample = Sample(
        id=written["id"],
        role=Role(written["role"]),
        split=Split(written["split"]),
        turn=said(written["turn"], now),
        recent=tuple(said(turn, now) for turn in written["recent"]),
        recalled=tuple(remembered(item, where) for item in written["recalled"]),
        target=written["target"],
        tags=tuple(written["tags"]),
        source=written["source"],
    )
    check_target(sample, where=where)
    return sample


def check_target(sample: Sample, *, where: str = "") -> None:
    """Raise InvalidInput where the grammar of memory tokens refuses the target."""
    try:
        if sample.role is Role.ASK:
            read_plan(sample.target, sample.turn.text)
        elif sample.role is Role.WRITE:
            read_engram(sample.target)
        else:
            read_route(sample.target)
    except ModelReplyError as refused:
        raise InvalidInput(
            f"{where or sample.id}: the target is no reply of the {sample.role} policy. {refused}",
            where=where,
            sample=sample.id,
        ) from refused


def read_object(line: str, schema: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Parse a line and hold it against a schema; raises InvalidInput at the first fault."""
    try:
        written = json.loads(line)
    except ValueError as failure:
        raise InvalidInput(f"{where} is no JSON: {failure}.", where=where) from failure
    fault = fault_of(written, schema)
    if fault:
        raise InvalidInput(f"{where} is not in the form of a chain: {fault}.", where=where)
    return dict(written)


def fault_of(value: object, schema: Mapping[str, Any], at: str = "the object") -> str:
    """What is wrong with a value, or "" (the part of JSON Schema that `SCHEMA` uses)."""
    if "const" in schema and value != schema["const"]:
        return f"{at} is {value!r} where this reader knows {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at} is {value!r}, none of {', '.join(map(str, schema['enum']))}"
    kind = TYPES.get(schema.get("type", ""))
    if kind and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        return f"{at} should be of type {schema['type']}"
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return f"{at} is empty"
    if isinstance(value, dict):
        return _fault_of_object(value, schema, at)
    if isinstance(value, list) and "items" in schema:
        faults = (fault_of(item, schema["items"], f"{at}[{i}]") for i, item in enumerate(value))
        return next(filter(None, faults), "")
    return ""


def _fault_of_object(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> str:
    known = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{at} lacks {', '.join(missing)}"
    strange = sorted(value.keys() - known.keys())
    if strange and schema.get("additionalProperties") is False:
        return f"{at} has {', '.join(strange)}, which nothing reads"
    faults = (fault_of(value[name], known[name], name) for name in value if name in known)
    return next(filter(None, faults), "")


def day(at: float) -> str:
    """A moment as an ISO day (UTC); empty at 0, which stands for unknown."""
    return datetime.fromtimestamp(at, UTC).date().isoformat() if at else ""


def moment(written: str, where: str = "") -> float:
    """The first second of an ISO day; 0 for ""; raises InvalidInput."""
    if not written:
        return 0.0
    try:
        found = date.fromisoformat(written)
    except ValueError as failure:
        raise InvalidInput(
            f"{where}: {written!r} is no day: write it as 2024-05-03.", where=where
        ) from failure
    return datetime(found.year, found.month, found.day, tzinfo=UTC).timestamp()


def said(written: Mapping[str, str], at: float) -> Turn:
    """A turn of the form of `SAID`."""
    return Turn(text=written["text"], speaker=written["speaker"], at=at)


def remembered(written: Mapping[str, Any], where: str = "") -> Recalled:
    """A recalled memory of the form of `MEMORY`; raises InvalidInput."""
    return Recalled(
        id=written["id"],
        text=written["text"],
        speaker=written["speaker"],
        at=moment(written["at"], where),
        current=written["current"],
    )


def _said(turn: Turn) -> dict[str, str]:
    return {"speaker": turn.speaker, "text": turn.text}


NOTHING = "<engram>\nnone\n</engram>"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationLine:
    """One operation as it is written. `when`: an ISO date or range as it is known, or ""."""

    act: Act
    subject: str = ""
    relation: str = ""
    object: str = ""
    when: str = ""
    text: str = ""

    def __str__(self) -> str:
        """The line of an `<engram>` block; "favourite food" becomes favourite with a kind."""
        if self.act is Act.NOTE:
            return f"NOTE | {escaped(self.text)}"
        kind = kind_of(self.relation)
        relation = "favourite" if kind else self.relation
        fields = [self.act.value, self.subject, relation, self.object]
        if kind or self.when:
            fields.append(f"kind={kind}" if kind else "")
        if self.when:
            fields.append(self.when)
        return " | ".join(escaped(part) for part in fields).replace("|  |", "| |")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallLook:
    """A recall plan as it is written; `hops` are (subject or "^", relation, inverse)."""

    queries: tuple[str, ...]
    entities: tuple[str, ...] = ()
    hops: tuple[tuple[str, str, bool], ...] = field(default=())
    since: str = ""
    until: str = ""
    kind: str = ""
    past: bool = False

    def __str__(self) -> str:
        """The whole `<recall>` block."""
        lines = list(self.queries)
        if self.entities:
            lines.append("entities: " + "; ".join(self.entities))
        for subject, relation, inverse in self.hops:
            lines.append(f"hop: {subject} | {relation}" + (" | inverse" if inverse else ""))
        settings = {"since": self.since, "until": self.until, "kind": self.kind}
        lines += [f"{name}: {value}" for name, value in settings.items() if value]
        if self.past:
            lines.append("past: yes")
        return "\n".join(("<recall>", *lines, "</recall>"))


def engram(lines: Sequence[OperationLine]) -> str:
    """The whole `<engram>` block; `none` where there is nothing to store."""
    written = list(dict.fromkeys(str(line) for line in lines))
    return "\n".join(("<engram>", *written, "</engram>")) if written else NOTHING


def route(word: str, *, episodic: float = 1.0, semantic: float = 1.0) -> str:
    """The whole `<route>` block; weights only where one of them is not 1."""
    weights = "" if episodic == semantic == 1.0 else f" episodic={episodic:g} semantic={semantic:g}"
    return f"<route> {word}{weights} </route>"


def escaped(words: str) -> str:
    """A field's words, so that a bar in them is no separator."""
    return words.replace("|", "\\|")


def sentence(subject: str, relation: str, object: str) -> str:
    """A fact as a memory words it ("Ana lives in Oslo."), by the table of relations."""
    return normalise(relation).sentence(subject, object, kind_of(relation))
