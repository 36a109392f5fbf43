"""Writers of several processes and threads, full disks, and what erasing leaves."""

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import apsw
import numpy as np
import pytest

from mags.errors import StoreBusy, StoreFull
from mags.graph.delta import decode, touches
from mags.ports.store import Checkpoint
from mags.store import database, sql
from mags.store.sqlite import SqliteStore, replace_scrubbed, scrubbed
from tests.store.samples import checkpoint, note, seqs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mags"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(path, wait_s=0.2)
    yield store
    store.close()


def hold(path: Path, ready: Connection) -> None:
    """In another process: hold the writer's lock until told to go on, then write."""
    store = SqliteStore.open(path)
    with store.writing():
        ready.send(os.getpid())
        ready.recv()
        store.journal.append(note(100))
    store.close()
    ready.send("done")


@pytest.fixture
def holder(store: SqliteStore, path: Path) -> Iterator[tuple[Connection, int]]:
    """A process that holds the writer's lock, and its id."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=hold, args=(path, there))
    process.start()
    yield here, here.recv()
    process.kill()
    process.join()


def test_a_second_writer_is_told_who_holds_the_lock(store: SqliteStore, holder):
    other, pid = holder
    with pytest.raises(StoreBusy, match=r"more than 0\.2 s") as caught:
        store.journal.append(note(1))
    if Path("/proc/locks").exists():
        assert caught.value.pid == pid
        assert f"process {pid} " in str(caught.value)
    assert seqs(store) == []
    other.send("go on")
    assert other.recv() == "done"
    assert store.journal.append(note(1)) == 2
    assert seqs(store) == [1, 2]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system tells no holders")
def test_a_writer_of_the_same_process_is_no_process_to_end(store: SqliteStore, path: Path):
    beside = apsw.Connection(str(path))
    beside.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match=r"^another thread has been writing .* 0\.2 s$") as caught:
        store.journal.append(note(1))
    assert caught.value.pid == os.getpid()
    beside.execute("ROLLBACK")
    assert store.journal.append(note(1)) == 1


def test_a_writer_waits_for_its_turn(path: Path, holder):
    other, _ = holder
    patient = SqliteStore.open(path, wait_s=10)
    threading.Timer(0.3, other.send, ["go on"]).start()
    assert patient.journal.append(note(1)) == 2
    patient.close()


def test_readers_are_never_blocked(store: SqliteStore, path: Path, holder):
    assert seqs(store) == []
    reader = SqliteStore.open(path, read_only=True, wait_s=0)
    assert seqs(reader) == []
    assert list(reader.contents.scan()) == []
    reader.close()


def test_a_reader_in_another_thread_sees_the_last_commit(store: SqliteStore):
    store.journal.append(note(1))
    meanwhile = []
    with store.writing():
        store.journal.append(note(2))
        reader = threading.Thread(target=lambda: meanwhile.append(seqs(store)))
        reader.start()
        reader.join(timeout=5)
        assert seqs(store) == [1, 2]
    assert meanwhile == [[1]]


def test_a_second_thread_waits_no_longer_than_told(store: SqliteStore):
    failures = []

    def write() -> None:
        try:
            store.journal.append(note(1))
        except StoreBusy as failure:
            failures.append(failure)

    with store.writing():
        writer = threading.Thread(target=write)
        writer.start()
        writer.join(timeout=5)
    assert [failure.pid for failure in failures] == [os.getpid()]
    assert "another thread" in str(failures[0])


def test_processes_catch_up_by_sequence(store: SqliteStore, path: Path):
    other = SqliteStore.open(path)
    assert [place.journal.append(note(i)) for i, place in enumerate((store, other, store), 1)] == [
        1,
        2,
        3,
    ]
    assert seqs(other, 1) == seqs(store, 1) == [2, 3]
    other.close()


def test_an_unfinished_iteration_holds_up_no_erasure(store: SqliteStore):
    for i in (1, 2, 3):
        store.journal.append(note(i, "a word"))
    entries, contents = store.journal.since(0), store.contents.scan()
    next(entries), next(contents)
    assert store.contents.erase([3]) == 1


def test_many_processes_make_the_same_memory_at_once(path: Path, root: Path):
    script = (
        "import sys; from mags.store.sqlite import SqliteStore as S; s = S.open(sys.argv[1]);"
        "print(s.facts.get('secret'), s.contents.next_id(10)); s.close()"
    )
    command = [sys.executable, "-c", script, str(path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) for _ in range(3)]
    said = [process.communicate(timeout=60)[0].split() for process in processes]
    assert len({secret for secret, _ in said}) == 1
    assert sorted(int(first) for _, first in said) == [1, 11, 21]


# -- full disks ------------------------------------------------------------------


def fill(store: SqliteStore, nodes: Iterator[int]) -> int:
    """Write until the disk is full; how many were acknowledged."""
    count = 0
    while True:
        node = next(nodes)
        try:
            store.journal.append(note(node, f"zebrafish {node} " * 500, key=f"k{node}"))
        except StoreFull as failure:
            assert "free some space" in str(failure)  # noqa: PT017 (the loop ends here)
            return count
        count += 1


def test_a_log_that_goes_while_it_is_looked_at_was_empty(path: Path, monkeypatch):
    """Another thread that closes the memory removes its log between any two looks at it."""
    monkeypatch.setattr(Path, "exists", lambda _: True)
    database.make(path, 1.0)
    store = SqliteStore.open(path)
    assert store.facts.size()["bytes"] >= path.stat().st_size
    store.close()


def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(
    store: SqliteStore, path: Path
):
    writer = store._branch.database._writer
    writer.pragma("max_page_count", writer.pragma("page_count") + 30)
    nodes = iter(range(1, 1000))
    count = fill(store, nodes)
    assert count > 5
    assert seqs(store) == list(range(1, count + 1))
    assert len(list(store.contents.scan())) == count
    with pytest.raises(StoreFull):
        store.points.save(checkpoint(store, 1, *range(9999)))
    assert store.points.load() is None
    writer.pragma("max_page_count", 2**30)
    assert store.journal.append(note(next(nodes), "room again")) == count + 1
    store.check()


def test_a_full_disk_in_a_block_undoes_the_block_but_not_its_ids(store: SqliteStore):
    store.journal.append(note(1))
    writer = store._branch.database._writer
    writer.pragma("max_page_count", writer.pragma("page_count") + 5)
    taken = []

    def write() -> None:
        with store.writing():
            taken.append(store.contents.next_id(50))
            store.journal.append(note(2, "small"))
            store.journal.append(note(3, "x" * 10**6))

    with pytest.raises(StoreFull):
        write()
    assert seqs(store) == [1]
    writer.pragma("max_page_count", 2**30)
    assert store.contents.next_id(1) == taken[0] + 50


def test_a_small_file_system_that_fills_up_loses_nothing(tmp_path: Path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(tmp_path)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        path = tmp_path / "a.mags"
        store = SqliteStore.open(path)
        count = fill(store, iter(range(1, 10_000)))
        assert count > 10
        store.close()
        again = SqliteStore.open(path)
        again.check()
        assert seqs(again) == list(range(1, count + 1))
        again.close()
    finally:
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)


# -- erasing ---------------------------------------------------------------------


def on_disk(path: Path) -> bytes:
    files = [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]
    return b"".join(file.read_bytes() for file in files if file.exists())


def secret_of(number: int) -> bytes:
    return f"quokka-{number:04d}".encode()


def test_an_erased_word_is_in_none_of_the_files(store: SqliteStore, path: Path):
    for i in range(1, 200):
        store.journal.append(note(i, secret_of(i).decode() * (i % 90 + 1)))
    child = store.fork("child")
    for place in (store, child):
        place.points.save(checkpoint(place, 199, *range(200)))
    child.close()
    vector = next(store.contents.scan([7])).vector.tobytes()
    assert secret_of(7) in on_disk(path)
    assert vector in on_disk(path)
    assert store.contents.erase([7, 8, 150]) == 3
    left = on_disk(path)
    assert not any(secret_of(i) in left for i in (7, 8, 150))
    assert vector not in left
    assert all(secret_of(i) in left for i in (6, 9, 149, 151))
    assert Path(f"{path}-wal").stat().st_size < 10_000
    store.check()


def test_an_erased_node_has_no_image_left_in_the_journal(store: SqliteStore, path: Path):
    for i in range(1, 40):
        store.journal.append(note(i, after=i // 2))
    store.points.save(checkpoint(store, 30))
    store.journal.compact(30)
    child = store.fork("child")
    child.journal.append(note(40, after=7))
    child.close()
    store.contents.erase([7, 35])
    db = apsw.Connection(str(path))
    deltas = [decode(data) for (data,) in db.execute("SELECT delta FROM journal")]
    db.close()
    assert len(deltas) == 11
    for delta in deltas:
        assert not {7, 35} & set(delta.nodes.after["id"].tolist())
        ends = [*delta.arcs.after["src"].tolist(), *delta.arcs.after["dst"].tolist()]
        assert not {7, 35} & set(ends)
    made = [i for delta in deltas for i in delta.nodes.created()["id"].tolist()]
    assert sorted(made) == [i for i in range(1, 41) if i not in (7, 35)]


def test_what_was_written_while_the_journal_was_searched_is_scrubbed_too(
    store: SqliteStore, path: Path
):
    for i in (1, 2, 3):
        store.journal.append(note(i, after=i - 1))
    ids = np.array([2])
    with store._branch.database.reading() as db:
        found, last = scrubbed(db, ids, {}, 0)
    assert (sorted(found), last) == ([2, 3], 3)
    store.journal.append(note(4, after=2))
    store.points.save(checkpoint(store, 3))
    store.journal.compact(3)
    with store._branch.database.writing() as db:
        later, _ = scrubbed(db, ids, found, last)
        replace_scrubbed(db, later, ids)
    assert not any(touches(data, ids) for data in deltas_of(path) if decode(data).nodes.has.any())
    assert [len(decode(data).arcs) for data in deltas_of(path)] == [0, 0]


def deltas_of(path: Path) -> list[bytes]:
    db = apsw.Connection(str(path))
    found = [data for (data,) in db.execute("SELECT delta FROM journal")]
    db.close()
    return found


def test_erasing_in_a_block_cleans_when_it_ends(store: SqliteStore, path: Path):
    store.journal.append(note(1, "quokka"))
    with store.writing():
        assert store.contents.erase([1]) == 1
        store.journal.append(note(2, "kept"))
        store.points.save(checkpoint(store, 2, 2))
    assert b"quokka" not in on_disk(path)
    assert b"kept" in on_disk(path)
    assert store.points.load().seq == 2


def test_a_cleaning_held_up_by_a_reader_is_reported_and_finished_later(
    store: SqliteStore, path: Path
):
    store.journal.append(note(1, "quokka"))
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT count(*) FROM content")
    with pytest.raises(StoreBusy, match="still reads an older state") as caught:
        store.contents.erase([1])
    assert caught.value.erased is True
    assert list(store.contents.scan()) == []
    assert b"quokka" in on_disk(path)
    assert store.facts.size()["to_clean"] == 1
    reader.close()
    store.close()
    again = SqliteStore.open(path)
    assert again.facts.size()["to_clean"] == 0
    assert b"quokka" not in on_disk(path)
    again.close()


def test_a_cleaning_held_up_does_not_fail_the_block_that_is_durable(store: SqliteStore, path: Path):
    store.journal.append(note(1, "quokka"))
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT count(*) FROM content")
    with store.writing():
        store.contents.erase([1])
        store.journal.append(note(2))
    assert seqs(store) == [1, 2]
    assert store.facts.size()["to_clean"] == 1
    reader.close()
    store.contents.erase([])
    assert store.facts.size()["to_clean"] == 0
    assert b"quokka" not in on_disk(path)


def test_a_full_disk_after_erasing_says_that_the_words_are_gone(store: SqliteStore, path: Path):
    for i in range(1, 50):
        store.journal.append(note(i, "quokka" if i == 1 else "x" * 9000))
    store._branch.database._writer.close()
    store._branch.database._writer = _WithoutVacuum(str(path))
    with pytest.raises(StoreFull, match="words are erased") as caught:
        store.contents.erase([1])
    assert caught.value.erased is True
    assert 1 not in {content.node for content in store.contents.scan()}
    store.close()
    SqliteStore.open(path).close()
    assert b"quokka" not in on_disk(path)


class _WithoutVacuum(database.Connection):
    """A connection to a disk with no room for a second copy of the file."""

    def execute(self, statements, *rest, **named):
        if statements == "VACUUM":
            raise apsw.FullError("database or disk is full")
        return super().execute(statements, *rest, **named)


def test_a_checkpoint_writes_only_the_parts_that_are_not_kept_yet(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sql, "PART_BYTES", 64)
    store.journal.append(note(1))
    numbers = np.arange(32, dtype=np.int64)
    swapped = numbers[[*range(30), 31, 30]]  # a sum of its words would not tell
    for same, changed in ((numbers, numbers), (numbers, swapped), (numbers[:20], numbers)):
        before = parts_of(path)
        arrays = {"same": same, "changed": changed}
        store.points.save(Checkpoint(seq=1, branch="main", tick=0, arrays=arrays))
        found = store.points.load()
        assert found is not None
        assert {k: v.tolist() for k, v in found.arrays.items()} == {
            k: v.tolist() for k, v in arrays.items()
        }
        after = parts_of(path)
        kept = [key for key in before if after.get(key) == before[key]]
        if changed is swapped:
            assert len(kept) == len(before) - 1
    assert len(after) == 3 + 4


def parts_of(path: Path) -> dict[int, bytes]:
    return dict(apsw.Connection(str(path)).execute("SELECT id, bytes FROM part"))
