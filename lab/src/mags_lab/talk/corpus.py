"""The corpus: dialogues with their facts, closings and questions, as plain text files.

A file holds dialogues, a dialogue sessions, a session turns; below a turn stands what to keep of
it and what it ends, at the end of the dialogue what can be asked. `FORMAT` in `guide.md` shows it.
The terms are those of the guideline for annotated talk; what a file leaves out has a default.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from mags.caches import cached
from mags.errors import InvalidInput

DATA = Path(__file__).parent / "data"
KINDS = {
    "e": "event",
    "s": "state",
    "a": "attribute",
    "p": "preference",
    "l": "plan",
    "r": "relation",
}
ASKED = frozenset(
    [
        "value",
        "when",
        "list",
        "count",
        "yes/no",
        "who",
        "compare",
        "since",
        "changed",
        "past",
        "overview",
        "talk",
    ]
)
WHY = frozenset(("replaced", "corrected", "over", "done"))
FIELDS = frozenset(["alt", "topic", "time", "when", "act", "pol", "mod", "src", "needs"])
VALUES = {
    "act": frozenset(("add", "update", "retract", "none")),
    "pol": frozenset(("yes", "no", "any")),
    "mod": frozenset(("actual", "plan", "wish", "maybe")),
    "src": frozenset(("self", "owner", "third", "reported", "tool")),
}
JUDGED = {"r": 1.0, "p": 0.3, "w": 0.0, "j": 0.0}
"""Right, partly (what is needed is cut off), wrong, and junk: said, but nothing to keep."""
_TURN = re.compile(r"(?:\[(?P<label>\w+)\] )?(?P<speaker>[^:|]{1,40}): (?P<text>\S.*)")
_PLACE = re.compile(r"(?:\[(?P<label>\w+)\] )?@ (?P<id>\S+:\d+)")
_WHEN = re.compile(r"-- (\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)(?: \| (.+))?")
_TIME = re.compile(r"\d{4}(-\d\d){0,2}")
_ROLE = re.compile(r"^\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?", re.MULTILINE)
_FIRST = datetime(2024, 1, 1, 12, tzinfo=UTC)

_Session: TypeAlias = tuple[str, datetime, list[tuple[str, str]]]
"""Its id, when it begins, and its messages as (role, text)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedFact:
    """A fact to keep of a turn. `objects`, `subjects`: the wording first, then other right ones."""

    must: bool
    kind: str
    subjects: tuple[str, ...]
    relation: str
    objects: tuple[str, ...]
    topic: str = ""
    time: str = ""
    when: str = ""
    act: str = "add"
    polarity: str = "yes"
    modality: str = "actual"
    source: str = "self"
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An earlier fact that a turn ends. `optional`: a reader may keep it open."""

    subject: str
    objects: tuple[str, ...]
    why: str
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedTurn:
    """One turn, with what it tells and ends. `at`: aware, UTC."""

    id: str
    speaker: str
    text: str
    at: datetime
    session: str
    facts: tuple[AnnotatedFact, ...] = ()
    ends: tuple[Ended, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedQuestion:
    """A question after the last turn. `evidence`: ids of all turns that it needs."""

    kind: str
    who: str
    text: str
    answers: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def unanswerable(self) -> bool:
        """Whether nothing that was told answers it."""
        return not self.answers


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedDialogue:
    """A dialogue. `people`: a name and its other forms. `hand`: who wrote it, in which manner."""

    id: str
    register: str
    hand: str
    people: Mapping[str, tuple[str, ...]]
    turns: tuple[AnnotatedTurn, ...]
    questions: tuple[AnnotatedQuestion, ...] = ()

    @property
    def split(self) -> str:
        """`train`, `dev` or `test`: by dialogue, 70, 15 and 15 of a hundred."""
        drawn = int(hashlib.sha256(self.id.encode()).hexdigest()[:8], 16) % 100
        return "train" if drawn < 70 else "dev" if drawn < 85 else "test"


@dataclass(slots=True)
class _Draft:
    id: str
    register: str
    hand: str
    people: dict[str, tuple[str, ...]] = field(default_factory=dict)
    turns: list[AnnotatedTurn] = field(default_factory=list)
    questions: list[AnnotatedQuestion] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    at: datetime = datetime(2026, 1, 1, 9, tzinfo=UTC)
    session: str = ""
    sessions: int = 0
    texts: Mapping[str, tuple[str, datetime]] | None = field(default_factory=dict)

    def done(self) -> AnnotatedDialogue:
        return AnnotatedDialogue(
            id=self.id,
            register=self.register,
            hand=self.hand,
            people=self.people,
            turns=tuple(self.turns),
            questions=tuple(self.questions),
        )


def dialogues(folder: Path = DATA, split: str | None = None) -> Iterator[AnnotatedDialogue]:
    """All dialogues of a folder, or those of a split, in the order of names of files.

    Those whose text lies in a public data set that is absent (`MAGS_DATA`) are left out.
    """
    for path in sorted(folder.glob("*.talk")):
        for one in parse(path.read_text(encoding="utf-8"), path.name):
            if split is None or one.split == split:
                yield one


def only_judged(folder: Path = DATA) -> Iterator[AnnotatedDialogue]:
    """Dialogues whose facts and answers were judged and not annotated, for calibration alone."""
    return dialogues(folder / "judged")


def only_asked(folder: Path = DATA, split: str | None = None) -> Iterator[AnnotatedDialogue]:
    """Dialogues whose turns are not annotated: small memories, half of whose questions miss."""
    return dialogues(folder / "asked", split)


def judged_facts(path: Path = DATA / "judged-facts.tsv") -> dict[tuple[str, str, str, str], float]:
    """How far what a reader may make of talk is right, by turn, subject, relation and object.

    Each was judged by reading its turn (`JUDGED`), whatever the annotation has.
    """
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {(turn, whose, how, what): JUDGED[label] for turn, label, whose, how, what in lines}


def judged_answers(
    path: Path = DATA / "judged-answers.tsv",
) -> dict[tuple[str, str, str, str, str], float]:
    """How far what a memory may answer to questions about talk is right.

    By dialogue, who asks, question, form ("value" or "quote") and the words it answers with.
    """
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {
        (talk, who, asked, form, text): JUDGED[label]
        for talk, who, asked, form, label, text in lines
    }


def parse(text: str, name: str = "text") -> list[AnnotatedDialogue]:  # noqa: C901 - one loop
    """The dialogues of a file; raises InvalidInput naming the lines that are wrong."""
    found, wrong = list[AnnotatedDialogue](), list[str]()
    draft: _Draft | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("//"):
            continue
        try:
            if line.startswith("== "):
                if draft is not None and draft.texts is not None:
                    found.append(draft.done())
                id, register, hand, *place = _parts(line[3:], 3, 4)
                draft = _Draft(id, register, hand)
                if place:
                    draft.texts = _texts(place[0])
            elif draft is None:
                raise ValueError("a file begins with == id | register | hand")
            elif draft.texts is not None:
                _line(draft, line)
        except ValueError as problem:
            wrong.append(f"{name}:{number}: {problem}: {line[:80]}")
    if draft is not None and draft.texts is not None:
        found.append(draft.done())
    if wrong:
        raise InvalidInput("\n".join(wrong))
    return found


def _line(draft: _Draft, line: str) -> None:  # noqa: C901 - a case for each kind of line
    if line.startswith("people: "):
        for one in line[8:].split(";"):
            name, _, others = one.partition("=")
            also = tuple(part.strip() for part in others.split(",") if part.strip())
            draft.people[name.strip()] = (name.strip(), *also)
    elif when := _WHEN.fullmatch(line):
        draft.sessions += 1
        draft.at = datetime.fromisoformat(when[1]).replace(tzinfo=UTC)
        if " " not in when[1]:
            draft.at += timedelta(hours=9)
        draft.session = f"{draft.id} {draft.sessions}"
    elif line[:2] in ("+ ", "~ "):
        _add(draft, told := _told(draft, line))
        _check_words(draft, told)
    elif line[:2] in ("- ", "-~"):
        parts = _parts(line[2:].lstrip("~ "), 3, 3)
        if parts[2] not in WHY:
            raise ValueError(f"why it ended is one of {', '.join(sorted(WHY))}")
        ended = Ended(
            subject=_name(draft, parts[0]),
            objects=_several(parts[1]),
            why=parts[2],
            optional=line.startswith("-~"),
        )
        _last(draft, replace(draft.turns[-1], ends=(*draft.turns[-1].ends, ended)))
    elif line.startswith("? "):
        draft.questions.append(_asked(draft, line))
    elif draft.texts is not None and (place := _PLACE.fullmatch(line)):
        if place["id"] not in draft.texts:
            raise ValueError("no such turn in the data set")
        text, at = draft.texts[place["id"]]
        id = place["id"]
        session = id.rpartition(":")[0]
        said = AnnotatedTurn(id=id, speaker="user", text=text, at=at, session=session)
        _turn(draft, place["label"], said)
    elif turn := _TURN.fullmatch(line):
        if turn["speaker"] not in draft.people:
            raise ValueError(f"{turn['speaker']} is not among people:")
        if not draft.session:
            raise ValueError("a session begins with -- date")
        draft.at += timedelta(minutes=1)
        said = AnnotatedTurn(
            id=f"{draft.id}:{len(draft.turns) + 1}",
            speaker=turn["speaker"],
            text=turn["text"].replace("\\n", "\n"),
            at=draft.at,
            session=draft.session,
        )
        _turn(draft, turn["label"], said)
    else:
        raise ValueError("not understood")


def _turn(draft: _Draft, label: str | None, said: AnnotatedTurn) -> None:
    if label:
        draft.labels[label] = said.id
    draft.turns.append(said)


def annotated(key: str) -> bool:
    """Whether a session or persona of a public set may be annotated; the other half measures."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 2 == 0


@cached(8)
def _texts(place: str) -> Mapping[str, tuple[str, datetime]] | None:
    """What the user says in the annotated half of a data set, by session:index; None without it.

    `place`: file#question or file of LongMemEval, file#user (its first letters) of PersonaMem.
    """
    file, _, part = place.partition("#")
    path = Path(os.environ.get("MAGS_DATA", "../shared/data")) / file
    if not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8") as raw:
        data = json.load(raw)
    if isinstance(data, dict):
        sessions = _steps(data)
    else:
        sessions = _documents(data, part) if "user_id" in data[0] else _case(data, part)
    return {
        f"{key}:{index}": (text, begun + timedelta(minutes=index))
        for key, begun, said in sessions
        for index, (role, text) in enumerate(said)
        if role == "user"
    }


def _case(data: list[dict[str, Any]], question: str) -> Iterator[_Session]:
    """The sessions of a question of LongMemEval."""
    for case in data:
        if case["question_id"] != question:
            continue
        sessions = zip(
            case["haystack_session_ids"],
            case["haystack_dates"],
            case["haystack_sessions"],
            strict=True,
        )
        for key, day, said in sessions:
            if annotated(key):
                begun = datetime.strptime(re.sub(r" \(\w+\)", "", day) + "Z", "%Y/%m/%d %H:%M%z")
                yield key, begun, [(one["role"], one["content"]) for one in said]


def _steps(data: dict[str, Any]) -> Iterator[_Session]:
    """The sessions of a question of LongMemEval that is told as steps."""
    for step in data["steps"]:
        said = step.get("messages")
        if said and annotated(step["session_id"]):
            begun = datetime.fromisoformat(said[0]["created_at"]).replace(tzinfo=UTC)
            yield step["session_id"], begun, [(one["peer_id"], one["content"]) for one in said]


def _documents(data: list[dict[str, Any]], user: str) -> Iterator[_Session]:
    """The sessions of a user of PersonaMem, a month apart as they have no dates.

    Several users share a persona, so it is the described persona that is annotated or not.
    """
    found = [one for one in data if one["user_id"].startswith(user)]
    found.sort(key=lambda one: int(one["id"].rpartition("_")[2]))
    if not found or not annotated(found[0]["content"].partition("\n\n[USER]")[0]):
        return
    for number, one in enumerate(found):
        parts = _ROLE.split(one["content"])[1:]
        pairs = zip(parts[::2], parts[1::2], strict=True)
        said = [(role.lower(), text.strip()) for role, text in pairs]
        yield f"{user}_{number}", _FIRST + number * timedelta(days=30), said


def _told(draft: _Draft, line: str) -> AnnotatedFact:
    if not draft.turns:
        raise ValueError("a fact stands below a turn")
    kind, subject, relation, obj, *more = _parts(line[2:], 4, 13)
    if kind not in KINDS:
        raise ValueError(f"a kind is one of {' '.join(KINDS)}")
    extra: dict[str, str] = {}
    for one in more:
        key, colon, value = one.partition(":")
        if not colon or key not in FIELDS:
            raise ValueError(f"{key!r} is none of {', '.join(sorted(FIELDS))}")
        extra[key] = value.strip()
    for key, allowed in VALUES.items():
        if key in extra and extra[key] not in allowed:
            raise ValueError(f"{key} is one of {', '.join(sorted(allowed))}")
    if extra.get("when") and not _TIME.fullmatch(extra["when"]):
        raise ValueError("when is yyyy, yyyy-mm or yyyy-mm-dd")
    subjects = tuple(_name(draft, one) for one in _several(subject))
    speaker = draft.turns[-1].speaker
    own = subjects[0] == speaker or subjects[0].startswith(f"{speaker}'s ")
    return AnnotatedFact(
        must=line.startswith("+"),
        kind=KINDS[kind],
        subjects=subjects,
        relation=relation,
        objects=(obj, *_several(extra.get("alt", ""))),
        topic=extra.get("topic", ""),
        time=extra.get("time", ""),
        when=extra.get("when", ""),
        act=extra.get("act", "add"),
        polarity=extra.get("pol", "yes"),
        modality=extra.get("mod", "plan" if kind == "l" else "actual"),
        source=extra.get("src", "self" if own else "third"),
        needs=_several(extra.get("needs", "")),
    )


def _asked(draft: _Draft, line: str) -> AnnotatedQuestion:
    kind, who, text, answer, *more = _parts(line[2:], 4, 7)
    if kind not in ASKED:
        raise ValueError(f"a question is one of {', '.join(sorted(ASKED))}")
    extra = {}
    for one in more:
        key, colon, value = one.partition(":")
        if not colon or key not in ("also", "no", "ev"):
            raise ValueError("after the answer stand also:, no: or ev:")
        extra[key] = value.strip()
    labels = extra.get("ev", "").split()
    unknown = [one for one in labels if one not in draft.labels]
    if unknown:
        raise ValueError(f"no turn is labelled {', '.join(unknown)}")
    if (answer == "-") == bool(labels):
        raise ValueError("an answer needs ev: labels, an unanswerable question (-) has none")
    return AnnotatedQuestion(
        kind=kind,
        who=who,
        text=text,
        answers=() if answer == "-" else (answer, *_several(extra.get("also", ""))),
        wrong=_several(extra.get("no", "")),
        evidence=tuple(draft.labels[one] for one in labels),
    )


def _check_words(draft: _Draft, told: AnnotatedFact) -> None:
    """A wording of the object stands in the turn, or `=` says that it is resolved or worked out."""
    turn = draft.turns[-1].text.casefold().replace("\u2019", "'")
    if not any(one.startswith("=") or one.casefold() in turn for one in told.objects):
        raise ValueError("no wording of the object stands in the turn (alt:, or = before it)")
    plain = tuple(one.removeprefix("=") for one in told.objects)
    last = draft.turns[-1]
    _last(draft, replace(last, facts=(*last.facts[:-1], replace(told, objects=plain))))


def _add(draft: _Draft, told: AnnotatedFact) -> None:
    last = draft.turns[-1]
    _last(draft, replace(last, facts=(*last.facts, told)))


def _last(draft: _Draft, said: AnnotatedTurn) -> None:
    draft.turns[-1] = said


def _name(draft: _Draft, text: str) -> str:
    """`me` is the speaker, `my sister` the speaker's."""
    speaker = draft.turns[-1].speaker if draft.turns else ""
    if text == "me":
        return speaker
    return f"{speaker}'s {text[3:]}" if text.startswith("my ") else text


def _parts(text: str, least: int, most: int) -> list[str]:
    parts = [one.strip() for one in text.split("|")]
    if not least <= len(parts) <= most:
        raise ValueError(f"{least} to {most} parts between |, not {len(parts)}")
    return parts


def _several(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(" / ") if one.strip())
