"""What nodes and arcs are: numbers in the graph; words are in the content of a node.

The decay law: weights are not rewritten as time goes by. A weight is stored with the tick `t0` at
which it was true and read as ``w * 2 ** (-(tick - t0) / h)`` with the half-life
``h = 1,000 ticks * (1 + log2(1 + uses)) * (1 + min(support, 4))``: use and being part of triangles
make it last longer. Solid arcs, structure and pinned nodes do not decay.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mags.compiling import kernel

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


_FRESH_NODE = dict.fromkeys(NODE.names or (), 0.0) | {
    **dict.fromkeys(("strength", "confidence"), 1.0),
    **dict.fromkeys(("valid_to", "closed_at"), NEVER),
    "valid_from": -NEVER,
    "low_degree_since_tick": -1,
}


def blank_node(**values: Any) -> NDArray[np.void]:
    """A NODE record of shape (1,) with the defaults of a fresh node."""
    # All fields in order: one call, not one a field.
    return np.array([tuple({**_FRESH_NODE, **values}.values())], NODE)


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


_FRESH_ARC = dict.fromkeys(ARC.names or (), 0) | {"w": 1}


def blank_arc(src: int, dst: int, kind: ArcKind, **values: Any) -> NDArray[np.void]:
    """An ARC record of shape (1,), weight 1 unless told."""
    fresh = {**_FRESH_ARC, "src": src, "dst": dst, "kind": kind, **values}
    return np.array([tuple(fresh.values())], ARC)


# -- the decay law -------------------------------------------------------------

HALF_LIFE_TICKS = 1000.0
"""Half-life of a weight that was never used and is part of no triangle."""

SUPPORT_COUNTED = 4
"""More triangles than this do not lengthen the half-life further."""

STEADY = 1
"""The bit that stops decay: `ArcFlag.SOLID` of an arc, `NodeFlag.PINNED` of a node."""


# The law stands here twice: kernels that walk the graph need one weight at a time, the rules of
# sleep whole arrays. A change of one is a change of both.


@kernel
def half_life_of(uses: float, support: float) -> float:
    """Half-life in ticks of one weight; for use in other kernels."""
    lasting = 1.0 + math.log2(1.0 + uses)
    return HALF_LIFE_TICKS * lasting * (1.0 + min(support, SUPPORT_COUNTED))


@kernel
def charge_of(w: float, t0: int, uses: float, support: float, flags: int, tick: int) -> float:
    """The charge of one weight at `tick`; for use in other kernels.

    `flags`: the arc's or node's flags. This function does not know kinds, so structure has to be
    passed with the bit `STEADY` set, or not at all. A tick before `t0` counts as `t0`.
    """
    if flags & STEADY or tick <= t0:
        return w
    return w * math.pow(2.0, -(tick - t0) / half_life_of(uses, support))


def half_life(uses: ArrayLike, support: ArrayLike) -> NDArray[np.float64]:
    """Half-lives in ticks, shape of the (broadcast) arguments."""
    lasting = 1.0 + np.log2(1.0 + np.asarray(uses, np.float64))
    return HALF_LIFE_TICKS * lasting * (1.0 + np.minimum(support, SUPPORT_COUNTED))


def charge(
    w: ArrayLike,
    t0: ArrayLike,
    uses: ArrayLike,
    support: ArrayLike,
    flags: ArrayLike,
    tick: int,
) -> NDArray[np.float64]:
    """The charges of weights at `tick`, in [0, 1], shape of the (broadcast) arguments.

    `flags`: flags of arcs or of nodes, or booleans that are true where nothing decays. A tick
    before `t0` counts as `t0`.
    """
    # STEADY is 1, so a True counts as that bit.
    age = np.maximum(tick - np.asarray(t0, np.int64), 0)
    age = np.where(np.asarray(flags).astype(np.int64) & STEADY, 0, age)
    return np.asarray(w, np.float64) * np.exp2(-age / half_life(uses, support))


def arc_charge(arcs: NDArray[Any], tick: int) -> NDArray[np.float64]:
    """Charges of ARC records, shape (n,); structure keeps its weight at any tick."""
    steady = (arcs["flags"] & STEADY) | (arcs["kind"] != ArcKind.ASSOCIATION)
    return charge(arcs["w"], arcs["t0"], arcs["uses"], arcs["support"], steady, tick)


def node_charge(nodes: NDArray[Any], tick: int) -> NDArray[np.float64]:
    """Strengths of NODE records, shape (n,): the same law by uses, without support."""
    return charge(nodes["strength"], nodes["strength_tick"], nodes["uses"], 0, nodes["flags"], tick)


def stored(charges: ArrayLike) -> NDArray[np.float32]:
    """Charges as they are stored: rounded down, so that storing never adds anything."""
    exact = np.asarray(charges, np.float64)
    # Rounding to nearest could raise a charge; repeated sleeps would then add it up.
    near = exact.astype(np.float32)
    return np.where(near > exact, np.nextafter(near, np.float32(0)), near)
