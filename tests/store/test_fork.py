"""A fork of the process is told to open the memory anew, and harms nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mags.errors import StoreError
from mags.store.sqlite import SqliteStore
from tests.store.samples import note


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.open(tmp_path / "a.mags", wait_s=0.2)
    yield store
    store.close()


def told_by_a_fork(store: SqliteStore, deed: str) -> str:
    """What a fork of this process is told that does it with what it inherited."""
    end, start = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            getattr(store.journal, deed)(*([note(2)] if deed == "append" else []))
            os.write(start, b"it went well")
        except StoreError as failure:
            os.write(start, str(failure).encode())
        finally:
            store.close()
            os._exit(0)
    os.close(start)
    os.waitpid(pid, 0)
    with os.fdopen(end) as said:
        return said.read()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("deed", ["append", "head"])
def test_a_fork_is_told_to_open_the_memory_again(store: SqliteStore, deed: str):
    store.journal.append(note(1))
    said = told_by_a_fork(store, deed)
    assert f"opened by process {os.getpid()}" in said
    assert "open it again" in said
    store.journal.append(note(2))
    assert store.journal.head() == 2
