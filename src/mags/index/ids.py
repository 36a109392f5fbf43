"""Ids: unique for ever, reserved from the store in blocks."""

from __future__ import annotations

from collections.abc import Callable


class Ids:
    """Hands out ids; what is left of a block when the memory closes is never used."""

    def __init__(self, reserve: Callable[[int], int], block: int = 256) -> None:
        """`reserve(n)` returns the first of n ids that nobody else will get."""
        self._reserve = reserve
        self._block = block
        self._next = 0
        self._end = 0

    def take(self, n: int = 1) -> int:
        """The first of `n` consecutive ids."""
        if self._next + n > self._end:
            size = max(self._block, n)
            self._next = self._reserve(size)
            self._end = self._next + size
        first = self._next
        self._next += n
        return first
