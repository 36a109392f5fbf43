"""Branch: one branch of an open database, and whether it may still be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from mags.errors import StoreClosed
from mags.ports.store import Mark
from mags.store.lineage import Segment, lineage
from mags.store.sqlite.database import Database


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment and the number of its branch in the file."""

    branch: int
    segment: Segment


class Branch:
    """What the tables of a store share. Ancestry never changes, so it is read once."""

    def __init__(self, database: Database, name: str) -> None:
        """Of that branch; raises NotFound."""
        self._database = database
        self.name = name
        self._closed = False
        with database.reading() as db:
            numbers = dict(db.execute("SELECT name, id FROM branch"))
            pieces = lineage(read_forks(db), name)
        self.pieces = tuple(Piece(numbers[segment.branch], segment) for segment in pieces)
        self.id = self.pieces[-1].branch
        self.after = self.pieces[-1].segment.after

    @property
    def database(self) -> Database:
        """The open file; raises StoreClosed."""
        if self._closed:
            path = self._database.path
            raise StoreClosed(f"{path} was closed: open it again", path=path)
        return self._database

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """A connection in a transaction."""
        with self.database.writing() as db:
            yield db

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection that sees one state."""
        with self.database.reading() as db:
            yield db

    def close(self) -> None:
        """Let go of the file, once."""
        if not self._closed:
            self._closed = True
            self._database.release()


def read_forks(db: apsw.Connection) -> dict[str, Mark]:
    """All branches by name, oldest first."""
    rows = db.execute(
        "SELECT b.name, ifnull(p.name, ''), b.after, b.recorded_at"
        " FROM branch b LEFT JOIN branch p ON p.id = b.parent ORDER BY b.id"
    )
    return {
        name: Mark(name=name, branch=parent, seq=after, recorded_at=at)
        for name, parent, after, at in rows
    }


def read_marks(db: apsw.Connection) -> list[Mark]:
    """All snapshots of all branches."""
    rows = db.execute(
        "SELECT m.name, b.name, m.seq, m.recorded_at FROM mark m JOIN branch b ON b.id = m.branch"
    )
    return [Mark(name=n, branch=b, seq=s, recorded_at=at) for n, b, s, at in rows]


def read_forgotten(db: apsw.Connection) -> NDArray[np.int64]:
    """Ids of erased nodes, ascending."""
    return np.array(
        [i for (i,) in db.execute("SELECT node FROM forgotten ORDER BY node")], np.int64
    )
