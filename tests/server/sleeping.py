"""Sleeps that are held, or fail: of every memory of this process, for the length of a test."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from mags.memory.memory import Memory
from mags.plasticity.cycle import OnRule, SleepReport

RULES = ["solidify", "decay", "prune", "low_degree", "capacity", "regions", "consolidate"]
"""Those that are on by themselves, in their order."""
WAIT_S = 30.0


class Held:
    """Sleeps that wait after each rule until they are let go; `ended`: how many have ended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hold every sleep of this process."""
        self.rules, self.ended = threading.Semaphore(0), 0
        self._sleep = Memory.sleep
        monkeypatch.setattr(Memory, "sleep", lambda memory, on_rule: self.sleep(memory, on_rule))

    def sleep(self, memory: Memory, on_rule: OnRule) -> SleepReport:
        """Sleep a rule for each that is let go."""

        def hear(rule: str, did: Mapping[str, int]) -> None:
            on_rule(rule, did)
            assert self.rules.acquire(timeout=WAIT_S)

        report = self._sleep(memory, hear)
        self.ended += 1
        return report

    def let_go(self) -> None:
        """Let the sleep end."""
        self.rules.release(len(RULES))


def failing(monkeypatch: pytest.MonkeyPatch, failure: Exception, *, after: int) -> None:
    """Sleeps fail after so many rules."""

    def sleep(_memory: Memory, on_rule: OnRule) -> SleepReport:
        for rule in RULES[:after]:
            on_rule(rule, {})
        raise failure

    monkeypatch.setattr(Memory, "sleep", sleep)


def begins_again(monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Sleeps begin again after so many rules, as where others slept meanwhile."""
    real = Memory.sleep

    def sleep(memory: Memory, on_rule: OnRule) -> SleepReport:
        for rule in RULES[:after]:
            on_rule(rule, {})
        return real(memory, on_rule)

    monkeypatch.setattr(Memory, "sleep", sleep)
