"""Memory tokens written canonically: the same decision is always the same string.

What a model is scored against by exact match has one spelling: operations in the order in which
they were said, fields of a plan in the order of the grammar, nothing that can be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mags.ports.policy import Act
from mags.ports.relations import kind_of, normalise

NOTHING = "<engram>\nnone\n</engram>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
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
class Look:
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


def engram(lines: Sequence[Line]) -> str:
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
