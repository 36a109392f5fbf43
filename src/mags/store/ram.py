"""Shelf: what all branches of a RamStore share."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, KeyConflict, NotFound, StoreClosed
from mags.graph.delta import Delta, Past
from mags.graph.records import Content
from mags.ports.store import Checkpoint, Entry, Mark
from mags.store.lineage import (
    FIRST,
    FOLD,
    Segment,
    check_name,
    check_reachable,
    fold_limit,
    lineage,
    receipt,
)
from mags.store.rows import check_checkpoint, content_row

Undo = Callable[[], None]
K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class Shelf:
    """What all branches of a RamStore share. `undo` is a list while a block of `writing` runs.

    `lock` is the writer's, held for the length of a block; `guard` keeps the tables whole and
    is held for a step only, so that readers never wait for a block to end.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    guard: threading.RLock = field(default_factory=threading.RLock)
    undo: list[Undo] | None = None
    last_seq: int = 0
    next_id: int = 1
    entries: dict[str, dict[int, Delta]] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[int, Delta]] = field(default_factory=dict)
    forks: dict[str, Mark] = field(default_factory=dict)
    marks: dict[tuple[str, str], Mark] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    contents: dict[int, Content] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)
    facts: dict[str, str] = field(default_factory=dict)

    def put(self, table: dict[K, V], key: K, value: V) -> None:
        """Set one entry of a table, undone if the block fails."""
        with self.guard:
            if self.undo is not None:
                if key in table:
                    old = table[key]
                    self.undo.append(lambda: table.__setitem__(key, old))
                else:
                    self.undo.append(lambda: table.__delitem__(key))
            table[key] = value

    def drop(self, table: dict[K, V], key: K) -> None:
        """Remove one entry of a table, undone if the block fails."""
        with self.guard:
            old = table.pop(key)
            if self.undo is not None:
                self.undo.append(lambda: table.__setitem__(key, old))

    def take_seq(self) -> int:
        """The next sequence, given back if the block fails."""
        before = self.last_seq
        if self.undo is not None:
            self.undo.append(lambda: setattr(self, "last_seq", before))
        self.last_seq = before + 1
        return self.last_seq

    def gone(self) -> NDArray[np.int64]:
        """Ids of erased nodes, ascending."""
        with self.guard:
            return np.array(sorted(self.forgotten), np.int64)


class Room:
    """The shelf as one branch sees it."""

    def __init__(self, shelf: Shelf, branch: str) -> None:
        """Of that branch."""
        self._shelf = shelf
        self.branch = branch
        self.closed = False

    @contextmanager
    def writer(self) -> Iterator[Shelf]:
        """The shelf, locked; each level undoes its own writes where it fails."""
        shelf = self.shelf()
        with shelf.lock:
            outer, shelf.undo = shelf.undo, []
            done = False
            try:
                yield shelf
                done = True
            finally:
                steps = shelf.undo
                shelf.undo = None
                if not done:
                    with shelf.guard:
                        for step in reversed(steps):
                            step()
                shelf.undo = outer
                if done and outer is not None:
                    outer.extend(steps)

    def shelf(self) -> Shelf:
        """What all branches share; raises StoreClosed."""
        if self.closed:
            raise StoreClosed("this memory was closed: open it again")
        return self._shelf

    def segments(self) -> tuple[Segment, ...]:
        """What this branch sees."""
        return lineage(self.shelf().forks, self.branch)


# The content table of a RamStore.


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


# The log of a RamStore.


class RamJournal:
    """The log of one branch."""

    def __init__(self, room: Room) -> None:
        """Of that branch."""
        self._room = room

    def append(self, delta: Delta) -> int:
        """Add Delta, its contents and its key; its sequence."""
        rows = [content_row(content) for content in delta.contents]
        bare = replace(delta, contents=())
        branch = self._room.branch
        with self._room.writer() as shelf:
            if delta.key is not None and self.find_key(delta.key) is not None:
                raise KeyConflict(f"key {delta.key} was used before", key=delta.key)
            for _, node, *_ in rows:
                if node in shelf.forgotten:
                    raise NotFound(f"node {node} was forgotten", node_id=node)
            if any(row[0] in shelf.contents for row in rows):
                raise InvalidInput("one of these contents exists: contents are immutable")
            seq = shelf.take_seq()
            shelf.put(shelf.entries[branch], seq, bare)
            if delta.key is not None:
                shelf.put(shelf.keys, (branch, delta.key), (seq, bare))
            for content in delta.contents:
                shelf.put(shelf.contents, content.id, content)
        return seq

    def since(self, seq: int) -> Iterator[Entry]:
        """Entries of this branch and its ancestors after `seq`, oldest first."""
        with self._room.shelf().guard:
            entries = list(self._entries(seq))
        return iter(entries)

    def past(self) -> Past:
        """All that ever was, on every branch."""
        shelf = self._room.shelf()
        with shelf.guard:
            gone = shelf.gone()
            written = [put for entries in shelf.entries.values() for put in entries.items()]
        return Past.of(delta.forgetting(gone) for _, delta in sorted(written, key=itemgetter(0)))

    def _entries(self, seq: int) -> Iterator[Entry]:
        shelf = self._room.shelf()
        gone = shelf.gone()
        for segment in self._room.segments():
            check_reachable(segment, seq, self._fold(segment.branch))
            for number, delta in shelf.entries[segment.branch].items():
                if max(seq, segment.after) < number <= segment.upto:
                    yield Entry(seq=number, branch=segment.branch, delta=delta.forgetting(gone))

    def _fold(self, branch: str) -> int | None:
        entries = self._room.shelf().entries[branch]
        first = next(iter(entries), 0)
        return first if first and entries[first].kind == FOLD else None

    def check(self, seq: int) -> None:
        """Raise NotFound where `seq` lies inside what was folded."""
        for segment in self._room.segments():
            check_reachable(segment, seq, self._fold(segment.branch))

    def head(self) -> int:
        """Sequence of the last entry, or the fork point."""
        with self._room.shelf().guard:
            own = self._room.segments()[-1]
            # Sequences rise as entries are put, so the last one is the highest.
            return next(reversed(self._room.shelf().entries[own.branch]), own.after)

    def find_key(self, key: str) -> Delta | None:
        """The Delta written with that key on this branch or before its fork."""
        shelf = self._room.shelf()
        with shelf.guard:
            for segment in self._room.segments():
                found = shelf.keys.get((segment.branch, key))
                if found is not None and found[0] <= segment.upto:
                    return found[1].forgetting(shelf.gone())
        return None

    def compact(self, before: int) -> int:
        """Fold entries up to `before` as far as the checkpoint, snapshots and forks allow."""
        branch = self._room.branch
        with self._room.writer() as shelf:
            point = shelf.checkpoints.get(branch)
            limit = fold_limit(
                shelf.forks, branch, point.seq if point else None, shelf.marks.values()
            )
            old = shelf.entries[branch]
            folded = [s for s in old if s <= min(limit, before)]
            if len(folded) < 2:
                return 0
            gone = shelf.gone()
            net = Delta.compose([old[s].forgetting(gone) for s in folded], FOLD)
            kept = {folded[-1]: net, **{s: d for s, d in old.items() if s > folded[-1]}}
            shelf.put(shelf.entries, branch, kept)
            for place, (seq, delta) in list(shelf.keys.items()):
                if place[0] == branch and seq <= folded[-1]:
                    shelf.put(shelf.keys, place, (seq, receipt(delta)))
            return len(folded) - 1


# Checkpoints, snapshots, branches and facts of a RamStore.


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


# RamStore: one branch of a memory that is kept nowhere.


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
