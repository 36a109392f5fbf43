"""What a store needs of a database that speaks SQL: SQLite's file, and PostgreSQL.

Statements are written once, in what both understand (`?` stands for a value), and see one memory.
Contents and packed arrays become rows of its tables, sealed where a memory is encrypted.
"""

from __future__ import annotations

import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from mags.errors import CorruptFile, InvalidInput, StoreBusy, StoreError
from mags.graph.records import Content
from mags.ports.pausing import taken
from mags.ports.store import Checkpoint

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
        self.sealer: Sealer | Clear = CLEAR
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
        if not taken(self._lock, self.wait_s):
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


# -- rows -------------------------------------------------------------------------

PART_BYTES = 16 << 20
"""Arrays are stored in parts of this size: a blob has a limit, and so has memory."""

TEXT, META, VECTOR = ("content", "text"), ("content", "meta"), ("content", "vector")
"""Columns, as the place of a sealed value names them."""
IMMUTABLE = "one of these contents exists: contents are immutable"

Value = TypeVar("Value")
ContentRow = tuple[int, int, str, str, bytes | None]


class Vector(bytes):
    """A vector as it is stored where it is not sealed; some databases have a type for it."""


class Clear:
    """What a memory that is not encrypted has for a `Sealer`: values stay as they are."""

    encrypts = False

    def seal(self, value: Value, *_place: object) -> Value:
        """The value."""
        return value

    open = seal_text = open_text = seal


CLEAR = Clear()


def content_row(content: Content, sealer: Sealer | Clear = CLEAR) -> ContentRow:
    """(id, node, text, meta, vector) of a content."""
    try:
        meta = json.dumps(dict(content.meta), ensure_ascii=False, separators=(",", ":"))
        # A lone surrogate is a valid str, but has no UTF-8 form.
        content.text.encode()
        meta.encode()
    except (TypeError, UnicodeEncodeError) as failure:
        raise InvalidInput(f"content {content.id} cannot be kept: {failure}") from failure
    # Little-endian in every file, whatever the machine.
    vector = None if content.vector is None else Vector(content.vector.astype("<f2").tobytes())
    return (
        content.id,
        content.node,
        sealer.seal_text(content.text, *TEXT, content.id),
        sealer.seal_text(meta, *META, content.id),
        None if vector is None else sealer.seal(vector, *VECTOR, content.id),
    )


def content_of(row: Sequence[Any], sealer: Sealer | Clear = CLEAR) -> Content:
    """The reverse of `content_row`; the vector may be left out. Raises CorruptFile."""
    id_, node, text, meta, *rest = row
    blob = rest[0] if rest else None
    blob = None if blob is None else sealer.open(blob, *VECTOR, id_)
    vector = None if blob is None else np.frombuffer(blob, "<f2").astype(np.float16, copy=False)
    text, meta = sealer.open_text(text, *TEXT, id_), sealer.open_text(meta, *META, id_)
    return Content(id=id_, node=node, text=text, meta=json.loads(meta), vector=vector)


def checksum(part: bytes | memoryview) -> int:
    """A 64-bit sum of the words of a part, 10 times faster than crc32; signed, as SQLite's numbers.

    It changes with each flipped bit and with pages of 8 KiB that change places. It does not see
    words that change places within a page.
    """
    whole = len(part) // 8192 * 8192
    pages = np.frombuffer(part, np.uint64, whole // 8).reshape(-1, 1024).sum(axis=1)
    # An odd weight keeps any change of a page's sum a change of the whole, modulo 2^64.
    weights = np.arange(1, 2 * len(pages) + 1, 2, dtype=np.uint64)
    rest = int.from_bytes(bytes(part[whole:])) % ((1 << 61) - 1)
    total = (int((pages * weights).sum()) + len(part) + rest) % 2**64
    return total - 2**64 if total >= 2**63 else total


def describe(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Names, dtypes and shapes as JSON."""
    out = []
    for name, array in arrays.items():
        descr = array.dtype.descr if array.dtype.names else array.dtype.str
        out.append([name, descr, list(array.shape)])
    return json.dumps(out)


def parts(array: NDArray[Any]) -> Iterable[memoryview]:
    """The bytes of an array in parts."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    for start in range(0, len(flat), PART_BYTES):
        yield flat[start : start + PART_BYTES]


def blank_arrays(description: str) -> dict[str, NDArray[Any]]:
    """Empty arrays of the names, dtypes and shapes that `describe` wrote, to be filled."""
    out = {}
    for name, descr, shape in json.loads(description):
        kind = descr if isinstance(descr, str) else [_field(field) for field in descr]
        out[name] = np.empty(shape, np.dtype(kind))
    return out


def _field(field: Sequence[Any]) -> tuple[Any, ...]:
    # JSON has made lists of the tuples; NumPy takes tuples only.
    name, descr, *shape = field
    return (name, descr, tuple(shape[0])) if shape else (name, descr)


def fill(array: NDArray[Any], start: int, part: bytes, expected: int) -> int:
    """Copy a part to byte `start` of an array and return where it ends. Raises CorruptFile."""
    flat = array.reshape(-1).view(np.uint8)
    if start + len(part) > len(flat) or checksum(part) != expected:
        raise CorruptFile("a checkpoint is damaged (its checksum differs); it can be rebuilt")
    flat[start : start + len(part)] = np.frombuffer(part, np.uint8)
    return start + len(part)


def check_checkpoint(
    checkpoint: Checkpoint, branch: str, head: int, forgotten: NDArray[np.int64]
) -> None:
    """Raise InvalidInput for a checkpoint that must not be saved.

    That is one of another branch, one beyond the head, one with a forgotten node, and one whose
    arrays hold Python objects.
    """
    objects = [name for name, array in checkpoint.arrays.items() if array.dtype.hasobject]
    if objects:
        raise InvalidInput(f"only arrays of numbers can be kept, unlike {objects}")
    if checkpoint.branch != branch:
        raise InvalidInput(
            f"a checkpoint of {checkpoint.branch!r} cannot be kept on {branch!r}",
            given=checkpoint.branch,
        )
    if not 0 <= checkpoint.seq <= head:
        raise InvalidInput(
            f"a checkpoint at {checkpoint.seq} is beyond the head, {head}", given=checkpoint.seq
        )
    if not len(forgotten):
        return
    # A checkpoint taken before an erasure and saved after it would bring the nodes back.
    for name, array in checkpoint.arrays.items():
        if (
            array.dtype.names
            and "id" in array.dtype.names
            and np.isin(array["id"], forgotten).any()
        ):
            raise InvalidInput(
                f"array {name!r} of the checkpoint holds a forgotten node: catch up first"
            )
