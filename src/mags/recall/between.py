"""The fewest facts between two things, walked whichever way they were told."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable

FAR = 2_000
"""Things at most that a search comes by: beyond them nothing is within reach."""

Sides = Callable[[int], Iterable[tuple[int, int]]]
"""Of a thing, by id: its facts, each with the thing at its other end."""


def between(
    starts: Iterable[int], ends: Collection[int], sides: Sides, hops: int
) -> tuple[tuple[int, int, int], ...]:
    """The shortest chain (breadth first: Moore 1959), each step (thing, fact, thing); else ().

    hops: most facts of a chain.
    """
    led: dict[int, tuple[tuple[int, int, int], ...]] = {one: () for one in starts}
    queue = deque(led)
    while queue and len(led) < FAR:
        here = queue.popleft()
        if len(led[here]) >= hops:
            break
        for fact, other in sides(here):
            if other in led:
                continue
            led[other] = (*led[here], (here, fact, other))
            if other in ends:
                return led[other]
            queue.append(other)
    return ()
