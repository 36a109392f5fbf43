"""Ids: unique for ever, reserved from the store in blocks."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Ids:
    """Hands out ids to any thread; what is left of a block at the end is never used."""

    def __init__(self, reserve: Callable[[int], int], block: int = 256) -> None:
        """`reserve(n)` returns the first of n ids that nobody else will get."""
        self._reserve = reserve
        self._block = block
        self._lock = threading.Lock()
        self._next = 0
        self._end = 0

    def take(self, n: int = 1) -> int:
        """The first of `n` consecutive ids."""
        while True:
            with self._lock:
                if self._next + n <= self._end:
                    first = self._next
                    self._next += n
                    return first
            # Not under the lock: the store may be held by a thread that waits for an id.
            size = max(self._block, n)
            start = self._reserve(size)
            with self._lock:
                if self._end - self._next < size:
                    self._next, self._end = start, start + size
