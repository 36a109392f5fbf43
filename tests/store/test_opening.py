"""What is opened is a sound memory of this schema, or a clear error says what to do."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from mags.errors import CorruptFile, InvalidInput, NewerSchema, NotFound, StoreError
from mags.store import migrations
from mags.store.database import PAGE_BYTES, go_on
from mags.store.folder import FolderCatalog
from mags.store.migrations import copies, newest
from mags.store.sqlite import SqliteStore
from tests.store.samples import checkpoint, content, note, seqs

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, where the tests have them."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def let_others_reach(path: Path) -> None:
    """Open the folders that pytest made above a path, where another user will try it."""
    for parent in path.parents:
        if not os.geteuid() and parent != Path(tempfile.gettempdir()) and len(parent.parts) > 2:
            parent.chmod(parent.stat().st_mode | 0o055)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory of three entries, closed."""
    path = tmp_path / "a.mags"
    store = SqliteStore.open(path)
    for i in (1, 2, 3):
        store.journal.append(note(i, f"word {i}"))
    store.points.save(checkpoint(store, 3, *range(500)))
    store.close()
    return path


def alter(path: Path, sql: str) -> None:
    db = apsw.Connection(str(path))
    db.execute(sql)
    db.close()


def test_a_memory_is_one_file_once_closed(path: Path):
    assert [file.name for file in path.parent.iterdir()] == ["a.mags"]


def test_a_file_names_its_program_and_schema(path: Path):
    db = apsw.Connection(str(path))
    assert db.pragma("application_id").to_bytes(4) == b"MAGS"
    assert db.pragma("user_version") == newest() == 2
    assert db.pragma("journal_mode") == "wal"
    assert db.pragma("page_size") == PAGE_BYTES
    db.close()


def test_the_secret_is_made_once(path: Path, tmp_path: Path):
    secrets = []
    for place in (path, path, tmp_path / "other.mags"):
        store = SqliteStore.open(place)
        secrets.append(store.facts.get("secret"))
        store.close()
    assert secrets[0] == secrets[1] != secrets[2]
    assert [len(bytes.fromhex(secret)) for secret in secrets] == [16, 16, 16]


def test_names_with_signs_that_mean_something_in_an_address_are_fine(tmp_path: Path):
    path = tmp_path / "50% of #1 ? & café.mags"
    SqliteStore.open(path).close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(StoreError, match=r"no folder .*missing: create it"):
        SqliteStore.open(tmp_path / "missing" / "a.mags")


@pytest.mark.parametrize("wait_s", [-1, -0.5, float("nan"), float("inf"), 1e30, "5", None])
def test_a_time_to_wait_that_is_none_is_refused(tmp_path: Path, wait_s: float):
    with pytest.raises(InvalidInput, match="how many seconds to wait"):
        SqliteStore.open(tmp_path / "a.mags", wait_s=wait_s)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x" * 300, "half \ud83d of a pair"])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str, read_only: bool):
    with pytest.raises(StoreError, match=r"give another path|look at the path"):
        SqliteStore.open(tmp_path / name, read_only=read_only)


@pytest.mark.parametrize("successor", [None, "b.mags"])
def test_nothing_is_written_to_a_file_that_is_no_longer_there(path: Path, successor: str | None):
    store = SqliteStore.open(path)
    kept = path.rename(path.with_name("kept.mags"))
    if successor is not None:
        SqliteStore.open(path.with_name(successor)).close()
        path.with_name(successor).rename(path)
    with pytest.raises(StoreError, match="removed or replaced"):
        store.journal.append(note(4))
    assert store.journal.head() == 3
    kept.rename(path)
    assert store.journal.append(note(4)) == 4
    store.close()


def test_words_that_were_damaged_are_said_to_be(path: Path):
    alter(path, "UPDATE content SET text = CAST(x'ff2031' AS TEXT) WHERE id = 1")
    store = SqliteStore.open(path)
    with pytest.raises(CorruptFile, match="restore a copy"):
        store.contents.get([1])
    with pytest.raises(CorruptFile, match="restore a copy"):
        list(store.contents.scan())
    store.close()


def test_a_folder_is_no_memory(tmp_path: Path):
    with pytest.raises(StoreError, match="is a folder"):
        SqliteStore.open(tmp_path)


def test_a_missing_file_is_not_made_for_reading(tmp_path: Path):
    with pytest.raises(StoreError, match="no memory at"):
        SqliteStore.open(tmp_path / "a.mags", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_branch_is_named_with_those_there_are(path: Path):
    with pytest.raises(NotFound, match=r"no branch 'other'.*there are: main"):
        SqliteStore.open(path, branch="other")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, read_only: bool):
    path = tmp_path / "a.mags"
    path.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(CorruptFile, match="is not a memory"):
        SqliteStore.open(path, read_only=read_only)
    assert path.read_bytes() == b"Dear diary, " * 1000


@pytest.mark.parametrize("read_only", [False, True])
def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, read_only: bool):
    path = tmp_path / "a.mags"
    alter(path, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)")
    before = path.read_bytes()
    with pytest.raises(CorruptFile, match="another program"):
        SqliteStore.open(path, read_only=read_only)
    assert path.read_bytes() == before


def test_an_empty_database_of_another_program_is_refused(tmp_path: Path):
    path = tmp_path / "a.mags"
    alter(path, "PRAGMA application_id = 77")
    with pytest.raises(CorruptFile, match="another program"):
        SqliteStore.open(path)


@pytest.mark.parametrize("read_only", [False, True])
def test_an_empty_file_is_refused_and_left_alone(tmp_path: Path, read_only: bool):
    path = tmp_path / "a.mags"
    path.touch()
    with pytest.raises(CorruptFile, match=r"is empty.*restore a backup of it, or delete it"):
        SqliteStore.open(path, read_only=read_only)
    assert [path.stat().st_size, list(tmp_path.iterdir())] == [0, [path]]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_says_to_upgrade(path: Path, read_only: bool):
    alter(path, f"PRAGMA user_version = {newest() + 1}")
    with pytest.raises(NewerSchema, match="upgrade MAGS") as caught:
        SqliteStore.open(path, read_only=read_only)
    assert (caught.value.found, caught.value.known) == (newest() + 1, newest())


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_a_truncated_file_is_refused(path: Path, keep: float, read_only: bool):
    os.truncate(path, int(path.stat().st_size * keep) // PAGE_BYTES * PAGE_BYTES)
    with pytest.raises(CorruptFile, match="damaged or truncated"):
        SqliteStore.open(path, read_only=read_only)


def test_a_file_cut_to_its_first_bytes_is_refused(path: Path):
    os.truncate(path, 60)
    with pytest.raises(CorruptFile):
        SqliteStore.open(path)


def test_a_page_of_noise_is_found_by_the_check_or_at_opening(path: Path):
    whole = path.read_bytes()
    for page in range(1, len(whole) // PAGE_BYTES):
        noisy = bytearray(whole)
        noisy[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = os.urandom(PAGE_BYTES)
        path.write_bytes(noisy)
        with pytest.raises(CorruptFile):  # noqa: PT012 (either step may be the one that sees it)
            store = SqliteStore.open(path)
            try:
                store.check()
            finally:
                store.close()


def test_a_flipped_bit_in_a_checkpoint_is_found_and_the_journal_goes_on_without(path: Path):
    whole = bytearray(path.read_bytes())
    at = whole.index((499).to_bytes(8, "little"))
    whole[at] ^= 1
    path.write_bytes(whole)
    with pytest.raises(CorruptFile, match=f"page {at // PAGE_BYTES + 1}"):
        SqliteStore.open(path)
    go_on(path, 1)
    with closing(SqliteStore.open(path)) as store:
        assert store.points.load() is None
        assert seqs(store) == [1, 2, 3]


def test_a_reader_reads_and_writes_nothing(path: Path):
    before = path.read_bytes()
    store = SqliteStore.open(path, read_only=True)
    assert seqs(store) == [1, 2, 3]
    assert store.points.load().seq == 3
    for write in (
        lambda: store.journal.append(note(4)),
        lambda: store.contents.next_id(1),
        lambda: store.facts.put("a", "b"),
        lambda: store.fork("child"),
    ):
        with pytest.raises(InvalidInput, match="read_only"):
            write()
    store.close()
    assert path.read_bytes() == before


def test_a_file_without_the_right_to_write_can_be_read(path: Path):
    path.chmod(0o444)
    path.parent.chmod(0o555)
    let_others_reach(path)
    try:
        with as_nobody():
            with pytest.raises(StoreError, match="rights of the file"):
                SqliteStore.open(path)
            store = SqliteStore.open(path, read_only=True)
            assert seqs(store) == [1, 2, 3]
            store.close()
    finally:
        path.parent.chmod(0o755)


def test_a_folder_without_the_right_to_write_takes_no_memory(tmp_path: Path):
    tmp_path.chmod(0o555)
    let_others_reach(tmp_path)
    try:
        with as_nobody(), pytest.raises(StoreError, match="rights of the file and its folder"):
            SqliteStore.open(tmp_path / "a.mags")
    finally:
        tmp_path.chmod(0o755)


def test_a_file_without_the_right_to_read_is_refused(path: Path):
    path.chmod(0)
    let_others_reach(path)
    with as_nobody(), pytest.raises(StoreError, match="rights of the file"):
        SqliteStore.open(path, read_only=True)


def test_an_older_schema_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch):
    steps = [*migrations.scripts(), (newest() + 1, "CREATE TABLE added (x)")]
    monkeypatch.setattr(migrations, "scripts", lambda _kind="": iter(steps))
    with pytest.raises(StoreError, match="older MAGS"):
        SqliteStore.open(path, read_only=True)
    SqliteStore.open(path).close()
    store = SqliteStore.open(path, read_only=True)
    assert seqs(store) == [1, 2, 3]
    store.close()
    db = apsw.Connection(str(path))
    assert db.pragma("user_version") == newest()
    assert db.execute("SELECT count(*) FROM added").get == 0
    db.close()


def test_a_file_of_before_there_were_tokens_is_read_as_it_is_and_gets_them_by_writing(path: Path):
    with closing(apsw.Connection(str(path))) as db:
        db.execute("DROP TABLE tokens")
    before = path.read_bytes()
    with closing(SqliteStore.open(path, read_only=True)) as store:
        assert store.contents.tokens([1]) == [b""]
    assert path.read_bytes() == before
    with closing(SqliteStore.open(path)) as store:
        store.journal.append(replace(note(9), contents=(replace(content(9), tokens=b"new"),)))
        assert store.contents.tokens([1, 9]) == [b"", b"new"]
    assert not copies(path)


def test_what_the_check_at_an_opening_reads_does_not_stay_in_ram(tmp_path: Path):
    path = tmp_path / "large.mags"
    with closing(SqliteStore.open(path)) as store, store.writing():
        for n in range(1, 40):
            store.journal.append(note(n, "word " * 5_000))
    with closing(SqliteStore.open(path)) as store:
        writer = store._branch.database._writer
        assert writer is not None
        used, _ = writer.status(apsw.SQLITE_DBSTATUS_CACHE_USED)
        assert used < path.stat().st_size / 4


def test_the_size_of_a_folder_counts_what_is_there_and_not_what_has_gone(tmp_path: Path):
    (tmp_path / "a.mags").write_bytes(b"12345")
    (tmp_path / "gone.mags").symlink_to(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_bytes(b"123")
    assert FolderCatalog(tmp_path).size() == 5
    assert FolderCatalog(tmp_path / "not made").size() == 0
