"""What an arc is: a kind and numbers, never text."""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ArcKind(IntEnum):
    """Structure (1-7) never decays; association (8) is the liquid part."""

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
