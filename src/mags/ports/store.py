"""Store: the durable side of a memory, as four small doors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta, PastGraph
from mags.graph.records import Content


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One journal entry. `seq` grows over all branches of a store; `delta.contents` is empty."""

    seq: int
    branch: str
    delta: Delta


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The packed state of a branch at one sequence: ids and numbers only.

    `arrays`: graph, vectors and postings by name; `tick`: the clock then.
    """

    seq: int
    branch: str
    tick: int
    arrays: Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A named point of a branch (a snapshot) or the beginning of a branch (a fork).

    Of a fork `name` is the new branch and `branch` its parent ("" for the first).
    """

    name: str
    branch: str
    seq: int
    recorded_at: float


class Journal(Protocol):
    """The append-only log of Deltas of one branch."""

    def append(self, delta: Delta) -> int:
        """Commit Delta, its contents and its key in one transaction; durable on return
        (inside `writing()`: when that block ends).

        Returns its sequence. Raises KeyConflict where this branch or an ancestor has the key,
        NotFound where a content belongs to a forgotten node, StoreFull, StoreBusy,
        StoreClosed; then nothing was written.
        """

    def since(self, seq: int) -> Iterator[JournalEntry]:
        """Entries of this branch after `seq`, oldest first, its ancestors' before the fork
        included; records of forgotten nodes are left out (see `Changes.forgetting`).

        Raises NotFound where compaction has folded what lies between: load a checkpoint.
        Reads in short steps, so that an unfinished iteration holds up nobody.
        """

    def past(self) -> PastGraph:
        """All that ever was, on every branch, but for what is forgotten."""

    def head(self) -> int:
        """Sequence of this branch's last entry (its fork point while it has none; 0 if empty)."""

    def find_key(self, key: str) -> Delta | None:
        """The Delta (of this branch or its ancestors) that was written with that hashed key."""

    def compact(self, before: int) -> int:
        """Fold entries of this branch up to and including `before`, as far as its checkpoint
        covers them and no snapshot or fork lies behind them, into one net Delta of kind "fold";
        keys and results are kept. Returns by how many entries the journal became shorter.

        A replay from 0 still gives the same graph, with no checkpoint needed.
        """


class Contents(Protocol):
    """The content table: every word and every vector, shared by all branches."""

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors and tokens left out; raises NotFound."""

    def tokens(self, content_ids: Sequence[int]) -> list[bytes]:
        """Tokens in the order asked; empty where a content has none or is gone."""

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        """All contents (of those nodes, or of all), by id, vectors included, tokens left out."""

    def put_vectors(
        self, content_ids: Sequence[int], vectors: NDArray[np.float16], tokens: Sequence[bytes]
    ) -> None:
        """Replace vectors, shape (n, dimension), and tokens in one transaction (for `reembed`).

        Drops all checkpoints, which hold the old ones; raises NotFound.
        """

    def erase(self, node_ids: Sequence[int]) -> int:
        """True erasure on all branches: contents gone, images taken out of the journal, nodes
        tombstoned, checkpoints dropped, free pages overwritten, write-ahead log truncated.
        Returns contents erased.

        Inside `writing()` the files are cleaned when that block ends; a cleaning that was cut
        off is finished at the next opening (`Facts.size()["to_clean"]` is 1 until then). Save a
        checkpoint afterwards. Outside a block it raises StoreBusy or StoreFull, with `erased`
        True, where the words are gone but another process or a full disk holds up the cleaning.
        """

    def next_id(self, count: int) -> int:
        """Reserve `count` ids, unique over all branches and for ever; the first of them."""


class Points(Protocol):
    """Checkpoints, snapshots and branches."""

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint of this branch, atomically.

        Raises InvalidInput where it is of another branch, beyond the head, or holds a
        forgotten node (any array with a field `id`).
        """

    def load(self) -> Checkpoint | None:
        """The newest checkpoint usable for this branch, or None; its arrays are the caller's."""

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        """Name a point of this branch, `seq` <= head; the same name again moves it.

        Raises NotFound where compaction has folded that point.
        """

    def marks(self) -> list[Mark]:
        """Snapshots of this branch and its ancestors, oldest first."""


class Facts(Protocol):
    """Small named values of a memory: embedder, hash key, settings.

    `secret` (16 random bytes made at creation, in hex) keys every hash in the journal.
    """

    def get(self, name: str) -> str | None:
        """The value, or None."""

    def put(self, name: str, value: str) -> None:
        """Set it, durable on return."""

    def branches(self) -> list[Mark]:
        """All branches with their fork points, oldest first."""

    def forgotten(self) -> NDArray[np.int64]:
        """Ids of all nodes ever erased, on any branch, ascending."""

    def size(self) -> Mapping[str, int]:
        """Bytes and rows, by part: `bytes` (all files), `journal`, `journal_bytes`, `contents`,
        `content_bytes`, `checkpoints`, `checkpoint_bytes`, `forgotten`, `to_clean`.
        """


class Store(Protocol):
    """One memory's durable side, seen from one branch.

    One writer at a time across processes: writing methods take the lock for the
    length of a transaction, or of `writing()`. Readers are never blocked. Any thread may
    use a store.
    """

    @property
    def journal(self) -> Journal:
        """The log of this branch."""

    @property
    def contents(self) -> Contents:
        """The words."""

    @property
    def points(self) -> Points:
        """Checkpoints and snapshots."""

    @property
    def facts(self) -> Facts:
        """Facts about the memory itself."""

    @property
    def branch(self) -> str:
        """Name of this branch; the first is "main"."""

    def fork(self, name: str, recorded_at: float = 0.0) -> Store:
        """A store on a new branch that begins at this branch's head; raises InvalidInput.

        Both stores are to be closed.
        """

    def writing(self) -> AbstractContextManager[object]:
        """Hold the writer's lock (re-entrant in a thread); raises StoreBusy after the wait.

        What is written inside is one transaction, durable when the outermost block ends;
        where that raises, nothing of it was written (reserved ids stay reserved).
        """

    def close(self) -> None:
        """Release everything; closing twice is harmless."""


class Catalog(Protocol):
    """The memories of one place, by name: a folder or a database. Any thread may use it."""

    def names(self) -> list[str]:
        """All that are there, sorted."""

    def exists(self, name: str) -> bool:
        """Whether one of exactly this name is there.

        Raises NotFound where one is there whose name only the disk takes for the same: a key for
        one must not open the other.
        """

    def nearest(
        self,
        vector: NDArray[np.floating[Any]],
        embedder: str,
        patterns: Sequence[str],
        most: int,
    ) -> list[str]:
        """Names of the memories that hold what lies nearest to a vector, the nearest first.

        `vector`, shape (dimension,): of the embedder of this name; memories of others are left out.
        `patterns`: names, or beginnings that end with "*"; `most`: how many at most. Raises
        InvalidInput where there is no index over the memories and they are more.
        """

    def open(self, name: str, branch: str = "main") -> Store:
        """A store of this memory, which is made if it is not there; raises as a store does."""

    def remove(self, name: str) -> None:
        """Delete a memory that nobody has open, all of it; raises NotFound."""

    def size(self) -> int:
        """Bytes that all of them take on the disk."""

    def writable(self) -> bool:
        """Whether one could be written now."""

    def close(self) -> None:
        """Release what is shared by its stores, once they are closed; twice is harmless."""
