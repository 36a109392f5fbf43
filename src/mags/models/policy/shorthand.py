"""What a small trained model says in few tokens, and what it stands for.

Half of a plan follows from its first hop, half of all facts are about who speaks, and the calendar
is arithmetic, so it is taught to leave out the first, to say "me", "my sister" and "you" for
names, and "t1" for the first date that the turn names::

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from mags.models.policy.heads.moments import moments
from mags.models.policy.heads.wording import backwards, stem
from mags.models.policy.rules.when import moment
from mags.ports.policy import Turn

ME, MY, YOU = "me", "my ", "you"
HOP, ENTITIES = "hop: ", "entities: "
BAR = " | "
ENDS = ("since: ", "until: ")
BARS, MOST = 5, 9
DATE = re.compile(r"^(?:since|until): \d|\| [12]\d{3}(?:-\d\d){0,2}$", re.MULTILINE)
MARKED = re.compile(r"^(?:since|until): t\d$|\| t\d$", re.MULTILINE)
CHANGES = frozenset({"ADD", "UPDATE", "RETRACT"})


class Field(Protocol):
    """Changes one field of a reply; `owned`: also where it is of something somebody has."""

    def __call__(self, field: str, *, owned: bool = True) -> str:
        """The field as it is to be."""
        ...


def shorten(reply: str, turn: Turn, recent: Sequence[Turn] = ()) -> str:
    """The shortest reply that `expand` makes this one of."""
    company = _Company(me=turn.speaker, you=_other(turn, recent))
    lines = reply.split("\n")
    hops = [line for line in lines if line.startswith(HOP)]
    if hops and lines[1:3] == _follows(hops[0]):
        lines = [lines[0], *lines[3:]]
    short = "\n".join(_line(line, company.shorter(turn.text)) for line in lines)
    if DATE.search(short):
        spans = _spans(turn)
        short = _redated(short, lambda date, end: _mark(date, end, spans))
    return short if expand(short, turn, recent) == reply else reply


def expand(reply: str, turn: Turn, recent: Sequence[Turn] = ()) -> str:
    """A short reply in full: names for "me", "my ..." and "you", a query for a hop alone."""
    company = _Company(me=turn.speaker, you=_other(turn, recent))
    if MARKED.search(reply):
        spans = _spans(turn)
        reply = _redated(reply, lambda mark, end: _marked(mark, end, spans))
    lines = [_line(line, company.longer) for line in reply.split("\n")]
    if len(lines) > 1 and lines[1].startswith(HOP) and BAR in lines[1].removeprefix(HOP):
        lines[1:1] = _follows(lines[1])
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Company:
    """Who speaks, and whom they speak to ("" where nobody else spoke)."""

    me: str
    you: str

    def longer(self, field: str, *, owned: bool = True) -> str:
        """A field with its names."""
        if field == ME:
            return self.me
        if field == YOU:
            return self.you or field
        return _whose(self.me) + field.removeprefix(MY) if owned and field.startswith(MY) else field

    def shorter(self, said: str) -> Field:
        """Fields without names, but for those the turn itself spells."""

        def shorter(field: str, *, owned: bool = True) -> str:
            if field == self.me:
                return ME
            if owned and field.startswith(_whose(self.me)):
                return MY + field.removeprefix(_whose(self.me))
            return YOU if field == self.you and self.you not in said else field

        return shorter


def _line(line: str, change: Field) -> str:
    if line.startswith(HOP):
        subject, bar, rest = line.removeprefix(HOP).partition(BAR)
        return f"{HOP}{change(subject)}{bar}{rest}"
    if line.startswith(ENTITIES) and ";" not in line:
        return ENTITIES + change(line.removeprefix(ENTITIES))
    fields = line.split(BAR)
    if fields[0] in CHANGES and len(fields) > 2:
        fields[1] = change(fields[1])
        if len(fields) > 3:
            fields[3] = change(fields[3], owned=False)
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
    return [_iso(one.since, one.until) for one in moments(turn.text, turn.at)[:MOST]]


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
