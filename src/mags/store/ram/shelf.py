"""Shelf: what all branches of a RamStore share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.errors import StoreClosed
from mags.graph.delta import Delta
from mags.graph.node import Content
from mags.ports.store import Checkpoint, Mark
from mags.store.lineage import Segment, lineage

Undo = Callable[[], None]
K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class Shelf:
    """What all branches of a RamStore share. `undo` is a list while a block of `writing` runs.

    `lock` is the writer's, held for the length of a block; `guard` keeps the tables whole and
    is held for a step only, so that readers never wait for a block to end.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    guard: threading.RLock = field(default_factory=threading.RLock)
    undo: list[Undo] | None = None
    last_seq: int = 0
    next_id: int = 1
    entries: dict[str, dict[int, Delta]] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[int, Delta]] = field(default_factory=dict)
    forks: dict[str, Mark] = field(default_factory=dict)
    marks: dict[tuple[str, str], Mark] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    contents: dict[int, Content] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)
    facts: dict[str, str] = field(default_factory=dict)

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Set one entry of a table, undone if the block fails."""
        with self.guard:
            if self.undo is not None:
                if key in table:
                    old = table[key]
                    self.undo.append(lambda: table.__setitem__(key, old))
                else:
                    self.undo.append(lambda: table.__delitem__(key))
            table[key] = value

    def drop(self, table: dict[K, V], key: K) -> None:
        """Remove one entry of a table, undone if the block fails."""
        with self.guard:
            old = table.pop(key)
            if self.undo is not None:
                self.undo.append(lambda: table.__setitem__(key, old))

    def take_seq(self) -> int:
        """The next sequence, given back if the block fails."""
        before = self.last_seq
        if self.undo is not None:
            self.undo.append(lambda: setattr(self, "last_seq", before))
        self.last_seq = before + 1
        return self.last_seq

    def gone(self) -> NDArray[np.int64]:
        """Ids of erased nodes, ascending."""
        with self.guard:
            return np.array(sorted(self.forgotten), np.int64)


class Room:
    """The shelf as one branch sees it."""

    def __init__(self, shelf: Shelf, branch: str) -> None:
        """Of that branch."""
        self._shelf = shelf
        self.branch = branch
        self.closed = False

    @contextmanager
    def writer(self) -> Iterator[Shelf]:
        """The shelf, locked; each level undoes its own writes where it fails."""
        shelf = self.shelf()
        with shelf.lock:
            outer, shelf.undo = shelf.undo, []
            done = False
            try:
                yield shelf
                done = True
            finally:
                steps = shelf.undo
                shelf.undo = None
                if not done:
                    with shelf.guard:
                        for step in reversed(steps):
                            step()
                shelf.undo = outer
                if done and outer is not None:
                    outer.extend(steps)

    def shelf(self) -> Shelf:
        """What all branches share; raises StoreClosed."""
        if self.closed:
            raise StoreClosed("this memory was closed: open it again")
        return self._shelf

    def segments(self) -> tuple[Segment, ...]:
        """What this branch sees."""
        return lineage(self.shelf().forks, self.branch)
