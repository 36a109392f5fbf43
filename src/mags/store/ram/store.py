"""RamStore: one branch of a memory that is kept nowhere."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from mags.errors import InvalidInput
from mags.ports.store import Mark
from mags.store.lineage import FIRST, check_name
from mags.store.ram.contents import RamContents
from mags.store.ram.journal import RamJournal
from mags.store.ram.points import RamFacts, RamPoints
from mags.store.ram.shelf import Room, Shelf


class RamStore:
    """The store in memory: the same Protocol and the same laws, durability left out."""

    def __init__(self, *, _room: Room | None = None) -> None:
        """A new, empty memory on branch "main"."""
        room = self._room = _room or Room(_new_shelf(), FIRST)
        self.journal = RamJournal(room)
        self.contents = RamContents(room)
        self.points = RamPoints(room, self.journal)
        self.facts = RamFacts(room)

    @property
    def branch(self) -> str:
        """Name of this branch."""
        return self._room.branch

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the writer's lock; where the block raises, nothing of it was written."""
        with self._room.writer():
            yield

    def fork(self, name: str, recorded_at: float = 0.0) -> RamStore:
        """A store on a new branch that begins at this branch's head."""
        check_name(name, "a branch")
        with self._room.writer() as shelf:
            if name in shelf.forks:
                raise InvalidInput(f"there is a branch {name!r} already: choose another name")
            fork = Mark(
                name=name, branch=self.branch, seq=self.journal.head(), recorded_at=recorded_at
            )
            shelf.put(shelf.forks, name, fork)
            shelf.put(shelf.entries, name, {})
        return RamStore(_room=Room(shelf, name))

    def close(self) -> None:
        """Release this branch; the memory is gone with its last store."""
        self._room.closed = True


def _new_shelf() -> Shelf:
    shelf = Shelf()
    shelf.forks[FIRST] = Mark(name=FIRST, branch="", seq=0, recorded_at=0.0)
    shelf.entries[FIRST] = {}
    shelf.facts["secret"] = secrets.token_hex(16)
    return shelf
