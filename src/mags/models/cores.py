"""Work on cores that nobody in this process uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not everywhere
        return os.cpu_count() or 1


_FREE = Semaphore(cores())


def side_by_side(work: Callable[[Item], Made], items: Sequence[Item], most: int) -> Iterator[Made]:
    """What `work` makes of each item, in order, `most` at once where there are cores to spare.

    Whoever is at work here takes a core, so that a server whose requests keep all cores busy starts
    no further thread. `work` must let go of the interpreter for most of its time.
    """
    taken = 0
    while taken < min(most, len(items)) and _FREE.acquire(blocking=False):
        taken += 1
    try:
        if taken < 2:
            yield from map(work, items)
            return
        # Threads that are made anew: a pool that is kept would not outlive a fork.
        with ThreadPoolExecutor(taken) as pool:
            yield from pool.map(work, items)
    finally:
        if taken:
            _FREE.release(taken)
