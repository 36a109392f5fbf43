"""RamStore: a store that lasts as long as the process and follows the same contract as SQLite's."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, KeyConflict, NotFound, StoreClosed
from mags.graph.delta import Delta, PastGraph
from mags.graph.records import Content
from mags.ports.store import Checkpoint, JournalEntry, Mark
from mags.store import lineage
from mags.store.lineage import FIRST, FOLD, Segment
from mags.store.sql import IMMUTABLE, check_checkpoint, content_row

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class _Tables:
    """The tables that all branches of a RamStore share.

    `lock` is the writer's and is held for a whole block. `guard` keeps the tables consistent and
    is held for one step only, so that readers never wait for a block to end. Lock order: `lock`
    before `guard`. `undo` is a list of steps while a block of `writing` runs, else None.
    """

    lock: threading.RLock = field(default_factory=threading.RLock)
    guard: threading.RLock = field(default_factory=threading.RLock)
    undo: list[Callable[[], Any]] | None = None
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
        """Set one entry of a table; undone if the block fails."""
        with self.guard:
            if self.undo is not None:
                if key in table:
                    self.undo.append(partial(table.__setitem__, key, table[key]))
                else:
                    self.undo.append(partial(table.__delitem__, key))
            table[key] = value

    def drop(self, table: dict[K, V], *keys: K) -> None:
        """Remove entries of a table; put back if the block fails."""
        with self.guard:
            for key in keys:
                old = table.pop(key)
                if self.undo is not None:
                    self.undo.append(partial(table.__setitem__, key, old))

    def __post_init__(self) -> None:
        self.forks[FIRST] = Mark(name=FIRST, branch="", seq=0, recorded_at=0.0)
        self.entries[FIRST] = {}
        self.facts["secret"] = secrets.token_hex(16)

    def gone(self) -> NDArray[np.int64]:
        """Ids of erased nodes, ascending."""
        with self.guard:
            return np.array(sorted(self.forgotten), np.int64)

    def content(self, content_id: int) -> Content:
        """One content; raises NotFound."""
        found = self.contents.get(int(content_id))
        if found is None:
            raise NotFound(f"no content {content_id} in this memory", content_id=content_id)
        return found


class _RamBranch:
    """The tables as one branch sees them."""

    def __init__(self, tables: _Tables, name: str) -> None:
        self._tables = tables
        self.name = name
        self.closed = False

    @contextmanager
    def writer(self) -> Iterator[_Tables]:
        """The tables, locked; a nested block that fails undoes only its own writes."""
        tables = self.tables()
        with tables.lock:
            outer, tables.undo = tables.undo, []
            done = False
            try:
                yield tables
                done = True
            finally:
                steps, tables.undo = tables.undo, None
                if not done:
                    with tables.guard:
                        for step in reversed(steps):
                            step()
                # The steps of a nested block join those of the outer one, which may still fail.
                tables.undo = outer
                if done and outer is not None:
                    outer.extend(steps)

    def tables(self) -> _Tables:
        """What all branches share; raises StoreClosed."""
        if self.closed:
            raise StoreClosed("this memory was closed: open it again")
        return self._tables

    def segments(self) -> tuple[Segment, ...]:
        """What this branch sees."""
        return lineage.lineage(self.tables().forks, self.name)


class _RamPart:
    """One part of a RamStore; its methods are documented in `mags.ports.store`."""

    def __init__(self, branch: _RamBranch) -> None:
        self._branch = branch


class _RamJournal(_RamPart):
    def append(self, delta: Delta) -> int:
        rows = [content_row(content) for content in delta.contents]
        # Words are kept in the table of contents alone, so that `erase` has one place to clear.
        bare = replace(delta, contents=())
        branch = self._branch.name
        with self._branch.writer() as tables:
            if delta.key is not None and self.find_key(delta.key) is not None:
                raise KeyConflict(f"key {delta.key} was used before", key=delta.key)
            for _, node, *_ in rows:
                if node in tables.forgotten:
                    raise NotFound(f"node {node} was forgotten", node_id=node)
            if any(row[0] in tables.contents for row in rows):
                raise InvalidInput(IMMUTABLE)
            if tables.undo is not None:
                tables.undo.append(partial(setattr, tables, "last_seq", tables.last_seq))
            tables.last_seq = seq = tables.last_seq + 1
            tables.put(tables.entries[branch], seq, bare)
            if delta.key is not None:
                tables.put(tables.keys, (branch, delta.key), (seq, bare))
            for content in delta.contents:
                tables.put(tables.contents, content.id, content)
        return seq

    def since(self, seq: int) -> Iterator[JournalEntry]:
        tables = self._branch.tables()
        with tables.guard:
            self.check(seq)
            gone = tables.gone()
            # A list, so that the caller iterates over one state without holding the guard.
            return iter(
                [
                    JournalEntry(seq=number, branch=segment.branch, delta=delta.forgetting(gone))
                    for segment in self._branch.segments()
                    for number, delta in tables.entries[segment.branch].items()
                    if max(seq, segment.after) < number <= segment.upto
                ]
            )

    def past(self) -> PastGraph:
        tables = self._branch.tables()
        with tables.guard:
            gone = tables.gone()
            written = [put for entries in tables.entries.values() for put in entries.items()]
        return PastGraph.of(
            delta.forgetting(gone) for _, delta in sorted(written, key=itemgetter(0))
        )

    def check(self, seq: int) -> None:
        """Raise NotFound if `seq` lies among folded entries."""
        for segment in self._branch.segments():
            entries = self._branch.tables().entries[segment.branch]
            first = next(iter(entries), 0)
            folded = first and entries[first].kind == FOLD
            lineage.check_reachable(segment, seq, first if folded else None)

    def head(self) -> int:
        tables = self._branch.tables()
        with tables.guard:
            own = self._branch.segments()[-1]
            # Entries are put in the order of their sequences, so the last one is the head. Looking
            # at this end keeps `head` fast, however long the journal is.
            return next(reversed(tables.entries[own.branch]), own.after)

    def find_key(self, key: str) -> Delta | None:
        tables = self._branch.tables()
        with tables.guard:
            for segment in reversed(self._branch.segments()):
                found = tables.keys.get((segment.branch, key))
                if found is not None and found[0] <= segment.upto:
                    return found[1].forgetting(tables.gone())
        return None

    def compact(self, before: int) -> int:
        branch = self._branch.name
        with self._branch.writer() as tables:
            point = tables.checkpoints.get(branch)
            limit = lineage.fold_limit(
                tables.forks, branch, point.seq if point else None, tables.marks.values()
            )
            old = tables.entries[branch]
            folded = [seq for seq in old if seq <= min(limit, before)]
            if len(folded) < 2:
                return 0
            gone, last = tables.gone(), folded[-1]  # as `since` leaves them out: nothing comes back
            net = Delta.compose([old[seq].forgetting(gone) for seq in folded], FOLD)
            # The fold takes the last sequence it replaces, so the head and what follows stay put.
            kept = {last: net, **{seq: delta for seq, delta in old.items() if seq > last}}
            tables.put(tables.entries, branch, kept)
            for place, (seq, delta) in list(tables.keys.items()):
                if place[0] == branch and seq <= last:
                    tables.put(tables.keys, place, (seq, lineage.receipt(delta)))
            return len(folded) - 1


class _RamContents(_RamPart):
    def get(self, content_ids: Sequence[int]) -> list[Content]:
        tables = self._branch.tables()
        found = map(tables.content, content_ids)
        return [replace(content, vector=None, tokens=b"") for content in found]

    def tokens(self, content_ids: Sequence[int]) -> list[bytes]:
        found = map(self._branch.tables().contents.get, content_ids)
        return [b"" if content is None else content.tokens for content in found]

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        tables = self._branch.tables()
        wanted = None if node_ids is None else {int(i) for i in node_ids}
        with tables.guard:
            found = [c for c in tables.contents.values() if wanted is None or c.node in wanted]
        return (replace(c, tokens=b"") for c in sorted(found, key=lambda c: c.id))

    def put_vectors(
        self, content_ids: Sequence[int], vectors: NDArray[np.float16], tokens: Sequence[bytes]
    ) -> None:
        with self._branch.writer() as tables:
            for content_id, vector, words in zip(content_ids, vectors, tokens, strict=True):
                old = tables.content(content_id)
                new = replace(old, vector=np.array(vector, np.float16), tokens=words)
                tables.put(tables.contents, old.id, new)
            # Checkpoints hold the old vectors.
            tables.drop(tables.checkpoints, *tables.checkpoints)

    def erase(self, node_ids: Sequence[int]) -> int:
        wanted = {int(i) for i in node_ids}
        with self._branch.writer() as tables:
            doomed = [c.id for c in tables.contents.values() if c.node in wanted]
            tables.drop(tables.contents, *doomed)
            # Every branch's checkpoint may hold records and postings of these nodes.
            tables.drop(tables.checkpoints, *tables.checkpoints)
            ids = np.array(sorted(wanted), np.int64)
            for entries in tables.entries.values():
                for seq, delta in list(entries.items()):
                    tables.put(entries, seq, delta.forgetting(ids))
            for place, (seq, delta) in list(tables.keys.items()):
                tables.put(tables.keys, place, (seq, delta.forgetting(ids)))
            fresh = wanted - tables.forgotten
            with tables.guard:
                tables.forgotten |= fresh
            if tables.undo is not None:
                tables.undo.append(partial(tables.forgotten.difference_update, fresh))
            return len(doomed)

    def next_id(self, count: int) -> int:
        if count < 1:
            raise InvalidInput(f"cannot reserve {count} ids", field="count", given=count)
        tables = self._branch.tables()
        # Under `guard`, not `lock`, and without an undo step: ids are never given twice, and a
        # thread may take some while another one writes.
        with tables.guard:
            first = tables.next_id
            tables.next_id += count
            return first


class _RamPoints(_RamPart):
    def __init__(self, branch: _RamBranch, journal: _RamJournal) -> None:
        super().__init__(branch)
        self._journal = journal

    def save(self, checkpoint: Checkpoint) -> None:
        name = self._branch.name
        with self._branch.writer() as tables:
            check_checkpoint(checkpoint, name, self._journal.head(), tables.gone())
            tables.put(tables.checkpoints, name, _copied(checkpoint))

    def load(self) -> Checkpoint | None:
        tables = self._branch.tables()
        with tables.guard:
            for segment in reversed(self._branch.segments()):
                point = tables.checkpoints.get(segment.branch)
                if point is not None and point.seq <= segment.upto:
                    return _copied(point)
        return None

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        lineage.check_name(name, "a snapshot")
        branch = self._branch.name
        with self._branch.writer() as tables:
            lineage.check_seq(seq, self._journal.head())
            self._journal.check(seq)
            mark = Mark(name=name, branch=branch, seq=seq, recorded_at=recorded_at)
            tables.put(tables.marks, (branch, name), mark)
        return mark

    def marks(self) -> list[Mark]:
        tables = self._branch.tables()
        with tables.guard:
            return lineage.in_sight(tables.marks.values(), self._branch.segments())


def _copied(point: Checkpoint) -> Checkpoint:
    # The caller may go on changing its arrays.
    return replace(point, arrays={name: np.array(a) for name, a in point.arrays.items()})


class _RamFacts(_RamPart):
    def get(self, name: str) -> str | None:
        return self._branch.tables().facts.get(name)

    def put(self, name: str, value: str) -> None:
        with self._branch.writer() as tables:
            tables.put(tables.facts, name, value)

    def branches(self) -> list[Mark]:
        return list(self._branch.tables().forks.values())

    def forgotten(self) -> NDArray[np.int64]:
        return self._branch.tables().gone()

    def size(self) -> Mapping[str, int]:
        tables = self._branch.tables()
        with tables.guard:
            deltas = [delta for entries in tables.entries.values() for delta in entries.values()]
            arrays = [a for point in tables.checkpoints.values() for a in point.arrays.values()]
            rows = map(content_row, tables.contents.values())
            return {
                "bytes": 0,
                "journal": len(deltas),
                "journal_bytes": sum(
                    2 * (d.nodes.before.nbytes + d.arcs.before.nbytes) for d in deltas
                ),
                "contents": len(tables.contents),
                "content_bytes": sum(len(part or "") for row in rows for part in row[2:]),
                "checkpoints": len(tables.checkpoints),
                "checkpoint_bytes": sum(a.nbytes for a in arrays),
                "forgotten": len(tables.forgotten),
                "to_clean": 0,
            }


class RamStore:
    """The store in memory: the same Protocol and contract, without durability."""

    def __init__(self, *, _branch: _RamBranch | None = None) -> None:
        """A new, empty memory on branch "main"."""
        self._branch = branch = _branch or _RamBranch(_Tables(), FIRST)
        self.journal = _RamJournal(branch)
        self.contents = _RamContents(branch)
        self.points = _RamPoints(branch, self.journal)
        self.facts = _RamFacts(branch)

    @property
    def branch(self) -> str:
        """Name of this branch."""
        return self._branch.name

    def writing(self) -> AbstractContextManager[object]:
        """Hold the writer's lock; if the block raises, nothing of it is written."""
        return self._branch.writer()

    def fork(self, name: str, recorded_at: float = 0.0) -> RamStore:
        """A store on a new branch that begins at this branch's head."""
        lineage.check_name(name, "a branch")
        with self._branch.writer() as tables:
            lineage.check_free(name, tables.forks)
            head = self.journal.head()
            fork = Mark(name=name, branch=self.branch, seq=head, recorded_at=recorded_at)
            tables.put(tables.forks, name, fork)
            tables.put(tables.entries, name, {})
        return RamStore(_branch=_RamBranch(tables, name))

    def close(self) -> None:
        """Release this branch; the memory is gone with its last store."""
        self._branch.closed = True
