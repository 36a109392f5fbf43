"""What nano says in few tokens, and what it stands for.

Half of a plan follows from its first hop, and half of all facts are about who speaks, so nano is
taught to leave out the one and to say "me", "my sister" and "you" for the other::

    <recall>                        <recall>
    hop: me | sister                Alice's sister
    kind: person            is      entities: Alice
    </recall>                       hop: Alice | sister
                                    kind: person
                                    </recall>

Both ways are functions of the text and of who spoke; a reply in full is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mags.models.policy.heads.wording import backwards, stem
from mags.ports.policy import Turn

ME, MY, YOU = "me", "my ", "you"
HOP, ENTITIES = "hop: ", "entities: "
BAR = " | "
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
    return short if expand(short, turn, recent) == reply else reply


def expand(reply: str, turn: Turn, recent: Sequence[Turn] = ()) -> str:
    """A short reply in full: names for "me", "my ..." and "you", a query for a hop alone."""
    company = _Company(me=turn.speaker, you=_other(turn, recent))
    lines = [_line(line, company.longer) for line in reply.split("\n")]
    if len(lines) > 1 and lines[1].startswith(HOP) and BAR in lines[1]:
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
