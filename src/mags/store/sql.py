"""What a store needs of a database that speaks SQL: SQLite's file, and PostgreSQL.

Statements are written once, in what both understand (`?` stands for a value), and see one memory.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

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


class SqlDatabase(Protocol):
    """A memory's transactions. A thread that writes reads through them, so it sees what it wrote;
    others see the last commit. Branches share it: `share` counts them, `release` the last closes.
    """

    place: str
    """The file, or the database and the memory in it: for messages."""
    sealer: Sealer | None
    """What the rows of an encrypted memory are sealed with; its store sets it."""

    def reading(self, *, one: bool = False) -> AbstractContextManager[Sql]:
        """A connection that sees one state for the length of the block; `one`: of one statement."""

    def writing(self) -> AbstractContextManager[Sql]:
        """The connection in a transaction; a nested block that fails undoes only its own writes."""

    def unique(self) -> AbstractContextManager[None]:
        """Raise InvalidInput where the block inserts a content that exists."""

    def look(self, query: str, values: tuple[Any, ...], /) -> tuple[Any, ...] | None:
        """The first row of one SELECT, or None; it is read once for each state of the memory."""

    def reserve(self, count: int, /) -> int:
        """Take `count` ids from the counter; they stay taken even if the block fails."""

    def has_tokens(self, db: Any, /) -> bool:  # noqa: ANN401 - its own kind of connection
        """Whether there is a table of tokens."""

    def clean_afterwards(self, db: Any, /) -> None:  # noqa: ANN401 - its own kind of connection
        """Clean what deleted rows leave behind, once this transaction ends."""

    def check_cleaned(self) -> None:
        """Raise what stopped the last cleaning."""

    def bytes(self, sizes: dict[str, int], /) -> int:
        """How much it takes in all; `sizes`: of its parts."""

    def share(self) -> SqlDatabase:
        """The same, with one more user."""

    def release(self) -> None:
        """Remove one user."""
