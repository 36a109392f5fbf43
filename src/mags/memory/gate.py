"""A gate many readers pass at once and one writer alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Readers share it; a writer waits for them and keeps new ones out for a moment."""

    def __init__(self) -> None:
        """Open to everybody."""
        self._condition = threading.Condition()
        self._readers = 0
        self._writer: int | None = None
        self._waiting = 0
        self._depth = threading.local()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Pass as a reader; re-entrant, also inside `changing`."""
        held = getattr(self._depth, "n", 0)
        with self._condition:
            mine = self._writer == threading.get_ident()
            if not held and not mine:
                self._condition.wait_for(lambda: self._writer is None and not self._waiting)
            self._readers += 1
        self._depth.n = held + 1
        try:
            yield
        finally:
            self._depth.n -= 1
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Pass alone; a thread must not hold it as a reader."""
        me = threading.get_ident()
        with self._condition:
            if self._writer == me:
                nested = True
            else:
                nested = False
                self._waiting += 1
                self._condition.wait_for(lambda: self._writer is None and self._readers == 0)
                self._waiting -= 1
                self._writer = me
        try:
            yield
        finally:
            if not nested:
                with self._condition:
                    self._writer = None
                    self._condition.notify_all()
