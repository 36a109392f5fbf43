"""A migration keeps what the file was beside it, where an older version can go on with it."""

import logging
import os
from pathlib import Path

import apsw
import pytest

from mags.errors import StoreError
from mags.store import migrations
from mags.store.migrations import copies
from mags.store.sqlite import SqliteStore
from tests.store.samples import note, seqs

OLD = migrations.newest()
STEP = (OLD + 1, "CREATE TABLE added (x)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A memory of two entries that the next version has not opened yet."""
    path = tmp_path / "a.mags"
    store = SqliteStore.open(path)
    store.journal.append(note(1, "the word of an owl"))
    store.journal.append(note(2))
    store.close()
    return path


def next_version(monkeypatch: pytest.MonkeyPatch, step: tuple[int, str] = STEP) -> None:
    """From here on MAGS writes one schema more."""
    steps = [*migrations.scripts(), step]
    monkeypatch.setattr(migrations, "scripts", lambda _kind="": iter(steps))


def schema(path: Path) -> int:
    db = apsw.Connection(str(path))
    try:
        return int(db.pragma("user_version"))
    finally:
        db.close()


def test_a_migration_keeps_a_copy_that_the_older_version_opens(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    path.chmod(0o600)
    with monkeypatch.context() as newer, caplog.at_level(logging.WARNING, "mags.store"):
        next_version(newer)
        SqliteStore.open(path).close()
        SqliteStore.open(path).close()
    (copy,) = copies(path)
    assert copy == path.with_name(f"a.mags.v{OLD}-backup")
    assert {file.name for file in path.parent.iterdir()} == {path.name, copy.name}
    assert (schema(copy), schema(path)) == (OLD, OLD + 1)
    assert copy.stat().st_mode & 0o777 == 0o600
    (told,) = caplog.messages
    assert str(copy) in told
    older = SqliteStore.open(copy)
    older.check()
    assert seqs(older) == [1, 2]
    assert older.journal.append(note(3)) == 3
    older.close()


def test_what_lies_in_the_write_ahead_log_is_in_the_copy(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = SqliteStore.open(path)
    other.journal.append(note(3))
    assert Path(f"{path}-wal").stat().st_size > 0
    with monkeypatch.context() as newer:
        next_version(newer)
        SqliteStore.open(path).close()
    other.close()
    (copy,) = copies(path)
    older = SqliteStore.open(copy, read_only=True)
    assert seqs(older) == [1, 2, 3]
    older.close()


def test_an_older_copy_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch):
    first = path.with_name(f"a.mags.v{OLD}-backup")
    first.write_bytes(b"older")
    first.with_name(f"{first.name}.part").write_bytes(b"of a process that was killed")
    next_version(monkeypatch)
    SqliteStore.open(path).close()
    assert copies(path) == [first, first.with_name(f"{first.name}-2")]
    assert first.read_bytes() == b"older"
    assert not first.with_name(f"{first.name}.part").exists()


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as newer:
        next_version(newer, (OLD + 1, "CREATE TABLE added (x); CREATE TABLE added (x)"))
        with pytest.raises(apsw.SQLError, match="already exists"):
            SqliteStore.open(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert schema(path) == OLD
    store = SqliteStore.open(path)
    assert seqs(store) == [1, 2]
    store.close()


def test_without_a_copy_there_is_no_migration(path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> Path:
        raise OSError(28, os.strerror(28))

    next_version(monkeypatch)
    monkeypatch.setattr(migrations, "keep_copy", refuse)
    with pytest.raises(StoreError, match="No space left"):
        SqliteStore.open(path)
    assert schema(path) == OLD


def test_what_is_made_anew_needs_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    next_version(monkeypatch)
    path = tmp_path / "new.mags"
    SqliteStore.open(path).close()
    assert schema(path) == OLD + 1
    assert copies(path) == []


def test_erasing_tells_of_the_copy_that_still_holds_the_words(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    next_version(monkeypatch)
    store = SqliteStore.open(path)
    (copy,) = copies(path)
    caplog.clear()
    store.contents.erase([1])
    store.close()
    assert b"owl" not in path.read_bytes()
    assert b"owl" in copy.read_bytes()
    assert [str(copy) in told for told in caplog.messages] == [True]
