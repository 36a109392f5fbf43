"""Checkpoints, snapshots, branches and facts of a RamStore."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, NotFound
from mags.ports.store import Checkpoint, Mark
from mags.store.lineage import check_name
from mags.store.ram.journal import RamJournal
from mags.store.ram.shelf import Room
from mags.store.rows import check_checkpoint, content_row


class RamPoints:
    """Checkpoints, snapshots and branches."""

    def __init__(self, room: Room, journal: RamJournal) -> None:
        """Of that branch."""
        self._room = room
        self._journal = journal

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint of this branch."""
        room = self._room
        with room.writer() as shelf:
            check_checkpoint(checkpoint, room.branch, self._journal.head(), shelf.gone())
            shelf.put(shelf.checkpoints, room.branch, _copied(checkpoint))

    def load(self) -> Checkpoint | None:
        """The newest usable checkpoint, or None."""
        shelf = self._room.shelf()
        with shelf.guard:
            for segment in reversed(self._room.segments()):
                point = shelf.checkpoints.get(segment.branch)
                if point is not None and point.seq <= segment.upto:
                    return _copied(point)
        return None

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        """Name a point of this branch."""
        check_name(name, "a snapshot")
        room = self._room
        with room.writer() as shelf:
            head = self._journal.head()
            if not 0 <= seq <= head:
                raise InvalidInput(f"a snapshot lies between 0 and the head, {head}; not at {seq}")
            self._journal.check(seq)
            mark = Mark(name=name, branch=room.branch, seq=seq, recorded_at=recorded_at)
            shelf.put(shelf.marks, (room.branch, name), mark)
        return mark

    def marks(self) -> list[Mark]:
        """Snapshots of this branch and its ancestors, oldest first."""
        shelf = self._room.shelf()
        with shelf.guard:
            upto = {segment.branch: segment.upto for segment in self._room.segments()}
            found = [m for m in shelf.marks.values() if m.seq <= upto.get(m.branch, -1)]
        return sorted(found, key=lambda m: (m.seq, m.recorded_at, m.name))

    def unmark(self, name: str) -> None:
        """Forget the name of a snapshot of this branch."""
        with self._room.writer() as shelf:
            place = (self._room.branch, name)
            if place not in shelf.marks:
                raise NotFound(f"no snapshot {name!r} on branch {self._room.branch!r}", name=name)
            shelf.drop(shelf.marks, place)


def _copied(point: Checkpoint) -> Checkpoint:
    return replace(point, arrays={name: np.array(a) for name, a in point.arrays.items()})


class RamFacts:
    """Facts about the memory itself."""

    def __init__(self, room: Room) -> None:
        """Of that branch."""
        self._room = room

    def get(self, name: str) -> str | None:
        """The value, or None."""
        return self._room.shelf().facts.get(name)

    def put(self, name: str, value: str) -> None:
        """Set it."""
        with self._room.writer() as shelf:
            shelf.put(shelf.facts, name, value)

    def branches(self) -> list[Mark]:
        """All branches with their fork points, oldest first."""
        return list(self._room.shelf().forks.values())

    def forgotten(self) -> NDArray[np.int64]:
        """Ids of all nodes ever erased, ascending."""
        return self._room.shelf().gone()

    def size(self) -> Mapping[str, int]:
        """Bytes held (nothing is on disk) and rows, by part."""
        shelf = self._room.shelf()
        with shelf.guard:
            deltas = [delta for entries in shelf.entries.values() for delta in entries.values()]
            arrays = [a for point in shelf.checkpoints.values() for a in point.arrays.values()]
            words = sum(
                len(part or "") for c in shelf.contents.values() for part in content_row(c)[2:]
            )
            images = [c for d in deltas for c in (d.nodes, d.arcs)]
            return {
                "bytes": 0,
                "journal": len(deltas),
                "journal_bytes": sum(2 * c.before.nbytes for c in images),
                "contents": len(shelf.contents),
                "content_bytes": words,
                "checkpoints": len(shelf.checkpoints),
                "checkpoint_bytes": sum(a.nbytes for a in arrays),
                "forgotten": len(shelf.forgotten),
                "to_clean": 0,
            }
