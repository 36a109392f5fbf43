"""The one place where caches of texts are made, and where all of them are cleared.

Texts of a memory reach caches all over the process: words and their stems, sentences taken apart,
vectors. `forget` clears every one, so none may be made elsewhere (`tests/architecture` looks).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Any, Protocol, TypeVar, cast
from weakref import WeakSet

Function = TypeVar("Function", bound=Callable[..., Any])


class TextCache(Protocol):
    """An object that caches something of texts."""

    def clear(self) -> None:
        """Let go of it all."""


# Patterns may be built of names, and Python keeps the newest ones.
_CLEARS: list[Callable[[], None]] = [re.purge]
_CACHES: WeakSet[TextCache] = WeakSet()
_LOCK = Lock()


def cached(most: int) -> Callable[[Function], Function]:
    """Keep the last `most` results of a function of texts: `lru_cache`, cleared by `clear`."""

    def keep(function: Function) -> Function:
        kept = lru_cache(maxsize=most)(function)
        _CLEARS.append(kept.cache_clear)
        return cast(Function, kept)

    return keep


def register(cache: TextCache) -> None:
    """Have `clear` clear an object too, for as long as it lives."""
    with _LOCK:
        _CACHES.add(cache)


def clear() -> None:
    """Clear every cache of texts of this process, whichever memory they come from."""
    with _LOCK:
        caches = list(_CACHES)
    for one in _CLEARS:
        one()
    for cache in caches:
        cache.clear()
