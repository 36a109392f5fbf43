"""The content table of a RamStore."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, NotFound
from mags.graph.node import Content
from mags.store.ram.shelf import Room


class RamContents:
    """The content table."""

    def __init__(self, room: Room) -> None:
        """Of that branch."""
        self._room = room

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors left out."""
        table = self._room.shelf().contents
        out = []
        for content_id in content_ids:
            content = table.get(int(content_id))
            if content is None:
                raise NotFound(f"no content {content_id} in this memory", content_id=content_id)
            out.append(replace(content, vector=None))
        return out

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        """All contents (of those nodes, or of all), by id."""
        shelf = self._room.shelf()
        wanted = None if node_ids is None else {int(i) for i in node_ids}
        with shelf.guard:
            found = [c for c in shelf.contents.values() if wanted is None or c.node in wanted]
        return iter(sorted(found, key=lambda c: c.id))

    def put_vectors(self, content_ids: Sequence[int], vectors: NDArray[np.float16]) -> None:
        """Replace vectors and drop the checkpoints."""
        with self._room.writer() as shelf:
            for content_id, vector in zip(content_ids, vectors, strict=True):
                old = shelf.contents.get(int(content_id))
                if old is None:
                    raise NotFound(f"no content {content_id} in this memory", content_id=content_id)
                new = replace(old, vector=np.array(vector, np.float16))
                shelf.put(shelf.contents, old.id, new)
            for branch in list(shelf.checkpoints):
                shelf.drop(shelf.checkpoints, branch)

    def erase(self, node_ids: Sequence[int]) -> int:
        """Erase contents, remember the nodes as forgotten, drop the checkpoints."""
        wanted = {int(i) for i in node_ids}
        with self._room.writer() as shelf:
            doomed = [c.id for c in shelf.contents.values() if c.node in wanted]
            for content_id in doomed:
                shelf.drop(shelf.contents, content_id)
            for branch in list(shelf.checkpoints):
                shelf.drop(shelf.checkpoints, branch)
            ids = np.array(sorted(wanted), np.int64)
            for entries in shelf.entries.values():
                for seq, delta in list(entries.items()):
                    shelf.put(entries, seq, delta.forgetting(ids))
            for place, (seq, delta) in list(shelf.keys.items()):
                shelf.put(shelf.keys, place, (seq, delta.forgetting(ids)))
            fresh = wanted - shelf.forgotten
            with shelf.guard:
                shelf.forgotten |= fresh
            if shelf.undo is not None:
                shelf.undo.append(lambda: shelf.forgotten.difference_update(fresh))
            return len(doomed)

    def next_id(self, count: int) -> int:
        """Reserve `count` ids; the first of them."""
        if count < 1:
            raise InvalidInput(f"cannot reserve {count} ids")
        shelf = self._room.shelf()
        with shelf.guard:
            first = shelf.next_id
            shelf.next_id += count
            return first
