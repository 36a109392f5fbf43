"""The log of a branch in SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from mags.errors import InvalidInput, KeyConflict, NotFound
from mags.graph.codec import HEAD, decode, encode, touches
from mags.graph.delta import Delta
from mags.graph.node import Content
from mags.graph.past import Past
from mags.ports.store import Entry
from mags.store.lineage import FOLD, check_reachable, fold_limit, receipt
from mags.store.rows import content_row
from mags.store.sqlite.branch import Branch, read_forgotten, read_forks, read_marks

BATCH_BYTES = 4 << 20
"""Entries are read in steps of about this many encoded bytes."""

FOLDED_AT_ONCE = 1000

LAST = "SELECT max(seq) FROM journal WHERE branch = ?"


class SqliteJournal:
    """The log of one branch."""

    def __init__(self, branch: Branch) -> None:
        """Of that branch."""
        self._branch = branch

    def append(self, delta: Delta) -> int:
        """Commit Delta, its contents and its key; its sequence."""
        data = encode(delta)
        with self._branch.writing() as db:
            if delta.key is not None and self._receipt(db, delta.key) is not None:
                raise KeyConflict(f"key {delta.key} was used before", key=delta.key)
            db.execute(
                "INSERT INTO journal (branch, kind, delta) VALUES (?, ?, ?)",
                (self._branch.id, delta.kind, data),
            )
            seq = db.last_insert_rowid()
            if delta.key is not None:
                db.execute(
                    "INSERT INTO receipt (branch, key, seq) VALUES (?, ?, ?)",
                    (self._branch.id, delta.key, seq),
                )
            if delta.contents:
                _add_contents(db, delta.contents)
        return seq

    def past(self) -> Past:
        """All that ever was, on every branch."""
        with self._branch.reading() as db:
            rows = db.execute("SELECT delta FROM journal ORDER BY seq")
            return Past.of(decode(data) for (data,) in rows)

    def since(self, seq: int) -> Iterator[Entry]:
        """Entries of this branch and its ancestors after `seq`, oldest first."""
        return self._follow(self._batch(seq))

    def _follow(self, batch: list[Entry]) -> Iterator[Entry]:
        while batch:
            yield from batch
            batch = self._batch(batch[-1].seq)

    def _batch(self, seq: int) -> list[Entry]:
        out: list[Entry] = []
        size = 0
        with self._branch.reading() as db:
            _check_reachable(db, self._branch, seq)
            gone = read_forgotten(db)
            for piece in self._branch.pieces:
                segment = piece.segment
                rows = db.execute(
                    "SELECT seq, delta FROM journal WHERE branch = ? AND seq > ? AND seq <= ?"
                    " ORDER BY seq",
                    (piece.branch, max(seq, segment.after), segment.upto),
                )
                for number, data in rows:
                    delta = decode(data).forgetting(gone)
                    out.append(Entry(seq=number, branch=segment.branch, delta=delta))
                    size += len(data)
                    if size > BATCH_BYTES:
                        return out
        return out

    def head(self) -> int:
        """Sequence of the last entry, or the fork point."""
        branch = self._branch
        (last,) = branch.database.look(LAST, (branch.id,)) or (None,)
        return branch.after if last is None else int(last)

    def find_key(self, key: str) -> Delta | None:
        """The Delta written with that key on this branch or before its fork."""
        with self._branch.reading() as db:
            data = self._receipt(db, key)
            return None if data is None else decode(data).forgetting(read_forgotten(db))

    def _receipt(self, db: apsw.Connection, key: str) -> bytes | None:
        for piece in reversed(self._branch.pieces):
            row = db.execute(
                "SELECT ifnull(r.delta, j.delta)"
                " FROM receipt r LEFT JOIN journal j ON j.seq = r.seq"
                " WHERE r.branch = ? AND r.key = ? AND r.seq <= ?",
                (piece.branch, key, piece.segment.upto),
            ).fetchone()
            if row is not None:
                return bytes(row[0])
        return None

    def compact(self, before: int) -> int:
        """Fold entries up to `before` as far as the checkpoint, snapshots and forks allow.

        The work is done on what a reader sees; the writer's lock is held for the exchange only.
        """
        with self._branch.reading() as db:
            folded = self._foldable(db, before)
            if len(folded) < 2:
                return 0
            gone = read_forgotten(db)
            net, receipts = self._fold(db, folded, gone)
        data = encode(net)
        with self._branch.writing() as db:
            forgotten = len(read_forgotten(db)) != len(gone)
            if forgotten or self._foldable(db, folded[-1]) != folded:
                return 0  # an erasure, a snapshot, a fork or another compaction came in between
            db.execute(
                "DELETE FROM journal WHERE branch = ? AND seq < ?", (self._branch.id, folded[-1])
            )
            # The last row stays, so that sequences are never given out twice.
            db.execute(
                "UPDATE journal SET kind = ?, delta = ? WHERE seq = ?", (FOLD, data, folded[-1])
            )
            db.executemany(
                "UPDATE receipt SET delta = ? WHERE branch = ? AND key = ?",
                [(kept, self._branch.id, key) for key, kept in receipts.items()],
            )
        return len(folded) - 1

    def _foldable(self, db: apsw.Connection, before: int) -> list[int]:
        own = self._branch.id
        point = db.execute("SELECT seq FROM checkpoint WHERE branch = ?", (own,)).get
        limit = fold_limit(read_forks(db), self._branch.name, point, read_marks(db))
        rows = db.execute(
            "SELECT seq FROM journal WHERE branch = ? AND seq <= ? ORDER BY seq",
            (own, min(limit, before)),
        )
        return [seq for (seq,) in rows]

    def _fold(
        self, db: apsw.Connection, seqs: Sequence[int], gone: NDArray[np.int64]
    ) -> tuple[Delta, dict[str, bytes]]:
        """The net Delta of entries, and what is kept of those with a key."""
        net: list[Delta] = []
        receipts: dict[str, bytes] = {}
        for start in range(0, len(seqs), FOLDED_AT_ONCE):
            for seq in seqs[start : start + FOLDED_AT_ONCE]:
                delta = decode(db.execute("SELECT delta FROM journal WHERE seq = ?", (seq,)).get)
                if delta.key is not None:
                    receipts[delta.key] = encode(receipt(delta))
                net.append(delta.forgetting(gone))
            net = [Delta.compose(net, FOLD)]
        return net[0], receipts


def read_head(db: apsw.Connection, branch: Branch) -> int:
    """Sequence of the last entry of a branch, or its fork point."""
    last = db.execute(LAST, (branch.id,)).get
    return branch.after if last is None else int(last)


Scrubbed = dict[int, tuple[bytes, bytes]]
"""Entries by sequence: how they began, and what they are without the images in question."""


def scrubbed(
    db: apsw.Connection, ids: NDArray[np.int64], known: Scrubbed, after: int
) -> tuple[Scrubbed, int]:
    """Entries of any branch after a sequence (and all folds) that have images of these nodes,
    without them; and the last one read. `known`: what was found before.
    """
    found = dict(known)
    last = after
    rows = db.execute(
        "SELECT seq, delta FROM journal WHERE seq > ? OR kind = ? ORDER BY seq", (after, FOLD)
    )
    for seq, data in rows:
        last = max(last, seq)
        if seq in known and known[seq][0] == data[: HEAD.size]:
            continue
        if touches(data, ids):
            found[seq] = data[: HEAD.size], encode(decode(data).forgetting(ids))
    return found, last


def replace_scrubbed(db: apsw.Connection, found: Scrubbed, ids: NDArray[np.int64]) -> None:
    """Write scrubbed entries over the old ones; one that changed meanwhile is scrubbed anew."""
    for seq, (head, kept) in found.items():
        # The head holds the checksum.
        db.execute(
            "UPDATE journal SET delta = ? WHERE seq = ? AND substr(delta, 1, ?) = ?",
            (kept, seq, len(head), head),
        )
        if db.changes():
            continue
        data = db.execute("SELECT delta FROM journal WHERE seq = ?", (seq,)).get
        if data is not None:
            kept = encode(decode(data).forgetting(ids))
            db.execute("UPDATE journal SET delta = ? WHERE seq = ?", (kept, seq))


def check_point(db: apsw.Connection, branch: Branch, seq: int) -> None:
    """Raise InvalidInput beyond the head, NotFound inside what was folded."""
    head = read_head(db, branch)
    if not 0 <= seq <= head:
        raise InvalidInput(f"a snapshot lies between 0 and the head, {head}; not at {seq}")
    _check_reachable(db, branch, seq)


def _check_reachable(db: apsw.Connection, branch: Branch, seq: int) -> None:
    for piece in branch.pieces:
        first = db.execute(
            "SELECT seq, kind FROM journal WHERE branch = ? ORDER BY seq LIMIT 1", (piece.branch,)
        ).fetchone()
        fold = first[0] if first is not None and first[1] == FOLD else None
        check_reachable(piece.segment, seq, fold)


def _add_contents(db: apsw.Connection, contents: Sequence[Content]) -> None:
    rows = [content_row(content) for content in contents]
    for _, node, *_ in rows:
        if db.execute("SELECT 1 FROM forgotten WHERE node = ?", (node,)).fetchone():
            raise NotFound(f"node {node} was forgotten", node_id=node)
    try:
        db.executemany("INSERT INTO content VALUES (?, ?, ?, ?, ?)", rows)
    except apsw.ConstraintError as failure:
        raise InvalidInput("one of these contents exists: contents are immutable") from failure
