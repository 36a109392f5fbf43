"""The three decisions of a memory by a trained model: a prompt of few tokens, the likeliest reply.

What it replies passes the grammar and the guardrails like any model's. Greedy replies do not change
when asked again, so one that is refused is not asked for once more: the caller falls back. A second
try that is held to the grammar, or drawn, was measured and mends hardly any (docs/log.md).

The model is shown a turn by `compact`, in training and in use::

    write
    now Friday 2024-05-10
    - Alice lives in Bergen.
    Bob: How was your week?
    > Alice: Busy! I moved to Oslo last week.

It says little of what it means, and `expand` puts it in full. Half of a plan follows from its first
hop, half of all facts are about who speaks, and the calendar is arithmetic, so it is taught to
leave out the first, to say "me", "my sister" and "you" for names, and "t1" for the first date that
the turn names::

    <recall>                        <recall>
    hop: me | sister                Alice's sister
    since: t1               is      entities: Alice
    kind: person                    hop: Alice | sister
    </recall>                       since: 2024-05
                                    kind: person
                                    </recall>

Both ways are functions of the turn and of who spoke; a reply in full is left as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from mags.errors import ModelReplyError
from mags.models.grammar import check_invented, check_language, read_engram, read_plan, read_route
from mags.models.policy.prompted import words_of
from mags.models.policy.rules.when import date_mentions, moment
from mags.models.rendering import DAYS, EPOCH, known, quote
from mags.ports.chat import ChatModel, Message
from mags.ports.policy import Operation, Plan, Recalled, Route, Turn, Writing, asks
from mags.ports.relations import backwards, stem

Read = TypeVar("Read")
CONFIDENCE = 0.7
MOST_RECALLED, MOST_RECENT, MOST_CHARACTERS = 4, 3, 160
"""What is shown: so many memories, turns said before, and characters of each."""


class RoleModel(Protocol):
    """A model that replies to a compact prompt."""

    def complete(self, prompt: str, role: str) -> str:
        """The reply of a role ("ask", "write", "router"); raises ModelReplyError."""


class CompactPolicy:
    """A `Policy` over models that read compact prompts, one for each role or one for several.

    `language`: the memory's, as an ISO 639-1 code. `failures` counts refused replies by role.
    Raises ModelReplyError where a reply is refused (`reply`: its text), or a role has no model.
    """

    def __init__(self, name: str, models: Mapping[str, RoleModel], *, language: str = "en") -> None:
        self._name = name
        self._models = models
        self._language = language
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What to show the user."""
        return self._name

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._decide("router", compact("router", turn, recent), read_route)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""

        def read(reply: str) -> Plan:
            return read_plan(expand(reply, question, recent), question.text)

        return self._decide("ask", compact("ask", question, recent), read)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn."""
        source = words_of([turn], recent, recalled)

        def read(reply: str) -> tuple[Operation, ...]:
            operations = read_engram(expand(reply, turn, recent)).operations
            check_language(operations, self._language, source)
            check_invented(operations, source, self._language)
            return operations

        operations = self._decide("write", compact("write", turn, recent, recalled), read)
        sure = tuple(replace(one, confidence=CONFIDENCE) for one in operations)
        names = [
            name
            for one in sure
            for name, named in (
                (one.subject, one.subject_is_name),
                (one.object, one.object_is_name),
            )
            if named
        ]
        return Writing(
            operations=sure,
            mentions=tuple(dict.fromkeys((*names, turn.speaker))),
            is_question=asks(turn.text),
        )

    def _decide(self, role: str, prompt: str, read: Callable[[str], Read]) -> Read:
        if role not in self._models:
            raise ModelReplyError(f"{self.name} has no model for {role}.", reason="no model")
        reply = ""
        try:
            reply = self._models[role].complete(prompt, role)
            return read(reply)
        except ModelReplyError as refused:
            self.failures[role] += 1
            refused.facts["reply"] = reply
            raise


class ChatRoleModel:
    """Replies to compact prompts by a chat model."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

    def complete(self, prompt: str, role: str) -> str:
        """The reply; the prompt names the role itself."""
        return self._chat.complete([Message(role="user", content=prompt)]).text


def served_policy(chat: ChatModel, *, language: str = "en") -> CompactPolicy:
    """The policy of one model that was taught all roles with the compact wording."""
    models = dict.fromkeys(("ask", "write", "router"), ChatRoleModel(chat))
    return CompactPolicy(f"trained ({chat.name})", models, language=language)


def compact(
    role: str, turn: Turn, recent: Sequence[Turn] = (), recalled: Sequence[Recalled] = ()
) -> str:
    """The prompt of a small model; it ends where the reply begins. `role`: ask, write, router."""
    day = EPOCH + timedelta(seconds=turn.at) if known(turn.at) else None
    lines = [
        role,
        f"now {f'{DAYS[day.weekday()]} {day.date().isoformat()}' if day else 'unknown'}",
        *(f"{'-' if m.current else 'x'} {_cut(m.text)}" for m in recalled[:MOST_RECALLED]),
        *(f"{one.speaker}: {_cut(one.text)}" for one in recent[-MOST_RECENT:]),
        f"> {turn.speaker}: {quote(turn.text)}",
    ]
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    return quote(text)[:MOST_CHARACTERS]


ME, MY, YOU = "me", "my ", "you"
HOP, ENTITIES = "hop: ", "entities: "
BAR = " | "
ENDS = ("since: ", "until: ")
# A date is the sixth field of an operation. Marks of dates have one digit, t1 to t9.
BARS, MOST = 5, 9
DATE = re.compile(r"^(?:since|until): \d|\| [12]\d{3}(?:-\d\d){0,2}$", re.MULTILINE)
MARKED = re.compile(r"^(?:since|until): t\d$|\| t\d$", re.MULTILINE)
CHANGES = frozenset({"ADD", "UPDATE", "RETRACT"})


Field = Callable[[str, bool], str]
"""Changes one field of a reply, and the owner of a thing as well where the second says so."""


def shorten(reply: str, turn: Turn, recent: Sequence[Turn] = ()) -> str:
    """The shortest reply that `expand` makes this one of."""
    speakers = _Speakers(me=turn.speaker, you=_other(turn, recent))
    lines = reply.split("\n")
    hops = [line for line in lines if line.startswith(HOP)]
    if hops and lines[1:3] == _follows(hops[0]):
        lines = [lines[0], *lines[3:]]
    short = "\n".join(_line(line, speakers.shorter(turn.text)) for line in lines)
    if DATE.search(short):
        spans = _spans(turn)
        short = _redated(short, lambda date, end: _mark(date, end, spans))
    return short if expand(short, turn, recent) == reply else reply


def expand(reply: str, turn: Turn, recent: Sequence[Turn] = ()) -> str:
    """A short reply in full: names for "me", "my ..." and "you", a query for a hop alone."""
    speakers = _Speakers(me=turn.speaker, you=_other(turn, recent))
    if MARKED.search(reply):
        spans = _spans(turn)
        reply = _redated(reply, lambda mark, end: _marked(mark, end, spans))
    lines = [_line(line, speakers.longer) for line in reply.split("\n")]
    if len(lines) > 1 and lines[1].startswith(HOP) and BAR in lines[1].removeprefix(HOP):
        lines[1:1] = _follows(lines[1])
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Speakers:
    """Who speaks, and whom they speak to ("" where nobody else spoke)."""

    me: str
    you: str

    def longer(self, field: str, owned: bool) -> str:
        """A field with its names."""
        if field == ME:
            return self.me
        if field == YOU:
            return self.you or field
        return _whose(self.me) + field.removeprefix(MY) if owned and field.startswith(MY) else field

    def shorter(self, said: str) -> Field:
        """Fields without names, but for those the turn itself spells."""

        def shorter(field: str, owned: bool) -> str:
            if field == self.me:
                return ME
            if owned and field.startswith(_whose(self.me)):
                return MY + field.removeprefix(_whose(self.me))
            return YOU if field == self.you and self.you not in said else field

        return shorter


def _line(line: str, change: Field) -> str:
    if line.startswith(HOP):
        subject, bar, rest = line.removeprefix(HOP).partition(BAR)
        return f"{HOP}{change(subject, True)}{bar}{rest}"
    if line.startswith(ENTITIES) and ";" not in line:
        return ENTITIES + change(line.removeprefix(ENTITIES), True)
    fields = line.split(BAR)
    if fields[0] in CHANGES and len(fields) > 2:
        fields[1] = change(fields[1], True)
        if len(fields) > 3:
            fields[3] = change(fields[3], False)
        return BAR.join(fields)
    return line


def _redated(reply: str, change: Callable[[str, int], str]) -> str:
    """The reply with its dates changed; `change` gets a date and whether it ends a span (1)."""
    return "\n".join(_redated_line(line, change) for line in reply.split("\n"))


def _redated_line(line: str, change: Callable[[str, int], str]) -> str:
    for end, name in enumerate(ENDS):
        if line.startswith(name):
            return name + change(line.removeprefix(name), end)
    if line.partition(BAR)[0] in CHANGES and line.count("|") >= BARS:
        before, bar, date = line.rpartition("| ")
        return before + bar + change(date, 0)
    return line


def _mark(date: str, end: int, spans: Sequence[tuple[str, str]]) -> str:
    found = (f"t{place}" for place, span in enumerate(spans, start=1) if span[end] == date)
    return next(found, date)


def _marked(mark: str, end: int, spans: Sequence[tuple[str, str]]) -> str:
    known = {f"t{place}": span[end] for place, span in enumerate(spans, start=1)}
    return known.get(mark) or mark


def _spans(turn: Turn) -> list[tuple[str, str]]:
    """First and last day, month or year of each date the turn names, as ISO; "" where open."""
    return [_iso(one.since, one.until) for one in date_mentions(turn.text, turn.at)[:MOST]]


def _iso(since: float | None, until: float | None) -> tuple[str, str]:
    first = None if since is None else moment(since)
    last = None if until is None else moment(until) - timedelta(days=1)
    if all(one is None or one.day == 1 for one in (first, last and last + timedelta(days=1))):
        years = (one and one.month == month for one, month in ((first, 1), (last, 12)))
        form = "%Y" if all(one is not False for one in years) else "%Y-%m"
        return _as(first, form), _as(last, form)
    return _as(first, "%Y-%m-%d"), _as(last, "%Y-%m-%d")


def _as(day: datetime | None, form: str) -> str:
    return "" if day is None else day.strftime(form)


def _follows(hop: str) -> list[str]:
    """The query and the entity that a plan of facts begins with."""
    subject, relation, *inverse = hop.removeprefix(HOP).split(BAR)
    query = backwards(relation, subject) if inverse else stem(subject, relation)
    return [query, ENTITIES + subject]


def _whose(name: str) -> str:
    return f"{name}'{'' if name.endswith('s') else 's'} "


def _other(turn: Turn, recent: Sequence[Turn]) -> str:
    """Whoever spoke last before, other than who speaks."""
    return next((one.speaker for one in reversed(recent) if one.speaker != turn.speaker), "")
