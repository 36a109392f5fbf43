"""A memory made with a secret that does not lie in its file opens only with it."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mags.errors import ConfigurationError, KeyConflict
from mags.memory.memory import Memory
from mags.settings import Settings, read_settings
from mags.store.sqlite import SqliteStore

SECRET, OTHER = "s" * 32, "t" * 32


def with_secret(secret: str) -> Settings:
    made = Settings()
    return replace(made, memory=replace(made.memory, secret=secret))


def keys(path: Path) -> set[str]:
    """The hashes of idempotency keys in the journal, and of what came with them."""
    store = SqliteStore.open(path)
    found = {
        part
        for entry in store.journal.since(0)
        for part in (entry.delta.key, entry.delta.payload)
        if part
    }
    store.close()
    return found


def guessed(path: Path, key: str) -> str:
    """The hash of a key, as whoever has only the file would compute it."""
    store = SqliteStore.open(path)
    own = bytes.fromhex(store.facts.get("secret"))
    store.close()
    return hashlib.blake2b(f"key\x1f{key}".encode(), digest_size=16, key=own).hexdigest()


def test_who_has_the_file_alone_cannot_try_out_what_was_forgotten(
    opened: Callable[..., Memory], tmp_path: Path
):
    for name, secret, found in (("plain", "", True), ("peppered", SECRET, False)):
        path = tmp_path / f"{name}.mags"
        memory = opened(path, settings=with_secret(secret))
        memory.observe("I live in Oslo.", key="the word was Xyloquartz")
        memory.close()
        assert (guessed(path, "the word was Xyloquartz") in keys(path)) is found


def test_it_opens_with_its_secret_only(opened: Callable[..., Memory], tmp_path: Path):
    path = tmp_path / "a.mags"
    memory = opened(path, settings=with_secret(SECRET))
    memory.observe("I live in Oslo.", key="1")
    memory.close()
    for wrong in ("", OTHER):
        with pytest.raises(ConfigurationError, match="MAGS_SECRET"):
            opened(path, settings=with_secret(wrong))
    again = opened(path, settings=with_secret(SECRET))
    assert again.observe("I live in Oslo.", key="1").repeated
    with pytest.raises(KeyConflict):
        again.observe("I live in Rome.", key="1")
    assert [fact.object for fact in again.facts("user", current=True)] == ["Oslo"]


def test_a_memory_from_before_the_secret_goes_on_without_it(
    opened: Callable[..., Memory], tmp_path: Path
):
    path = tmp_path / "a.mags"
    memory = opened(path)
    memory.observe("I live in Oslo.", key="1")
    memory.close()
    for secret in (SECRET, OTHER, ""):
        memory = opened(path, settings=with_secret(secret))
        assert memory.observe("I live in Oslo.", key="1").repeated
        memory.close()


def test_a_secret_that_could_be_guessed_is_refused_and_never_shown():
    base = {"MAGS_CONFIG": "/dev/null"}
    with pytest.raises(ConfigurationError, match="32 characters") as failure:
        read_settings({**base, "MAGS_SECRET": "short"})
    assert "'short'" not in str(failure.value)
    assert SECRET not in repr(read_settings({**base, "MAGS_SECRET": SECRET}))
