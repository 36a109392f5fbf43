"""A gate many readers pass at once and one changer alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_AGAIN_S = 0.5
"""Whoever waits looks again after so long: an interrupted neighbour may not have called."""


class Gate:
    """Readers share it; a changer waits for them and keeps new ones out for a moment.

    Both sides are re-entrant in a thread, and a changer may read. An interrupt while waiting
    or inside leaves the gate as it was before.
    """

    def __init__(self) -> None:
        """Open to everybody."""
        self._mutex = threading.Lock()
        self._condition = threading.Condition(self._mutex)
        self._readers = 0
        self._changer: int | None = None
        self._waiting = 0
        self._mine = threading.local()

    @property
    def inside(self) -> bool:
        """Whether this thread is inside, as a reader or as the changer."""
        return bool(getattr(self._mine, "reads", False)) or self._changer == threading.get_ident()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Pass as a reader."""
        if self.inside:
            yield
            return
        entered = False
        try:
            with self._mutex:
                self._await(lambda: self._changer is None and not self._waiting)
                self._readers += 1
                self._mine.reads = entered = True
            yield
        finally:
            if entered:
                with self._mutex:
                    self._readers -= 1
                    self._mine.reads = False
                    self._condition.notify_all()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Pass alone; RuntimeError where this thread is inside as a reader."""
        me = threading.get_ident()
        if self._changer == me:
            yield
            return
        if self.inside:
            raise RuntimeError("a thread cannot change what it is reading: let go of it first")
        entered = False
        try:
            with self._mutex:
                self._waiting += 1
                try:
                    self._await(lambda: self._changer is None and not self._readers)
                finally:
                    self._waiting -= 1
                    self._condition.notify_all()
                self._changer = me
                entered = True
            yield
        finally:
            if entered:
                with self._mutex:
                    self._changer = None
                    self._condition.notify_all()

    def _await(self, free: Callable[[], bool]) -> None:
        while not free():
            self._condition.wait(LOOK_AGAIN_S)
