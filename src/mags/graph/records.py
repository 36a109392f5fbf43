"""What nodes and arcs are: numbers in the graph; words are in the content of a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

NEVER = float("inf")
"""`valid_to` of what is still true, `valid_from` of what has no known start is -inf."""

NOBODY = 0
"""The id of no node: ids begin at 1."""


class NodeKind(IntEnum):
    """The five kinds: one in the episodic block, four in the semantic."""

    EPISODE = 1
    ENTITY = 2
    FACT = 3
    NOTE = 4
    THEME = 5


class Grade(IntEnum):
    """How near a statement is to what it tells of; of two, the higher is believed."""

    UNKNOWN = 0
    """As facts of older files have it: read from their sources when it is asked for."""
    TOOL = 1
    """A tool or an assistant says so, or it was made from memory."""
    REPORTED = 2
    """Somebody says that somebody said so."""
    THIRD = 3
    """Somebody says so of another, or nobody is named who does."""
    OWNER = 4
    """Whose memory it is asserted it by hand."""
    SELF = 5
    """A person says so of themself, or two who are independent say so of another."""


class NodeFlag(IntFlag):
    """Marks on a node. Three bits from `GRADE_AT` on hold the grade of a fact."""

    PINNED = 1
    """The user marked it: never cold, importance 1."""
    COLD = 2
    """Left out of spread and sleep, still in both indexes."""
    STATED = 4
    """`valid_from` was stated ("in January"), not only observed."""
    QUESTION = 8
    """An episode that asks rather than tells."""
    RECALLED = 16
    """An episode whose text was produced from memory (an answer)."""
    ONE = 32
    """A fact in a slot that holds one open fact at a time."""
    RETRACTED = 64
    """Denied: someone said that it never was so, not that it ended or was replaced."""
    GIVEN = 128
    """Asserted by hand: it needs no turn to rest on, whichever tells it too."""
    GUESS = 256
    """A fact that was not surely read: it closes nothing and stands in the way of nothing."""
    DISPUTED = 512
    """A fact or episode that says otherwise than a fact of a higher grade: see `ArcKind.DISPUTES`.
    It is disputed for as long as one of those is open."""
    WAITING = 8192
    """An episode that is kept and not read yet: what it tells is to become facts later."""


GRADE_AT = 10  # above the first ten flags
GRADES = 0b111 << GRADE_AT


def graded(flags: int, grade: Grade) -> int:
    """Flags with another grade."""
    return (flags & ~GRADES & 0xFFFF) | (int(grade) << GRADE_AT)


def grade_in(flags: int) -> Grade:
    """The grade that flags hold."""
    return Grade((flags & GRADES) >> GRADE_AT)


NODE = np.dtype(
    [
        ("id", "i8"),
        ("kind", "u1"),
        ("flags", "u2"),
        ("content", "i8"),  # id of its Content; a new text is a new content
        ("subject", "i8"),  # fact: subject entity; episode: speaker entity
        ("object", "i8"),  # fact: object entity
        ("slot", "u8"),  # fact: keyed hash of (relation, kind-naming qualifiers)
        ("session", "u8"),  # episode: keyed hash of the session's name
        ("strength", "f4"),  # charge in [0, 1] at strength_tick
        ("strength_tick", "i8"),
        ("importance", "f4"),  # salience in [0, 1]
        ("confidence", "f4"),  # in [0, 1]
        ("valid_from", "f8"),  # event time, seconds since the epoch; episode: when it was said
        ("valid_to", "f8"),  # event time, NEVER while open
        ("recorded_at", "f8"),  # record time, seconds since the epoch
        ("closed_at", "f8"),  # record time at which valid_to was set, NEVER while open
        ("last_used_tick", "i8"),
        ("uses", "i4"),
        ("low_degree_since_tick", "i8"),  # -1 while it has two live arcs or more
    ]
)
"""One node's numbers. The journal, snapshots and checkpoints hold nothing else of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A node's words: immutable, erased by `forget`, never in the journal.

    `vector` is the text's embedding, shape (dimension,), float16, unit length; `tokens` of a turn
    what its words are to the second look, int8 (t, width) laid flat (see `ports.embedder.Tokens`).
    `meta` holds what the kind needs, JSON types only:
    EPISODE speaker, session, key?, attrs?; ENTITY name (= text), aliases [str];
    FACT subject, relation, object, qualifiers {str: str}; THEME members [int].
    """

    id: int
    node: int
    text: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    vector: NDArray[np.float16] | None = field(default=None, repr=False)
    tokens: bytes = field(default=b"", repr=False)


def blank_node(**values: Any) -> NDArray[np.void]:
    """A NODE record of shape (1,) with the defaults of a fresh node."""
    row = np.zeros(1, NODE)
    row["strength"] = 1.0
    row["confidence"] = 1.0
    row["valid_from"] = -NEVER
    row["valid_to"] = NEVER
    row["closed_at"] = NEVER
    row["low_degree_since_tick"] = -1
    for name, value in values.items():
        row[name] = value
    return row


class ArcKind(IntEnum):
    """Structure (1-7, 9) never decays; association (8) is the liquid part."""

    NEXT = 1
    """episode -> the episode after it in the same session"""
    MENTIONS = 2
    """episode or note -> entity"""
    SUBJECT = 3
    """fact -> its subject entity"""
    OBJECT = 4
    """fact -> its object entity"""
    SOURCE = 5
    """fact, note -> the episode it came from"""
    SUPERSEDES = 6
    """new fact -> the fact it closed"""
    MEMBER = 7
    """theme -> member"""
    ASSOCIATION = 8
    """any -> any, a weight of its own in each direction"""
    DISPUTES = 9
    """fact or episode -> the fact of a higher grade that it does not agree with"""


class ArcFlag(IntFlag):
    """Marks on an arc."""

    SOLID = 1
    """An association that has stopped decaying."""


ARC = np.dtype(
    [
        ("src", "i8"),
        ("dst", "i8"),
        ("kind", "u1"),
        ("flags", "u1"),
        ("support", "u2"),  # live triangles closed at the last sleep
        ("w", "f4"),  # in [0, 1] at tick t0; structure: 1
        ("t0", "i8"),  # tick at which w was true
        ("uses", "i4"),
        ("days", "u2"),  # different days or sessions of use
        ("last_day", "i8"),  # the day or session of the last use, hashed
    ]
)
"""One arc's numbers; identity is (src, dst, kind)."""


def blank_arc(src: int, dst: int, kind: ArcKind, **values: Any) -> NDArray[np.void]:
    """An ARC record of shape (1,), weight 1 unless told."""
    row = np.zeros(1, ARC)
    row["src"], row["dst"], row["kind"], row["w"] = src, dst, kind, 1.0
    for name, value in values.items():
        row[name] = value
    return row
