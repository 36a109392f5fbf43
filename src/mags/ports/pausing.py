"""What a server sees and does of work while it runs: parts that it times, places where it pauses.

Long work lets others go first where a server that shares its cores says so; who works is told of
the thread that runs. The parts that it watches it may export as spans. Without a server nothing
does, and a part costs one look at a variable. What is told of a part are numbers and words of this
code, never what was said and never a name.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

Facts = dict[str, int | str]
"""What is told of a part when it ends: `texts` (how many), `status` (of HTTP, 0: none came)."""
Watch = Callable[[str], AbstractContextManager[Facts]]
"""From the name of a part to what is open while it runs."""

_WATCH: ContextVar[Watch | None] = ContextVar("_WATCH", default=None)


def span(part: str) -> AbstractContextManager[Facts]:
    """Open while a part runs; takes its facts."""
    watch = _WATCH.get()
    return nullcontext({}) if watch is None else watch(part)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Have `watch` watch the parts of what runs in the block, in its threads and tasks too."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


class Lock(Protocol):
    """A lock of `threading`, or one like it."""

    def acquire(self, blocking: bool = True, timeout: float = -1.0) -> bool:
        """Take it."""

    def release(self) -> None:
        """Give it back."""


class CooperativeTask(Protocol):
    """Who works in a thread, as whoever shares the cores knows it."""

    def pause(self) -> None:
        """Let others go first, if they have had less."""

    def leave(self) -> None:
        """Work no more for a while: what is waited for needs no core."""

    def come_back(self) -> None:
        """Work again, when it is one's turn."""

    def helpers(self) -> int:
        """How many other threads may work for it now."""

    def pay(self, seconds: float) -> None:
        """Answer for processor time that another thread has spent for this one."""


class _Here(threading.local):
    task: CooperativeTask | None = None


_HERE = _Here()


@contextmanager
def working(task: CooperativeTask | None) -> Iterator[None]:
    """Work in this thread as `task` until the end of the block."""
    before, _HERE.task = _HERE.task, task
    try:
        yield
    finally:
        _HERE.task = before


def pause() -> None:
    """A place at which work may rest: between pieces of it, holding nothing that readers wait for.

    Writers of the same memory may wait meanwhile: they take no core (`waiting`).
    """
    if _HERE.task is not None:
        _HERE.task.pause()


def helpers() -> int | None:
    """How many other threads may work for this one now; None: as many as there are cores."""
    return None if _HERE.task is None else _HERE.task.helpers()


def pay(seconds: float) -> None:
    """Answer for processor time of other threads that worked for this one."""
    if _HERE.task is not None:
        _HERE.task.pay(seconds)


@contextmanager
def waiting() -> Iterator[None]:
    """What is waited for in the block needs no core, so that others may have this thread's."""
    task = _HERE.task
    if task is None:
        yield
        return
    task.leave()
    try:
        yield
    finally:
        task.come_back()


def taken(lock: Lock, patience_s: float = -1.0) -> bool:
    """Take a lock; False where it cannot be had for so long (s; less than 0: for ever).

    Who waits for it takes no core: whoever has it may need that core to come to an end.
    """
    if lock.acquire(blocking=False):
        return True
    if patience_s == 0.0:
        return False
    with waiting():
        return lock.acquire(timeout=patience_s)


@contextmanager
def held(lock: Lock) -> Iterator[None]:
    """Have a lock for the length of the block, `taken` as there."""
    taken(lock)
    try:
        yield
    finally:
        lock.release()
