"""Work in the order in which it came, as much at a time as there are cores.

More threads than cores finish nothing sooner: they take the interpreter from each other, and who
came first is not who is answered first.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mags.models.cores import cores

OVERTAKEN = 16
"""How many may overtake a thread that stepped aside."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A thread that waits for a slot. `overtaken`: how many went first since it stepped aside."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    overtaken: int = 0

    def __post_init__(self) -> None:
        self.turn.acquire()  # held until its turn comes


class ConcurrencyLimiter:
    """A number of slots; a thread that finds none waits, first come first served.

    A thread with a slot may `step_aside` for work that is cheaper in a batch: others go first,
    until none of them has anything else to do, or until `wake` says that its work is done.
    """

    def __init__(self, slots: int | None = None) -> None:
        """`slots`: as many as this process may use cores when None."""
        self._free = cores() if slots is None else slots
        self._lock = threading.Lock()
        self._queue: deque[Ticket] = deque()
        self._aside: deque[Ticket] = deque()
        self._mine = threading.local()

    @property
    def holds_slot(self) -> bool:
        """Whether this thread has a slot."""
        return bool(getattr(self._mine, "holds_slot", False))

    @property
    def waiting(self) -> int:
        """How many threads wait for a slot."""
        return len(self._queue) + len(self._aside)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """A slot for the length of the block."""
        with self._lock:
            ticket = None if self._free else Ticket()
            if ticket is None:
                self._free -= 1
            else:
                self._queue.append(ticket)
        if ticket is not None:
            ticket.turn.acquire()
        self._mine.holds_slot = True
        try:
            yield
        finally:
            self._mine.holds_slot = False
            with self._lock:
                self._next()

    def step_aside(self, ticket: Ticket) -> None:
        """Let others have this thread's slot first; returns with a slot."""
        with self._lock:
            self._aside.append(ticket)
            self._next()
        ticket.turn.acquire()

    def wake(self, tickets: Sequence[Ticket]) -> None:
        """Queue up those that stepped aside, in this order: what they waited for is done."""
        with self._lock:
            for ticket in tickets:
                if ticket in self._aside:
                    self._aside.remove(ticket)
                    self._queue.append(ticket)

    def _next(self) -> None:
        """Hand a slot on; under the lock."""
        # Newcomers go first, but not for ever: see `OVERTAKEN`.
        if self._aside and (not self._queue or self._aside[0].overtaken >= OVERTAKEN):
            self._aside.popleft().turn.release()
        elif self._queue:
            for ticket in self._aside:
                ticket.overtaken += 1
            self._queue.popleft().turn.release()
        else:
            self._free += 1
