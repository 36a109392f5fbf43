"""What a store needs of a database that speaks SQL: SQLite's file, and PostgreSQL.

Statements are written once, in what both understand (`?` stands for a value), and see one memory.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from mags.errors import StoreBusy, StoreError

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Sealer


class Rows(Protocol):
    """What a statement gives."""

    @property
    def get(self) -> Any:  # noqa: ANN401 - of any column
        """The first row, its value alone where it has one column; None where there is none."""

    def fetchone(self) -> Any:  # noqa: ANN401 - a tuple of any columns
        """The next row, or None."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Sql(Protocol):
    """A connection in a transaction."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Rows:
        """Run one statement."""

    def stream(
        self, query: str, values: Sequence[Any] = (), /
    ) -> Generator[tuple[Any, ...], None, None]:
        """Rows of a SELECT, few at a time in memory; nothing else may run until it is closed."""

    def executemany(self, query: str, values: Any, /) -> object:  # noqa: ANN401 - rows of values
        """Run one statement for each row of values."""

    def changes(self) -> int:
        """How many rows the last `execute` has changed."""


class SqlDatabase(ABC):
    """A memory's transactions. A thread that writes reads through them, so it sees what it wrote;
    others see the last commit. Branches share it: `share` counts them, `release` the last closes.
    """

    def __init__(self, place: str, path: Path | None, wait_s: float) -> None:
        """`place`: the file, or the database and the memory in it, for messages."""
        self.place, self.path, self.wait_s = place, path, wait_s
        self.sealer: Sealer | None = None
        """What the rows of an encrypted memory are sealed with; its store sets it."""
        self._process = os.getpid()
        self._users = 1
        # Lock order: `_guard` may be taken while `_lock` is held, never the other way round.
        self._lock, self._guard = threading.RLock(), threading.Lock()
        # The id of the thread inside a transaction, 0 between them. It is compared without a lock:
        # a thread can only ever find its own id there by having written it.
        self._owner = 0
        self._depth = 0

    @abstractmethod
    def reading(self, *, one: bool = False) -> AbstractContextManager[Sql]:
        """A connection that sees one state for the length of the block; `one`: of one statement."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Sql]:
        """The connection in a transaction; a nested block that fails undoes only its own writes."""

    @abstractmethod
    def erasing(self) -> AbstractContextManager[Sql]:
        """The same; what deleted rows leave behind is cleaned once the transaction ends.

        Raises what stopped the cleaning, outside of another block.
        """

    @abstractmethod
    def unique(self) -> AbstractContextManager[None]:
        """Raise InvalidInput where the block inserts a content that exists."""

    @abstractmethod
    def look(self, query: str, values: tuple[Any, ...], /) -> tuple[Any, ...] | None:
        """The first row of one SELECT, or None; it is read once for each state of the memory."""

    @abstractmethod
    def reserve(self, count: int, /) -> int:
        """Take `count` ids from the counter; they stay taken even if the block fails."""

    @abstractmethod
    def bytes(self, sizes: dict[str, int], /) -> int:
        """How much it takes in all; `sizes`: of its parts."""

    def share(self) -> Self:
        """The same, with one more user."""
        with self._guard:
            self._users += 1
        return self

    @abstractmethod
    def release(self) -> None:
        """Remove one user; with the last go the connections."""

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the writer's lock of this process; raises StoreBusy after the wait."""
        if not self._lock.acquire(timeout=self.wait_s):
            raise StoreBusy(
                f"another thread has been writing to {self.place} for more than {self.wait_s:g} s",
                path=self.path,
                pid=os.getpid(),
                waited_s=self.wait_s,
            )
        try:
            yield
        finally:
            self._lock.release()

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise StoreError(
                f"{self.place} was opened by process {self._process}, of which this one is a fork: "
                "open it again here, or start workers by 'spawn'",
                path=self.path,
                pid=self._process,
            )
