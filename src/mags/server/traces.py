"""The traces of a namespace's last answers, by id, for explain and feedback."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict

from mags import caches
from mags.errors import NotFound
from mags.recall.found import Trace


class Traces:
    """The newest so many; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        """`most`: how many are kept."""
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Trace] = OrderedDict()
        caches.register(self)

    def clear(self) -> None:
        """Let go of what was asked; ids and numbers stay, for explain and feedback."""
        with self._lock:
            for name, trace in self._known.items():
                self._known[name] = trace.wordless()

    def keep(self, trace: Trace) -> str:
        """Keep a trace; its id, which cannot be guessed."""
        name = secrets.token_hex(12)
        with self._lock:
            self._known[name] = trace
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return name

    def get(self, name: str) -> Trace:
        """A trace that is still kept; raises NotFound."""
        with self._lock:
            found = self._known.get(name)
        if found is None:
            raise NotFound(
                f"there is no trace {name!r}: the last {self._most} of a memory are kept, until "
                "the server stops. Recall or ask again.",
                trace=name,
            )
        return found
