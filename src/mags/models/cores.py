"""How work is shared among the cores of a machine.

Products of matrices that no other thread helps with, and work on cores that nobody in this process
uses.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.ports.pausing import helpers, pause, pay

Item = TypeVar("Item")
Made = TypeVar("Made")
PIECE = 500_000
"""Multiplications of one product: see `product`."""


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
    done = 0
    while done < len(items):
        allowed = helpers()
        # On a server one each, and others may go first before the next.
        size = len(items) if allowed is None else max(1, min(most, allowed + 1))
        yield from _group(work, items[done : done + size], min(most, size))
        done += size
        pause()


def _group(work: Callable[[Item], Made], items: Sequence[Item], most: int) -> Iterator[Made]:
    taken = 0
    while taken < min(most, len(items)) and _FREE.acquire(blocking=False):
        taken += 1
    used_s = list[float]()

    def timed(item: Item) -> Made:
        begun_s = time.thread_time()
        made = work(item)
        used_s.append(time.thread_time() - begun_s)
        return made

    try:
        if taken < 2:
            yield from map(work, items)
            return
        # Threads that are made anew: a pool that is kept would not outlive a fork.
        with ThreadPoolExecutor(taken) as pool:
            yield from pool.map(timed, items)
        pay(sum(used_s))
    finally:
        if taken:
            _FREE.release(taken)


def product(x: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows (n, in), or one vector (in,), times a weight (out, in): (n, out), or (out,).

    OpenBLAS shares larger products out among all cores, whose threads wait for one another
    spinning: where the cores are busy, a decision took 200 ms instead of 6. It takes pieces of less
    than 2 x 262,144 multiplications alone, and what is no product of matrices is not given to it.
    Pieces are about as high as wide, since each is copied before it is multiplied.
    """
    if x.ndim == 1:
        found: NDArray[np.float32] = np.einsum("oi,i->o", weight, x)
        return found
    rows, width = len(x), len(weight)
    if min(rows, width) < 2:
        found = np.einsum("ni,oi->no", x, weight)
        return found
    made = np.empty((rows, width), dtype=np.float32)
    most = PIECE // x.shape[1]
    high = max(2, min(rows, math.isqrt(most) // 16 * 16))
    wide = max(2, most // high)
    for top in range(0, rows, high):
        # A last piece of one row would be no product of matrices: it begins a row earlier.
        some = x[min(top, rows - 2) :][:high]
        for left in range(0, width, wide):
            left = min(left, width - 2)
            out = made[min(top, rows - 2) :][:high, left : left + wide]
            np.matmul(some, weight[left : left + wide].T, out=out)
    return made
