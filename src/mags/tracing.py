"""Where the parts of some work are watched: a server times them, and may export them as spans.

Where nobody watches, a part costs one look at a variable. What is told of it are numbers and words
of this code, never what was said and never a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

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
