"""What one tenant may ask for: text, processor time, memories, and room for each.

A tenant is a key; where no keys are asked for, a memory.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from mags.errors import MagsError
from mags.server.auth import EVERYTHING, Grant
from mags.server.concurrency import RateLimiter

LONG_CHARACTERS = 2_000
"""Text of a request that is long work: see `Work.long`."""


class TooMuch(MagsError):
    """A request is over a quota: smaller, or after something was deleted, it may be sent again."""


class TooMuchWork(MagsError):
    """A tenant has used its processor time; `wait_s`: until it has some again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLimits:
    """How much a tenant may ask for.

    `turn_chars`: characters of a turn, a query or a question; `turns`: of one request; `cpu_s`:
    processor time a minute, paid when it was used (inf: no limit); `memory_bytes`: on disk, of one
    memory; `memories`: that a key sees.
    """

    turn_chars: int = 100_000
    turns: int = 10_000
    cpu_s: float = math.inf
    memory_bytes: float = math.inf
    memories: float = math.inf


def tenant_of(grant: Grant, namespace: str) -> str:
    """Whose work it is: the key's (or OIDC subject's) by its name, without keys the memory's."""
    nobody = not grant.digest and grant.name == EVERYTHING.name
    return namespace if nobody else grant.name


class Quotas:
    """The limits, and what each tenant has used. Safe in threads."""

    def __init__(self, limits: WorkLimits) -> None:
        self.limits = limits
        self._seconds = RateLimiter(limits.cpu_s / 60.0, limits.cpu_s)

    def check_text(self, said: Sequence[str]) -> None:
        """Raise TooMuch for more or longer texts than a request may have."""
        if len(said) > self.limits.turns:
            raise TooMuch(
                f"a request may have {self.limits.turns:,} turns here, not {len(said):,}: send "
                "them in several",
                turns=self.limits.turns,
            )
        longest = max(map(len, said), default=0)
        if longest > self.limits.turn_chars:
            raise TooMuch(
                f"a text may have {self.limits.turn_chars:,} characters here, not {longest:,}: "
                "split it, at paragraphs for example, and send each piece as a turn",
                characters=self.limits.turn_chars,
            )

    def check_work(self, tenant: str) -> None:
        """Raise TooMuchWork for who has used more processor time than there was."""
        wait_s = math.ceil(self._seconds.wait(tenant, time.monotonic()))
        if wait_s:
            raise TooMuchWork(
                f"this key or memory has used its {self.limits.cpu_s:g} s of processor time a "
                f"minute: ask again in {wait_s} s; less text or fewer requests use less",
                retry_after=wait_s,
            )

    def pay(self, tenant: str, seconds: float) -> None:
        """Count processor time that was used."""
        self._seconds.pay(tenant, seconds, time.monotonic())

    def check_bytes(self, used: int) -> None:
        """Raise TooMuch where a memory that is to be written to is full."""
        if used > self.limits.memory_bytes:
            raise TooMuch(
                f"this memory has {used:,} bytes of {self.limits.memory_bytes:,.0f}: forget what "
                "is not needed, or begin another memory",
                bytes=used,
            )

    def check_memories(self, there: int) -> None:
        """Raise TooMuch where a key may make no further memory."""
        if there >= self.limits.memories:
            raise TooMuch(
                f"there are {there:,} memories, as many as this key may have: delete one, or "
                "use one that is there",
                memories=there,
            )
