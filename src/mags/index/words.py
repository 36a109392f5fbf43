"""Words: the contents used last, kept from one reading to the next."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence

from mags.graph.node import Content

Fetch = Callable[[Sequence[int]], list[Content]]
"""Content ids -> contents, in order (vectors may be left out)."""

MOST = 50_000


class Words:
    """Contents by id, the least recently used dropped first; safe in threads."""

    def __init__(self, fetch: Fetch, most: int = MOST) -> None:
        """What is not held comes through `fetch`."""
        self._fetch = fetch
        self._most = most
        self._lock = threading.Lock()
        self._held: OrderedDict[int, Content] = OrderedDict()

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors left out; raises NotFound."""
        out: dict[int, Content] = {}
        missing: dict[int, None] = {}
        with self._lock:
            for content_id in content_ids:
                known = self._held.get(content_id)
                if known is None:
                    missing[content_id] = None
                else:
                    self._held.move_to_end(content_id)
                    out[content_id] = known
        if missing:
            fetched = self._fetch(list(missing))
            out.update(zip(missing, fetched, strict=True))
            self.keep(fetched)
        return [out[content_id] for content_id in content_ids]

    def keep(self, contents: Iterable[Content]) -> None:
        """Hold contents, without their vectors."""
        with self._lock:
            for c in contents:
                bare = Content(id=c.id, node=c.node, text=c.text, meta=c.meta)
                self._held[c.id] = bare
                self._held.move_to_end(c.id)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def drop(self, nodes: Collection[int]) -> None:
        """Let go of every word of these nodes."""
        gone = set(nodes)
        with self._lock:
            for content_id in [i for i, c in self._held.items() if c.node in gone]:
                del self._held[content_id]
