"""Where long work lets others go first: a server that shares its cores says what happens there.

Without a server nothing does. What is told here is told of the thread that runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Worker(Protocol):
    """Who works in a thread, as whoever shares the cores knows it."""

    def pause(self) -> None:
        """Let others go first, if they have had less."""
        ...

    def leave(self) -> None:
        """Work no more for a while: what is waited for needs no core."""
        ...

    def come_back(self) -> None:
        """Work again, when it is one's turn."""
        ...

    def helpers(self) -> int:
        """How many other threads may work for it now."""
        ...

    def pay(self, seconds: float) -> None:
        """Answer for processor time that another thread has spent for this one."""
        ...


class _Here(threading.local):
    worker: Worker | None = None


_HERE = _Here()


@contextmanager
def working(worker: Worker | None) -> Iterator[None]:
    """Work in this thread as `worker` until the end of the block."""
    before, _HERE.worker = _HERE.worker, worker
    try:
        yield
    finally:
        _HERE.worker = before


def pause() -> None:
    """A place at which work may rest: between pieces of it, holding nothing that readers wait for.

    Writers of the same memory may wait meanwhile: they take no core (`waiting`).
    """
    if _HERE.worker is not None:
        _HERE.worker.pause()


def helpers() -> int | None:
    """How many other threads may work for this one now; None: as many as there are cores."""
    return None if _HERE.worker is None else _HERE.worker.helpers()


def pay(seconds: float) -> None:
    """Answer for processor time of other threads that worked for this one."""
    if _HERE.worker is not None:
        _HERE.worker.pay(seconds)


@contextmanager
def waiting() -> Iterator[None]:
    """What is waited for in the block needs no core, so that others may have this thread's."""
    worker = _HERE.worker
    if worker is None:
        yield
        return
    worker.leave()
    try:
        yield
    finally:
        worker.come_back()
