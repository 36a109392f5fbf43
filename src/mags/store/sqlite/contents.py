"""The content table in SQLite: the only place where words are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, NotFound
from mags.graph.node import Content
from mags.store.rows import content_of
from mags.store.sqlite.branch import Branch
from mags.store.sqlite.journal import replace_scrubbed, scrubbed

SCANNED_AT_ONCE = 2000


class SqliteContents:
    """The content table, shared by all branches."""

    def __init__(self, branch: Branch) -> None:
        """Seen from that branch."""
        self._branch = branch

    def get(self, content_ids: Sequence[int]) -> list[Content]:
        """Contents in the order asked, vectors left out."""
        wanted = [int(i) for i in content_ids]
        with self._branch.reading() as db:
            rows = db.execute(
                "SELECT id, node, text, meta FROM content"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(wanted),),
            )
            found = {row[0]: content_of(row) for row in rows}
        missing = next((i for i in wanted if i not in found), None)
        if missing is not None:
            raise NotFound(f"no content {missing} in this memory", content_id=missing)
        return [found[i] for i in wanted]

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        """All contents (of those nodes, or of all), by id, read in steps."""
        if node_ids is None:
            return self._scan(None)
        return self._scan(json.dumps([int(i) for i in node_ids]))

    def _scan(self, nodes: str | None) -> Iterator[Content]:
        chosen = "" if nodes is None else "AND node IN (SELECT value FROM json_each(?3))"
        last: int = -(2**63)
        while True:
            values = (last, SCANNED_AT_ONCE) if nodes is None else (last, SCANNED_AT_ONCE, nodes)
            with self._branch.reading() as db:
                rows: list[tuple[Any, ...]] = db.execute(
                    f"SELECT id, node, text, meta, vector FROM content WHERE id > ?1 {chosen}"
                    " ORDER BY id LIMIT ?2",
                    values,
                ).fetchall()
            yield from map(content_of, rows)
            if len(rows) < SCANNED_AT_ONCE:
                return
            last = rows[-1][0]

    def put_vectors(self, content_ids: Sequence[int], vectors: NDArray[np.float16]) -> None:
        """Replace vectors and drop the checkpoints."""
        halves = np.asarray(vectors).astype("<f2")
        with self._branch.writing() as db:
            for content_id, vector in zip(content_ids, halves, strict=True):
                db.execute(
                    "UPDATE content SET vector = ? WHERE id = ?",
                    (vector.tobytes(), int(content_id)),
                )
                if not db.changes():
                    raise NotFound(f"no content {content_id} in this memory", content_id=content_id)
            db.execute("DELETE FROM checkpoint")

    def erase(self, node_ids: Sequence[int]) -> int:
        """Erase contents and images, remember the nodes as forgotten, drop the checkpoints.

        The journal is searched before the writer's lock is taken; what was written meanwhile,
        after.
        """
        ids = np.unique(np.array([int(i) for i in node_ids], np.int64))
        nodes = json.dumps(ids.tolist())
        with self._branch.reading() as db:
            found, last = scrubbed(db, ids, {}, 0)
        with self._branch.writing() as db:
            found, _ = scrubbed(db, ids, found, last)
            replace_scrubbed(db, found, ids)
            db.execute("INSERT OR IGNORE INTO forgotten SELECT value FROM json_each(?)", (nodes,))
            db.execute(
                "DELETE FROM content WHERE node IN (SELECT value FROM json_each(?))", (nodes,)
            )
            erased = db.changes()
            db.execute("DELETE FROM checkpoint")
            self._branch.database.clean_afterwards(db)
        self._branch.database.check_cleaned()
        return erased

    def next_id(self, count: int) -> int:
        """Reserve `count` ids; the first of them."""
        if count < 1:
            raise InvalidInput(f"cannot reserve {count} ids")
        with self._branch.writing() as db:
            return self._branch.database.reserve(db, count)
