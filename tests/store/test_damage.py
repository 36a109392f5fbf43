"""A flipped bit, a lost end of the log and a copy without it are told, and what to do then."""

import gc
import logging
import os
import shutil
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import CorruptFile, StoreError
from mags.store import damage, database
from mags.store.damage import FRAME_HEAD, LOG_HEADER, lost_end
from mags.store.database import PAGE_BYTES, copy_memory, go_on
from mags.store.sqlite import SqliteStore, verify
from tests.store.samples import checkpoint, note, seqs

FRAME = FRAME_HEAD + PAGE_BYTES
ENDS = ("", "-wal", "-shm")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a memory whose writer was killed: a.mags and what lies beside."""
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "live" / "a.mags"
    path.parent.mkdir()
    with closing(SqliteStore.open(path)) as store:
        for i in range(1, 30):
            store.journal.append(note(i, f"word {i} " * 90, key=f"k{i}"))
        store.points.save(checkpoint(store, 29, *range(500)))
    with closing(SqliteStore.open(path)) as store:
        for i in range(30, 40):
            store.journal.append(note(i, f"word {i} " * 90))
        for end in ENDS:
            shutil.copy(f"{path}{end}", folder)
    shutil.copy(path, folder / "closed.mags")
    return folder


@pytest.fixture(scope="module")
def copied(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a fresh copy of some of those files."""
    place = tmp_path_factory.mktemp("copy") / "a.mags"

    def copy(*ends: str, of: str = "a.mags") -> Path:
        for end in ENDS:
            Path(f"{place}{end}").unlink(missing_ok=True)
        for end in ends:
            shutil.copy(killed / f"{of}{end}", f"{place}{end}")
        return place

    return copy


def flip(path: Path, where: float) -> None:
    data = bytearray(path.read_bytes())
    bit = int(where * len(data) * 8)
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


PLACES = st.floats(0, 1, exclude_max=True)


@given(where=PLACES)
def test_any_flipped_bit_of_a_file_is_told(copied: Callable[..., Path], where: float):
    path = copied("", of="closed.mags")
    flip(path, where)
    with pytest.raises(StoreError):
        verify(path)


@given(where=PLACES, index=st.booleans())
def test_any_flipped_bit_of_a_log_is_told(copied: Callable[..., Path], where: float, index: bool):
    path = copied(*ENDS) if index else copied("", "-wal")
    flip(Path(f"{path}-wal"), where)
    with pytest.raises(CorruptFile, match=r"the end of the write-ahead log .* is lost"):
        verify(path)


@given(where=PLACES)
def test_a_log_that_was_cut_is_told_at_each_opening(copied: Callable[..., Path], where: float):
    path = copied(*ENDS)
    log = Path(f"{path}-wal")
    os.truncate(log, int(where**2 * log.stat().st_size))
    for _ in range(2):
        with pytest.raises(CorruptFile, match=r"restore a backup|without its write-ahead log"):
            SqliteStore.open(path)


@pytest.mark.parametrize("index", [True, False])
def test_a_whole_log_is_read_with_all_that_was_acknowledged(
    copied: Callable[..., Path], index: bool
):
    path = copied(*ENDS) if index else copied("", "-wal")
    assert lost_end(path) is None
    with closing(SqliteStore.open(path)) as store:
        assert seqs(store) == list(range(1, 40))


@pytest.mark.parametrize("index", [True, False])
def test_a_write_that_a_kill_cut_short_was_not_acknowledged(
    copied: Callable[..., Path], index: bool, caplog: pytest.LogCaptureFixture
):
    path = copied(*ENDS) if index else copied("", "-wal")
    with Path(f"{path}-wal").open("r+b") as log:
        log.seek(-FRAME, os.SEEK_END)
        head = log.read(FRAME_HEAD)
        log.seek(0, os.SEEK_END)
        log.write(head + bytes(PAGE_BYTES))
    with caplog.at_level(logging.WARNING, "mags.store"), closing(SqliteStore.open(path)) as store:
        assert seqs(store) == list(range(1, 40))
    # Without the index nothing tells it from damage, so it is said.
    assert [("nothing that was acknowledged" in text) for text in caplog.messages] == (
        [] if index else [True]
    )


def test_what_an_older_log_left_behind_is_not_missed(copied: Callable[..., Path]):
    path = copied("", of="closed.mags")
    with closing(SqliteStore.open(path)) as store:
        for i in range(40, 60):
            store.journal.append(note(i, "long " * 900))
        db = store._branch.database._writer
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
        store.journal.append(note(60))
        log = Path(f"{path}-wal").read_bytes()
        assert len(log) > LOG_HEADER.size + 20 * FRAME
        assert lost_end(path) is None


def test_a_file_copied_without_its_log_is_told_and_opened_on_request(
    copied: Callable[..., Path],
):
    path = copied("")
    for read_only in (False, True, False):
        with pytest.raises(CorruptFile, match=r"copied while it was open.*mags verify --go-on"):
            SqliteStore.open(path, read_only=read_only)
    go_on(path)
    with closing(SqliteStore.open(path)) as store:
        assert seqs(store)[:29] == list(range(1, 30))
    verify(path)


def test_a_file_whose_header_denies_its_checksums_is_told(copied: Callable[..., Path]):
    path = copied("", of="closed.mags")
    data = bytearray(path.read_bytes())
    data[20] = 0
    path.write_bytes(data)
    with pytest.raises(CorruptFile):
        SqliteStore.open(path)


def test_a_process_that_ends_without_closing_loses_nothing(tmp_path: Path):
    path = tmp_path / "a.mags"
    store = SqliteStore.open(path)
    store.journal.append(note(1, "word"))
    database._left(store._branch.database._place)
    del store
    gc.collect()
    assert Path(f"{path}-wal").stat().st_size > 0
    with closing(SqliteStore.open(path)) as store:
        assert seqs(store) == [1]
    assert [file.name for file in tmp_path.iterdir()] == ["a.mags"]


def test_a_copy_made_while_it_is_written_is_a_memory_of_some_moment(tmp_path: Path):
    path = tmp_path / "a.mags"
    stop = threading.Event()
    with closing(SqliteStore.open(path)) as store:

        def write() -> None:
            node = 0
            while not stop.is_set():
                node += 1
                store.journal.append(note(node, f"word {node} " * 100, key=f"k{node}"))

        writer = threading.Thread(target=write)
        writer.start()
        before = store.journal.head()
        for number in range(5):
            copy_memory(path, tmp_path / f"{number}.mags")
        stop.set()
        writer.join()
        last = store.journal.head()
    heads = []
    for number in range(5):
        copy = tmp_path / f"{number}.mags"
        verify(copy)
        with closing(SqliteStore.open(copy)) as store:
            heads.append(store.journal.head())
            assert seqs(store) == list(range(1, heads[-1] + 1))
            assert {one.node for one in store.contents.scan()} == set(seqs(store))
    assert [before, *heads, last] == sorted([before, *heads, last])


def test_a_copy_larger_than_the_cache_carries_all_its_checksums(tmp_path: Path):
    path = tmp_path / "a.mags"
    with closing(SqliteStore.open(path)) as store:
        store.journal.append(note(1, "word " * 6_000_000))
        copy_memory(path, tmp_path / "b.mags")
    verify(tmp_path / "b.mags")


def test_a_copy_is_never_written_over_another_file(tmp_path: Path):
    for name in ("a.mags", "b.mags"):
        SqliteStore.open(tmp_path / name).close()
    before = (tmp_path / "b.mags").read_bytes()
    with pytest.raises(StoreError, match="is there already"):
        copy_memory(tmp_path / "a.mags", tmp_path / "b.mags")
    with pytest.raises(StoreError, match="no folder"):
        copy_memory(tmp_path / "a.mags", tmp_path / "missing" / "b.mags")
    with pytest.raises(StoreError, match="no memory at"):
        copy_memory(tmp_path / "missing.mags", tmp_path / "c.mags")
    assert (tmp_path / "b.mags").read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.mags", "b.mags"]


def test_every_file_of_a_memory_is_its_owners_alone(tmp_path: Path):
    before = os.umask(0)
    try:
        with closing(SqliteStore.open(tmp_path / "a.mags")) as store:
            store.journal.append(note(1))
            copy_memory(tmp_path / "a.mags", tmp_path / "b.mags")
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("a.mags", "a.mags-wal", "a.mags-shm", "b.mags"), 0o600)


def test_without_the_checksum_vfs_a_memory_works_and_gets_its_sums_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, other = tmp_path / "a.mags", tmp_path / "b.mags"
    SqliteStore.open(other).close()
    with monkeypatch.context() as without:
        without.setattr(database, "CHECKING", False)
        with closing(SqliteStore.open(path)) as store:
            store.journal.append(note(1, "word"))
        verify(path)
        with pytest.raises(StoreError, match=r"no cksumvfs.*install apsw's wheel"):
            SqliteStore.open(other)
    with closing(apsw.Connection(str(path))) as db:
        assert db.pragma("user_version") == 2
        assert db.reserve_bytes() == 0
    with closing(SqliteStore.open(path)) as store:
        assert seqs(store) == [1]
        assert store._branch.database._writer.reserve_bytes() == damage.SUM_BYTES
    verify(path)
    flip(path, 0.5)
    with pytest.raises(StoreError):
        verify(path)


def test_sums_are_added_only_where_nobody_else_has_the_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "a.mags"
    with monkeypatch.context() as without:
        without.setattr(database, "CHECKING", False)
        SqliteStore.open(path).close()
    with closing(apsw.Connection(str(path))) as other:
        assert other.execute("SELECT count(*) FROM content").get == 0
        with pytest.raises(StoreError):
            SqliteStore.open(path, wait_s=0.05)
    SqliteStore.open(path).close()
    verify(path)
