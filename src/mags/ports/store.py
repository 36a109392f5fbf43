"""Store: the durable side of a memory, as four small doors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta
from mags.graph.node import Content


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
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
    """A named point of a branch (a snapshot) or the beginning of a branch (a fork)."""

    name: str
    branch: str
    seq: int
    recorded_at: float


class Journal(Protocol):
    """The append-only log of Deltas of one branch."""

    def append(self, delta: Delta) -> int:
        """Commit Delta, its contents and its key in one transaction; durable on return.

        Returns its sequence. Raises StoreFull, StoreBusy, StoreClosed; then nothing was written.
        """
        ...

    def since(self, seq: int) -> Iterator[Entry]:
        """Entries of this branch after `seq`, oldest first, its ancestors' before the fork
        included; records of forgotten nodes are left out.
        """
        ...

    def head(self) -> int:
        """Sequence of this branch's last entry (its fork point while it has none; 0 if empty)."""
        ...

    def find_key(self, key: str) -> Delta | None:
        """The Delta (of this branch or its ancestors) that was written with that hashed key."""
        ...

    def compact(self, before: int) -> int:
        """Drop entries up to and including `before` that a checkpoint covers and no snapshot
        or branch needs; keys and results are kept. Returns how many were dropped.
        """
        ...


class Contents(Protocol):
    """The content table: every word and every vector, shared by all branches."""

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors left out; raises NotFound."""
        ...

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        """All contents (of those nodes, or of all), by id, vectors included."""
        ...

    def put_vectors(self, content_ids: Sequence[int], vectors: NDArray[np.float16]) -> None:
        """Replace vectors, shape (n, dimension), in one transaction (for `reembed`)."""
        ...

    def erase(self, node_ids: Sequence[int]) -> int:
        """True erasure on all branches: contents gone, nodes tombstoned, checkpoints dropped,
        free pages overwritten, write-ahead log truncated. Returns contents erased.
        """
        ...

    def next_id(self, count: int) -> int:
        """Reserve `count` ids, unique over all branches and for ever; the first of them."""
        ...


class Points(Protocol):
    """Checkpoints, snapshots and branches."""

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint of its branch, atomically."""
        ...

    def load(self) -> Checkpoint | None:
        """The newest checkpoint usable for this branch, or None."""
        ...

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        """Name a point of this branch; the same name again moves it."""
        ...

    def marks(self) -> list[Mark]:
        """Snapshots of this branch and its ancestors, oldest first."""
        ...

    def unmark(self, name: str) -> None:
        """Forget a snapshot's name; raises NotFound."""
        ...


class Store(Protocol):
    """One memory's durable side, seen from one branch.

    One writer at a time across processes: writing methods take the lock for the
    length of a transaction, or of `writing()`. Readers are never blocked.
    """

    @property
    def journal(self) -> Journal:
        """The log of this branch."""
        ...

    @property
    def contents(self) -> Contents:
        """The words."""
        ...

    @property
    def points(self) -> Points:
        """Checkpoints and snapshots."""
        ...

    @property
    def facts(self) -> Facts:
        """Facts about the memory itself."""
        ...

    @property
    def branch(self) -> str:
        """Name of this branch; the first is "main"."""
        ...

    def fork(self, name: str) -> Store:
        """A store on a new branch that begins at this branch's head; raises InvalidInput."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """Hold the writer's lock (re-entrant in a thread); raises StoreBusy after the wait."""
        ...

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
        ...


class Facts(Protocol):
    """Small named values of a memory: embedder, hash key, schema, settings.

    `secret` (16 random bytes made at creation) keys every hash in the journal.
    """

    def get(self, name: str) -> str | None:
        """The value, or None."""
        ...

    def put(self, name: str, value: str) -> None:
        """Set it, durable on return."""
        ...

    def branches(self) -> list[Mark]:
        """All branches with their fork points, oldest first."""
        ...

    def size(self) -> Mapping[str, int]:
        """Bytes on disk and rows, by part."""
        ...
