"""SqliteStore: one memory in one SQLite file, durable when a write returns."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import apsw
import numpy as np
from numpy.typing import NDArray

from mags import errors
from mags.graph.delta import HEAD, Delta, PastGraph, decode, encode, touches
from mags.graph.records import Content
from mags.ports.store import Checkpoint, JournalEntry, Mark
from mags.store import lineage
from mags.store.damage import LOG, bad_page, check_log
from mags.store.database import Database, damaged, leave_alone
from mags.store.lineage import FIRST, FOLD
from mags.store.sql import (
    CLEAR,
    VECTOR,
    Clear,
    Sql,
    SqlDatabase,
    Vector,
    blank_arrays,
    check_checkpoint,
    checksum,
    content_of,
    content_row,
    describe,
    fill,
    parts,
)

if TYPE_CHECKING:  # it needs an extra, which only an encrypted memory has
    from mags.store.sealing import Keyring, Sealer

BATCH_BYTES = 4 << 20
"""Entries are read in steps of about this many encoded bytes."""

FOLDED_AT_ONCE = 1000
"""Entries that `compact` decodes before it composes them with the net of those before."""
SCANNED_AT_ONCE = 2000
"""Contents that one read of `scan` takes."""

# By the index (branch, seq) one look, however long the journal is.
LAST = "SELECT max(seq) FROM journal WHERE branch = ?"

TABLES = (
    *("branch", "journal", "receipt", "content", "tokens", "forgotten", "checkpoint", "part"),
    *("mark", "fact", "counter"),
)
"""All tables of a memory, each after those it refers to."""
TOUCHED = (
    "SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM content)"
    " + (SELECT count(*) FROM mark) + (SELECT count(*) FROM forgotten)"
    " + (SELECT count(*) FROM branch) - 1 + (SELECT count(*) FROM fact) - 1"
)
"""Not 0 where a memory holds more than it was made with."""
COPIED_AT_ONCE = 20
"""Rows, of which each may be a large part of a checkpoint."""

SIZES = {
    "journal": "SELECT count(*) FROM journal",
    "journal_bytes": "SELECT ifnull(sum(length(delta)), 0) FROM journal",
    "contents": "SELECT count(*) FROM content",
    "content_bytes": "SELECT ifnull(sum(octet_length(text) + octet_length(meta)"
    " + ifnull(length(vector), 0)), 0) FROM content",
    "checkpoints": "SELECT count(*) FROM checkpoint",
    "checkpoint_bytes": "SELECT ifnull(sum(length(bytes)), 0) FROM part",
    "forgotten": "SELECT count(*) FROM forgotten",
    "to_clean": "SELECT value FROM counter WHERE name = 'to_clean'",
}

ENTRY, TOKENS = ("journal", "delta"), ("tokens", "bytes")
"""Columns, as the place of a sealed value names them."""

SEALED = "sealed"
"""The fact that names the key of an encrypted memory; it stands in the clear."""

Scrubbed = dict[int, tuple[bytes, bytes]]
"""By sequence: an entry's first bytes as they were read, and the entry without erased images."""


class _SqliteBranch:
    """One branch of an open memory, shared by the four parts of a store.

    `pieces`: for each branch it sees, its number in the memory and the segment it sees of it, the
    oldest ancestor first. Ancestry never changes, so it is read once.
    """

    def __init__(self, database: SqlDatabase, name: str) -> None:
        self._database = database
        self.name = name
        self._closed = False
        with database.reading() as db:
            numbers = {known: number for number, known in read_names(db, self.sealer).items()}
            segments = lineage.lineage(read_forks(db, self.sealer), name)
        self.pieces = tuple((numbers[segment.branch], segment) for segment in segments)
        self.id = self.pieces[-1][0]

    @property
    def sealer(self) -> Sealer | Clear:
        """What the rows of an encrypted memory are sealed with."""
        return self._database.sealer

    @property
    def database(self) -> SqlDatabase:
        """What is open; raises StoreClosed."""
        if self._closed:
            place = self._database.place
            raise errors.StoreClosed(f"{place} was closed: open it again", path=place)
        return self._database

    def head(self) -> int:
        (last,) = self.database.look(LAST, (self.id,)) or (None,)
        return self.pieces[-1][1].after if last is None else int(last)

    def check_reachable(self, db: Sql, seq: int) -> None:
        """Raise NotFound if `seq` lies among folded entries."""
        for number, segment in self.pieces:
            first = db.execute(
                "SELECT seq, kind FROM journal WHERE branch = ? ORDER BY seq LIMIT 1", (number,)
            ).fetchone()
            fold = first[0] if first is not None and first[1] == FOLD else None
            lineage.check_reachable(segment, seq, fold)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._database.release()


def read_names(db: Sql, sealer: Sealer | Clear) -> dict[int, str]:
    """The names of all branches by their numbers, oldest first."""
    rows = db.execute("SELECT id, name FROM branch ORDER BY id")
    return {i: sealer.open_text(name, "branch", "name", i) for i, name in rows}


def read_forks(db: Sql, sealer: Sealer | Clear) -> dict[str, Mark]:
    """All branches by name, oldest first."""
    names = read_names(db, sealer)
    rows = db.execute("SELECT id, ifnull(parent, 0), after, recorded_at FROM branch ORDER BY id")
    return {
        names[i]: Mark(name=names[i], branch=names.get(parent, ""), seq=after, recorded_at=at)
        for i, parent, after, at in rows
    }


def read_marks(db: Sql, sealer: Sealer | Clear) -> list[Mark]:
    """All snapshots of all branches."""
    names = read_names(db, sealer)
    rows = db.execute("SELECT name, branch, seq, recorded_at FROM mark")
    return [
        Mark(
            name=sealer.open_text(name, "mark", "name", branch, seq),
            branch=names[branch],
            seq=seq,
            recorded_at=at,
        )
        for name, branch, seq, at in rows
    ]


def read_forgotten(db: Sql) -> NDArray[np.int64]:
    """Ids of erased nodes, ascending."""
    rows = db.execute("SELECT node FROM forgotten ORDER BY node")
    return np.array([node for (node,) in rows], np.int64)


class _SqlitePart:
    """One part of a SqliteStore; its methods are documented in `mags.ports.store`."""

    def __init__(self, branch: _SqliteBranch) -> None:
        self._branch = branch
        self.sealer = branch.sealer


class _SqliteJournal(_SqlitePart):
    def append(self, delta: Delta) -> int:
        data = encode(delta)
        with self._branch.database.writing() as db:
            if delta.key is not None and self._receipt(db, delta.key) is not None:
                raise errors.KeyConflict(f"key {delta.key} was used before", key=delta.key)
            seq = int(db.execute("SELECT ifnull(max(seq), 0) + 1 FROM journal").get)
            db.execute(
                "INSERT INTO journal VALUES (?, ?, ?, ?)",
                (seq, self._branch.id, delta.kind, self.sealer.seal(data, *ENTRY, seq)),
            )
            if delta.key is not None:
                db.execute(
                    "INSERT INTO receipt (branch, key, seq) VALUES (?, ?, ?)",
                    (self._branch.id, delta.key, seq),
                )
            if delta.contents:
                with self._branch.database.unique():
                    _add_contents(db, delta.contents, self.sealer)
        return seq

    def past(self) -> PastGraph:
        with self._branch.database.reading() as db:
            rows = db.stream("SELECT seq, delta FROM journal ORDER BY seq")
            return PastGraph.of(self._decode(seq, data) for seq, data in rows)

    def _decode(self, seq: int, data: bytes) -> Delta:
        return decode(self.sealer.open(data, *ENTRY, seq))

    def since(self, seq: int) -> Iterator[JournalEntry]:
        return self._follow(self._batch(seq))

    def _follow(self, batch: list[JournalEntry]) -> Iterator[JournalEntry]:
        # A read for each batch: an iteration that nobody finishes must not hold up a cleaning.
        while batch:
            yield from batch
            batch = self._batch(batch[-1].seq)

    def _batch(self, seq: int) -> list[JournalEntry]:
        out: list[JournalEntry] = []
        size = 0
        with self._branch.database.reading() as db:
            self._branch.check_reachable(db, seq)
            gone = read_forgotten(db)
            for branch, segment in self._branch.pieces:
                rows = db.stream(
                    "SELECT seq, delta FROM journal WHERE branch = ? AND seq > ? AND seq <= ?"
                    " ORDER BY seq",
                    (branch, max(seq, segment.after), segment.upto),
                )
                with closing(rows):
                    for number, data in rows:
                        delta = self._decode(number, data).forgetting(gone)
                        out.append(JournalEntry(seq=number, branch=segment.branch, delta=delta))
                        size += len(data)
                        if size > BATCH_BYTES:
                            return out
        return out

    def head(self) -> int:
        return self._branch.head()

    def find_key(self, key: str) -> Delta | None:
        with self._branch.database.reading() as db:
            data = self._receipt(db, key)
            return None if data is None else decode(data).forgetting(read_forgotten(db))

    def _receipt(self, db: Sql, key: str) -> bytes | None:
        # A folded entry's receipt carries what is left of its Delta; else the journal has it.
        for branch, segment in reversed(self._branch.pieces):
            row = db.execute(
                "SELECT r.delta, j.delta, r.seq"
                " FROM receipt r LEFT JOIN journal j ON j.seq = r.seq"
                " WHERE r.branch = ? AND r.key = ? AND r.seq <= ?",
                (branch, key, segment.upto),
            ).fetchone()
            if row is not None and row[0] is not None:
                return self.sealer.open(row[0], "receipt", "delta", branch, key)
            if row is not None:
                return self.sealer.open(row[1], *ENTRY, row[2])
        return None

    def compact(self, before: int) -> int:
        # Composing takes long, so it works on what a reader sees. The writer's lock is held for
        # the exchange only.
        own = self._branch.id
        with self._branch.database.reading() as db:
            folded = self._foldable(db, before)
            if len(folded) < 2:
                return 0
            gone = read_forgotten(db)
            net, receipts = self._fold(db, folded, gone)
        last = folded[-1]
        data = self.sealer.seal(encode(net), *ENTRY, last)
        with self._branch.database.writing() as db:
            forgotten = len(read_forgotten(db)) != len(gone)
            if forgotten or self._foldable(db, last) != folded:
                return 0  # an erasure, a snapshot, a fork or another compaction came in between
            db.execute("DELETE FROM journal WHERE branch = ? AND seq < ?", (own, last))
            # The last row stays: SQLite hands out sequences above the greatest one there is.
            db.execute("UPDATE journal SET kind = ?, delta = ? WHERE seq = ?", (FOLD, data, last))
            db.executemany(
                "UPDATE receipt SET delta = ? WHERE branch = ? AND key = ?",
                [
                    (self.sealer.seal(kept, "receipt", "delta", own, key), own, key)
                    for key, kept in receipts.items()
                ],
            )
        return len(folded) - 1

    def _foldable(self, db: Sql, before: int) -> list[int]:
        own = self._branch.id
        point = db.execute("SELECT seq FROM checkpoint WHERE branch = ?", (own,)).get
        forks, marks = read_forks(db, self.sealer), read_marks(db, self.sealer)
        limit = lineage.fold_limit(forks, self._branch.name, point, marks)
        rows = db.execute(
            "SELECT seq FROM journal WHERE branch = ? AND seq <= ? ORDER BY seq",
            (own, min(limit, before)),
        )
        return [seq for (seq,) in rows]

    def _fold(
        self, db: Sql, seqs: Sequence[int], gone: NDArray[np.int64]
    ) -> tuple[Delta, dict[str, bytes]]:
        """The net Delta of some entries, and by key the receipts of those that have one."""
        net: list[Delta] = []
        receipts: dict[str, bytes] = {}
        for start in range(0, len(seqs), FOLDED_AT_ONCE):
            for seq in seqs[start : start + FOLDED_AT_ONCE]:
                data = db.execute("SELECT delta FROM journal WHERE seq = ?", (seq,)).get
                delta = self._decode(seq, data)
                if delta.key is not None:
                    receipts[delta.key] = encode(lineage.receipt(delta))
                net.append(delta.forgetting(gone))
            net = [Delta.compose(net, FOLD)]
        return net[0], receipts


def _add_contents(db: Sql, contents: Sequence[Content], sealer: Sealer | Clear) -> None:
    rows = [content_row(content, sealer) for content in contents]
    gone = db.execute(
        "SELECT node FROM forgotten WHERE node IN (SELECT value FROM json_each(?)) LIMIT 1",
        (json.dumps([node for _, node, *_ in rows]),),
    ).get
    if gone is not None:
        raise errors.NotFound(f"node {gone} was forgotten", node_id=gone)
    db.executemany("INSERT INTO content VALUES (?, ?, ?, ?, ?)", rows)
    _put_tokens(db, [(content.id, content.tokens) for content in contents], sealer)


def _put_tokens(db: Sql, rows: Iterable[tuple[int, bytes]], sealer: Sealer | Clear) -> None:
    kept = [(i, sealer.seal(data, *TOKENS, i)) for i, data in rows if data]
    if kept:
        db.executemany("INSERT INTO tokens VALUES (?, ?)", kept)


class _SqliteContents(_SqlitePart):
    def get(self, content_ids: Sequence[int]) -> list[Content]:
        wanted = [int(i) for i in content_ids]
        with self._branch.database.reading(one=True) as db:
            rows = db.execute(
                "SELECT id, node, text, meta FROM content"
                " WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(wanted),),
            )
            found = {row[0]: content_of(row, self.sealer) for row in rows}
        missing = next((i for i in wanted if i not in found), None)
        if missing is not None:
            raise errors.NotFound(f"no content {missing} in this memory", content_id=missing)
        return [found[i] for i in wanted]

    def tokens(self, content_ids: Sequence[int]) -> list[bytes]:
        wanted = [int(i) for i in content_ids]
        found: dict[int, bytes] = {}
        with self._branch.database.reading(one=True) as db:
            found.update(
                db.execute(
                    "SELECT content, bytes FROM tokens"
                    " WHERE content IN (SELECT value FROM json_each(?))",
                    (json.dumps(wanted),),
                )
            )
        opened = self.sealer.open
        return [opened(found[i], *TOKENS, i) if i in found else b"" for i in wanted]

    def scan(self, node_ids: Iterable[int] | None = None) -> Iterator[Content]:
        nodes = [] if node_ids is None else [json.dumps([int(i) for i in node_ids])]
        chosen = "AND node IN (SELECT value FROM json_each(?))" if nodes else ""
        last: int = -(2**63)
        while True:
            values = (last, *nodes, SCANNED_AT_ONCE)
            with self._branch.database.reading(one=True) as db:
                rows: list[tuple[Any, ...]] = db.execute(
                    f"SELECT id, node, text, meta, vector FROM content WHERE id > ? {chosen}"
                    " ORDER BY id LIMIT ?",
                    values,
                ).fetchall()
            yield from (content_of(row, self.sealer) for row in rows)
            if len(rows) < SCANNED_AT_ONCE:
                return
            last = rows[-1][0]

    def put_vectors(
        self, content_ids: Sequence[int], vectors: NDArray[np.float16], tokens: Sequence[bytes]
    ) -> None:
        halves = np.asarray(vectors).astype("<f2")
        ids = [int(i) for i in content_ids]
        with self._branch.database.writing() as db:
            for content_id, vector in zip(ids, halves, strict=True):
                data = self.sealer.seal(Vector(vector.tobytes()), *VECTOR, content_id)
                db.execute("UPDATE content SET vector = ? WHERE id = ?", (data, content_id))
                if not db.changes():
                    raise errors.NotFound(
                        f"no content {content_id} in this memory", content_id=content_id
                    )
            db.executemany("DELETE FROM tokens WHERE content = ?", [(i,) for i in ids])
            _put_tokens(db, zip(ids, tokens, strict=True), self.sealer)
            db.execute("DELETE FROM checkpoint")

    def erase(self, node_ids: Sequence[int]) -> int:
        # Searching the journal takes long, so it is done before the writer's lock is taken. Entries
        # that were written meanwhile are searched under the lock.
        ids = np.unique(np.array([int(i) for i in node_ids], np.int64))
        nodes = json.dumps(ids.tolist())
        with self._branch.database.reading() as db:
            found, last = scrubbed(db, ids, {}, 0, self.sealer)
        with self._branch.database.erasing() as db:
            found, _ = scrubbed(db, ids, found, last, self.sealer)
            replace_scrubbed(db, found, ids, self.sealer)
            # "WHERE true" tells SQLite that no join comes after the table.
            db.execute(
                "INSERT INTO forgotten SELECT value FROM json_each(?) WHERE true"
                " ON CONFLICT DO NOTHING",
                (nodes,),
            )
            db.execute(
                "DELETE FROM content WHERE node IN (SELECT value FROM json_each(?))", (nodes,)
            )
            erased = db.changes()
            db.execute("DELETE FROM checkpoint")
        return erased

    def next_id(self, count: int) -> int:
        if count < 1:
            raise errors.InvalidInput(f"cannot reserve {count} ids", field="count", given=count)
        return self._branch.database.reserve(count)


def scrubbed(
    db: Sql,
    ids: NDArray[np.int64],
    known: Scrubbed,
    after: int,
    sealer: Sealer | Clear = CLEAR,
) -> tuple[Scrubbed, int]:
    """Entries that hold images of these nodes, with the images taken out; and the last one read.

    Reads the entries of all branches after sequence `after`, and every fold, since a fold replaces
    an entry under an old sequence. `known`: what an earlier call found.
    """
    found = dict(known)
    last = after
    rows = db.stream(
        "SELECT seq, delta FROM journal WHERE seq > ? OR kind = ? ORDER BY seq", (after, FOLD)
    )
    for seq, data in rows:
        last = max(last, seq)
        # The head holds a checksum of the body, that of a sealed entry the random nonce: the same
        # head is the same entry.
        if seq in known and known[seq][0] == data[: HEAD.size]:
            continue
        entry = sealer.open(data, *ENTRY, seq)
        if touches(entry, ids):
            kept = encode(decode(entry).forgetting(ids))
            found[seq] = data[: HEAD.size], sealer.seal(kept, *ENTRY, seq)
    return found, last


def replace_scrubbed(
    db: Sql, found: Scrubbed, ids: NDArray[np.int64], sealer: Sealer | Clear = CLEAR
) -> None:
    """Write scrubbed entries over the old ones; scrub again what changed meanwhile."""
    for seq, (head, kept) in found.items():
        # Only where the head, and so its checksum, is still the one that was read.
        db.execute(
            "UPDATE journal SET delta = ? WHERE seq = ? AND substr(delta, 1, ?) = ?",
            (kept, seq, len(head), head),
        )
        if db.changes():
            continue
        data = db.execute("SELECT delta FROM journal WHERE seq = ?", (seq,)).get
        if data is not None:
            entry = decode(sealer.open(data, *ENTRY, seq))
            kept = sealer.seal(encode(entry.forgetting(ids)), *ENTRY, seq)
            db.execute("UPDATE journal SET delta = ? WHERE seq = ?", (kept, seq))


class _SqlitePoints(_SqlitePart):
    def save(self, checkpoint: Checkpoint) -> None:
        own = self._branch.id
        place = ("checkpoint", "arrays", own, checkpoint.seq, checkpoint.tick)
        arrays = self.sealer.seal_text(describe(checkpoint.arrays), *place)
        with self._branch.database.writing() as db:
            head = self._branch.head()
            check_checkpoint(checkpoint, self._branch.name, head, read_forgotten(db))
            values = (checkpoint.seq, checkpoint.tick, arrays, own)
            db.execute(
                "UPDATE checkpoint SET seq = ?, tick = ?, arrays = ? WHERE branch = ?", values
            )
            if not db.changes():
                db.execute(
                    "INSERT INTO checkpoint (seq, tick, arrays, branch) VALUES (?, ?, ?, ?)", values
                )
            for number, array in enumerate(checkpoint.arrays.values()):
                _replace(db, own, number, array, self.sealer)
            db.execute(
                "DELETE FROM part WHERE branch = ? AND array >= ?", (own, len(checkpoint.arrays))
            )

    def load(self) -> Checkpoint | None:
        with self._branch.database.reading() as db:
            # The branch's own checkpoint is the newest; an ancestor's counts up to the fork.
            for branch, segment in reversed(self._branch.pieces):
                row = db.execute(
                    "SELECT seq, tick, arrays FROM checkpoint WHERE branch = ? AND seq <= ?",
                    (branch, segment.upto),
                ).fetchone()
                if row is not None:
                    seq, tick, description = row
                    place = ("checkpoint", "arrays", branch, seq, tick)
                    arrays = blank_arrays(self.sealer.open_text(description, *place))
                    _fill_all(db, branch, list(arrays.values()), self.sealer)
                    return Checkpoint(seq=seq, branch=segment.branch, tick=tick, arrays=arrays)
        return None

    def mark(self, name: str, seq: int, recorded_at: float) -> Mark:
        lineage.check_name(name, "a snapshot")
        with self._branch.database.writing() as db:
            lineage.check_seq(seq, self._branch.head())
            self._branch.check_reachable(db, seq)
            own = self._branch.id
            held = db.execute("SELECT name, seq FROM mark WHERE branch = ?", (own,)).fetchall()
            # One by one, as the same name is sealed another way each time.
            old = [
                (own, one)
                for one, at in held
                if self.sealer.open_text(one, "mark", "name", own, at) == name
            ]
            db.executemany("DELETE FROM mark WHERE branch = ? AND name = ?", old)
            stored = self.sealer.seal_text(name, "mark", "name", own, seq)
            db.execute("INSERT INTO mark VALUES (?, ?, ?, ?)", (own, stored, seq, recorded_at))
        return Mark(name=name, branch=self._branch.name, seq=seq, recorded_at=recorded_at)

    def marks(self) -> list[Mark]:
        with self._branch.database.reading() as db:
            marks = read_marks(db, self.sealer)
            return lineage.in_sight(marks, (segment for _, segment in self._branch.pieces))


def _replace(
    db: Sql, branch: int, number: int, array: NDArray[Any], sealer: Sealer | Clear
) -> None:
    """Store one array of a checkpoint, writing only the parts that have changed.

    Vectors make up most of a checkpoint and seldom change.
    """
    held: list[Any] = db.execute(
        "SELECT id, checksum FROM part WHERE branch = ? AND array = ? ORDER BY id", (branch, number)
    ).fetchall()
    count = 0
    for count, part in enumerate(parts(array), start=1):
        place = ("part", "bytes", branch, number, count)
        # The checksum is of what is stored, so of a sealed part it does not tell the same bytes.
        told = None if sealer.encrypts else checksum(part)
        if count <= len(held):
            part_id, known = held[count - 1]
            if told in (None, known) and _same(db, part_id, part, sealer, place):
                continue
        data = sealer.seal(part, *place)
        total = checksum(data) if told is None else told
        if count > len(held):
            db.execute(
                "INSERT INTO part (branch, array, checksum, bytes) VALUES (?, ?, ?, ?)",
                (branch, number, total, data),
            )
        else:
            db.execute(
                "UPDATE part SET checksum = ?, bytes = ? WHERE id = ?", (total, data, part_id)
            )
    db.executemany("DELETE FROM part WHERE id = ?", [(part_id,) for part_id, _ in held[count:]])


def _same(
    db: Sql,
    part_id: int,
    part: memoryview,
    sealer: Sealer | Clear,
    place: tuple[object, ...],
) -> bool:
    """Whether a part is stored already, byte for byte: its checksum does not see every swap."""
    held = db.execute("SELECT bytes FROM part WHERE id = ?", (part_id,)).get
    try:
        held = sealer.open(held, *place)
    except errors.CorruptFile:
        return False  # it is replaced
    return np.array_equal(np.frombuffer(held, np.uint8), np.frombuffer(part, np.uint8))


def _fill_all(db: Sql, branch: int, arrays: list[NDArray[np.void]], sealer: Sealer | Clear) -> None:
    ends, counts = [0] * len(arrays), [0] * len(arrays)
    rows = db.execute(
        "SELECT array, checksum, bytes FROM part WHERE branch = ? ORDER BY id", (branch,)
    )
    for number, expected, part in rows:
        if sealer.encrypts:
            # What opens is whole. The checksum is for who looks at the file without its key.
            counts[number] += 1
            part = sealer.open(part, "part", "bytes", branch, number, counts[number])
            expected = checksum(part)
        ends[number] = fill(arrays[number], ends[number], part, expected)
    if any(end != array.nbytes for end, array in zip(ends, arrays, strict=True)):
        raise errors.CorruptFile("a checkpoint lacks a part; it can be rebuilt from the journal")


class _SqliteFacts(_SqlitePart):
    def get(self, name: str) -> str | None:
        row = self._branch.database.look("SELECT value FROM fact WHERE name = ?", (name,))
        if row is None:
            return None
        return self.sealer.open_text(str(row[0]), "fact", "value", name)

    def put(self, name: str, value: str) -> None:
        stored = self.sealer.seal_text(value, "fact", "value", name)
        with self._branch.database.writing() as db:
            db.execute("DELETE FROM fact WHERE name = ?", (name,))
            db.execute("INSERT INTO fact VALUES (?, ?)", (name, stored))

    def branches(self) -> list[Mark]:
        with self._branch.database.reading() as db:
            return list(read_forks(db, self.sealer).values())

    def forgotten(self) -> NDArray[np.int64]:
        with self._branch.database.reading(one=True) as db:
            return read_forgotten(db)

    def size(self) -> Mapping[str, int]:
        with self._branch.database.reading() as db:
            out = {name: int(db.execute(sql).get) for name, sql in SIZES.items()}
        out["bytes"] = self._branch.database.bytes(out)
        return out | {"encrypted": 1} if self.sealer.encrypts else out


def _rows(db: Sql, table: str) -> Iterator[tuple[Any, ...]]:
    return db.stream(f"SELECT * FROM {table} ORDER BY 1")


def _digest(db: Sql, table: str) -> int:
    """A sum over all rows, in whatever order they come."""
    total = 0
    for row in _rows(db, table):
        one = hashlib.blake2b(digest_size=16)
        for value in row:
            one.update(value if isinstance(value, bytes) else repr(value).encode())
            one.update(b"\0")
        total += int.from_bytes(one.digest())
    return total


def _copy(db: Sql, new: Sql, table: str, sealer: Sealer | Clear) -> int:
    count, rows = 0, _rows(db, table)
    if table == "content" and not sealer.encrypts:
        rows = ((*row, None if held is None else Vector(held)) for *row, held in rows)
    while batch := list(islice(rows, COPIED_AT_ONCE)):
        places = ", ".join("?" * len(batch[0]))
        new.executemany(f"INSERT INTO {table} VALUES ({places})", batch)
        count += len(batch)
    return count


class SqlStore:
    """A store on a database that speaks SQL; a subclass opens it."""

    def __init__(self, branch: _SqliteBranch) -> None:
        """Of an open branch; `open` is the way in."""
        self._branch = branch
        self.journal = _SqliteJournal(branch)
        self.contents = _SqliteContents(branch)
        self.points = _SqlitePoints(branch)
        self.facts = _SqliteFacts(branch)

    @classmethod
    def on(
        cls,
        database: SqlDatabase,
        branch: str,
        keyring: Keyring | None = None,
        *,
        read_only: bool = False,
    ) -> Self:
        """A store on a branch; lets go of the database where there is no such branch, or no key."""
        with ExitStack() as undo:
            undo.callback(database.release)
            if not database.sealer.encrypts:  # else of another branch
                database.sealer = _sealer(database, keyring, read_only=read_only)
            store = cls(_SqliteBranch(database, branch))
            undo.pop_all()
        return store

    @property
    def branch(self) -> str:
        """Name of this branch."""
        return self._branch.name

    def fork(self, name: str, recorded_at: float = 0.0) -> Self:
        """A store on a new branch that begins at this branch's head."""
        lineage.check_name(name, "a branch")
        with self._branch.database.writing() as db:
            sealer = self._branch.sealer
            lineage.check_free(name, read_forks(db, sealer))
            number = int(db.execute("SELECT max(id) + 1 FROM branch").get)
            stored = sealer.seal_text(name, "branch", "name", number)
            db.execute(
                "INSERT INTO branch VALUES (?, ?, ?, ?, ?)",
                (number, stored, self._branch.id, self._branch.head(), recorded_at),
            )
            return self.on(self._branch.database.share(), name)

    def writing(self) -> AbstractContextManager[object]:
        """Hold the writer's lock for one transaction of many writes."""
        return self._branch.database.writing()

    def copy_to(self, other: SqlStore) -> dict[str, int]:
        """Copy all of this memory to a new one, in one transaction of each; rows by table.

        What was written is read again and compared. Raises InvalidInput where `other` holds
        something, StoreError.
        """
        with self._branch.database.writing() as db, other._branch.database.writing() as new:
            if new.execute(TOUCHED).get:
                raise errors.InvalidInput(
                    "what a memory is moved to must be new: name another place"
                )
            # Its rows are what they are there, sealed or not.
            other._branch.database.sealer = sealer = self._branch.sealer
            for table in reversed(TABLES):
                new.execute(f"DELETE FROM {table}")
            copied = {table: _copy(db, new, table, sealer) for table in TABLES}
            for table in TABLES:
                if _digest(db, table) != _digest(new, table):
                    raise errors.StoreError(f"{table} was not kept as it is: nothing was moved")
        return copied

    def check(self) -> None:
        """Read and verify every entry, and the checkpoint; raises CorruptFile."""
        with self._branch.database.reading() as db:
            for seq, data in db.stream("SELECT seq, delta FROM journal"):
                decode(self._branch.sealer.open(data, *ENTRY, seq))
        self.points.load()

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
        self._branch.close()


class SqliteStore(SqlStore):
    """The durable store: once a writing method returns, its write survives a kill and a power cut.

    One file in write-ahead mode, synced at each commit. Any thread may use it: writes take
    turns, and reads run beside them on connections of their own. A forked process has to open
    the file again; a store that it inherits raises StoreError.
    """

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        branch: str = FIRST,
        wait_s: float = 5.0,
        read_only: bool = False,
        keyring: Keyring | None = None,
    ) -> SqliteStore:
        """Open a memory; a missing file is created, unless `read_only`.

        `wait_s`: seconds to wait for another writer before StoreBusy; `keyring`: where the key of
        an encrypted memory is, and that of a new one will be. Raises StoreError
        (no folder, no permission), CorruptFile (foreign, truncated, damaged), NewerSchema,
        MissingKey, NotFound (no such branch), InvalidInput (`wait_s` is negative or no number).
        """
        if not (isinstance(wait_s, int | float) and 0 <= wait_s <= threading.TIMEOUT_MAX):
            raise errors.InvalidInput(
                f"wait_s is how many seconds to wait, 0 or more, not {wait_s!r}",
                field="wait_s",
                given=wait_s,
            )
        database = Database(Path(path), wait_s=wait_s, read_only=read_only)
        return cls.on(database, branch, keyring, read_only=read_only)

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._branch.database.place)

    def check(self) -> None:
        """Read and verify the whole file, every entry and checkpoint; raises CorruptFile."""
        with self._branch.database.reading() as db:
            found = db.execute("PRAGMA integrity_check(1)").get
            if found != "ok":
                raise damaged(self.path, str(found))
            broken = db.execute("PRAGMA foreign_key_check").fetchone()
            if broken is not None:
                raise damaged(self.path, f"a row of {broken[0]} refers to nothing")
            page = bad_page(cast(apsw.Connection, db), self.path)
            if page is not None:
                raise damaged(self.path, f"the checksum of page {page} differs")
        super().check()


def key_of(path: Path) -> str | None:
    """`sealed_by` of a file, which may be a backup and is only read."""
    database = Database(path, wait_s=5.0, read_only=True)
    try:
        return sealed_by(database)
    finally:
        database.release()


def sealed_by(database: SqlDatabase) -> str | None:
    """The id of an encrypted memory, by which its key is named; None where it is not encrypted.

    Needs no key; raises StoreError.
    """
    row = database.look("SELECT value FROM fact WHERE name = ?", (SEALED,))
    return None if row is None else str(row[0])


def _sealer(database: SqlDatabase, keyring: Keyring | None, *, read_only: bool) -> Sealer | Clear:
    """The sealer of an encrypted memory, and of one that nothing was written to yet."""
    memory, place = sealed_by(database), database.place
    fresh = memory is None and keyring is not None and database.look(TOUCHED, ()) == (0,)
    if keyring is not None and fresh and not read_only:
        with database.writing() as db:
            memory = sealed_by(database)  # another process may have been faster
            if memory is None and not db.execute(TOUCHED).get:
                if Path(place).absolute().parent == keyring.folder.absolute():
                    raise errors.ConfigurationError(
                        f"the keys would lie beside {place}, and go with it into every backup: "
                        "name another folder (encryption.keys, MAGS_KEYS)",
                        key="encryption.keys",
                    )
                return _encrypt(db, keyring)
    if memory is None:
        if keyring is not None:
            LOG.warning("%s is not encrypted: it was made before encryption was set", place)
        return CLEAR
    if keyring is None:
        raise errors.MissingKey(
            f"{place} is encrypted: say where its key is (encryption.master and encryption.keys, "
            "or MAGS_MASTER_KEY and MAGS_KEYS)",
            path=place,
        )
    return keyring.sealer(memory)


def _encrypt(db: Sql, keyring: Keyring) -> Sealer:
    """Make a key for a new memory, and seal what the schema has put in it."""
    # Durable before the memory says that it is sealed: a key without a memory does no harm.
    memory, sealer = keyring.make()
    db.execute("INSERT INTO fact VALUES (?, ?)", (SEALED, memory))
    # A new secret: the one of the schema has been in the file in the clear.
    secret = sealer.seal_text(secrets.token_hex(16), "fact", "value", "secret")
    db.execute("UPDATE fact SET value = ? WHERE name = 'secret'", (secret,))
    first = sealer.seal_text(FIRST, "branch", "name", 1)
    db.execute("UPDATE branch SET name = ? WHERE id = 1", (first,))
    return sealer


def verify(path: Path, keyring: Keyring | None = None) -> None:
    """Read and verify a memory that this process does not have open, with its log.

    Raises CorruptFile where anything differs, StoreError where it cannot be opened.
    """
    check_log(path, strict=True)
    closed = not Path(f"{path}-wal").exists()
    try:
        with closing(SqliteStore.open(path, read_only=True, keyring=keyring)) as store:
            store.check()
    finally:
        if closed and path.exists():
            leave_alone(path)
