"""The configured policy where its model answers, else the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from mags.errors import ModelError
from mags.ports.policy import Plan, Policy, Recalled, Route, Turn, Writing

T = TypeVar("T")


class FallbackPolicy:
    """Asks `first`; where its model fails, `second` decides and the failure is counted.

    `failures`: how often each role fell back; `last`: why it last did.
    """

    def __init__(self, first: Policy, second: Policy) -> None:
        self._first = first
        self._second = second
        self.failures: Counter[str] = Counter()
        self.last = ""

    @property
    def name(self) -> str:
        """Both names, in the order in which they are asked."""
        return f"{self._first.name}, else {self._second.name}"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._try(
            "route",
            lambda: self._first.route(turn, recent),
            lambda: self._second.route(turn, recent),
        )

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return self._try(
            "ask",
            lambda: self._first.ask(question, recent),
            lambda: self._second.ask(question, recent),
        )

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations; `why` says so where the rules had to."""
        before = self.failures["write"]
        writing = self._try(
            "write",
            lambda: self._first.write(turn, recent, recalled),
            lambda: self._second.write(turn, recent, recalled),
        )
        if self.failures["write"] == before:
            return writing
        why = f"{writing.why} " if writing.why else ""
        return replace(writing, why=f"{why}Read by {self._second.name}: {self.last}")

    def _try(self, role: str, first: Callable[[], T], second: Callable[[], T]) -> T:
        try:
            return first()
        except ModelError as failure:
            self.failures[role] += 1
            self.last = str(failure)
            return second()
