"""An encrypted memory: values are bound to their places, and its key lies outside its file."""

import base64
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.app import make_keyring, make_store
from mags.errors import (
    ConfigurationError,
    CorruptFile,
    MagsError,
    MissingExtra,
    MissingKey,
    StoreError,
)
from mags.settings import EncryptionSettings
from mags.store.sealing import Keyring, SealedFile, Sealer
from mags.store.sqlite import SqliteStore, key_of
from tests.store.samples import VECTOR, checkpoint, keyring, note

places = st.tuples(
    st.sampled_from(["content", "part"]), st.sampled_from(["text", "meta"]), st.integers()
)
posix = pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    return keyring(tmp_path / "keys")


@pytest.fixture
def path(tmp_path: Path, keys: Keyring) -> Path:
    """A closed memory with something in every table."""
    path = tmp_path / "a.mags"
    store = SqliteStore.open(path, keyring=keys)
    for i in (1, 2, 3):
        store.journal.append(note(i, f"word {i}", key=f"k{i}", after=i - 1))
    store.contents.put_vectors([1, 2, 3], np.stack([VECTOR, -VECTOR, VECTOR]), [b"a", b"b", b"c"])
    store.points.save(checkpoint(store, 2, 1, 2))
    store.journal.compact(2)
    store.points.mark("one", 2, 1.0)
    store.points.mark("two", 3, 2.0)
    for name in ("left", "right"):
        store.fork(name).close()
    store.facts.put("x", "value of x")
    store.facts.put("y", "value of y")
    store.close()
    return path


def look(path: Path, keys: Keyring | None) -> str:
    """Everything that a memory holds."""
    store = SqliteStore.open(path, keyring=keys)
    try:
        store.check()
        held = [(c, c.vector.tobytes()) for c in store.contents.scan()]
        found = [store.journal.find_key(f"k{i}") for i in (1, 2, 3)]
        facts = [store.facts.get(name) for name in ("secret", "x", "y")]
        marks = store.points.marks(), store.facts.branches()
        return repr((held, store.contents.tokens([1, 2, 3]), found, facts, marks))
    finally:
        store.close()


def swap(path: Path, table: str, column: str, one: str, other: str) -> None:
    """Exchange the values of a column in two rows."""
    db = apsw.Connection(str(path))
    values = [db.execute(f"SELECT {column} FROM {table} WHERE {row}").get for row in (one, other)]
    assert None not in values
    assert values[0] != values[1]
    first = [("-", one)] if isinstance(values[0], str) else []  # names are unique at each moment
    for value, row in (*first, (values[0], other), (values[1], one)):
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {row}", (value,))
    db.close()


# -- values in their places ------------------------------------------------------


@given(data=st.binary(max_size=200), place=places, other=places, at=st.integers(0, 2000))
def test_a_value_opens_in_its_place_only_and_only_whole(data, place, other, at):
    sealer = Sealer(bytes(32), "memory")
    sealed = sealer.seal(data, *place)
    assert sealer.open(sealed, *place) == data
    assert sealer.seal(data, *place) != sealed
    flipped = bytearray(sealed)
    flipped[at // 8 % len(sealed)] ^= 1 << at % 8
    wrong = [(sealer, bytes(flipped), place), (sealer, sealed[: at % len(sealed)], place)]
    wrong += [
        (Sealer(bytes(32), "another"), sealed, place),
        (Sealer(b"k" * 32, "memory"), sealed, place),
    ]
    wrong += [(sealer, sealed, other)] if other != place else []
    for by, given_, where in wrong:
        with pytest.raises(CorruptFile):
            by.open(given_, *where)


@given(text=st.text(max_size=50))
def test_a_text_opens_as_it_was(text):
    sealer = Sealer(bytes(32), "memory")
    sealed = sealer.seal_text(text, "place")
    assert sealed.isascii()
    assert sealer.open_text(sealed, "place") == text
    with pytest.raises(CorruptFile):
        sealer.open_text("no base64", "place")


SWAPS = {
    "texts": ("content", "text", "id = 1", "id = 2"),
    "metas": ("content", "meta", "id = 1", "id = 2"),
    "vectors": ("content", "vector", "id = 1", "id = 2"),
    "tokens": ("tokens", "bytes", "content = 1", "content = 2"),
    "entries": ("journal", "delta", "seq = 2", "seq = 3"),
    "receipts": ("receipt", "delta", "key = 'k1'", "key = 'k2'"),
    "arrays": ("part", "bytes", "array = 0", "array = 1"),
    "branches": ("branch", "name", "id = 2", "id = 3"),
    "snapshots": ("mark", "name", "seq = 2", "seq = 3"),
    "facts": ("fact", "value", "name = 'x'", "name = 'y'"),
}


@pytest.mark.parametrize("what", SWAPS)
def test_values_that_changed_places_are_noticed(path: Path, keys: Keyring, what: str):
    before = look(path, keys)
    swap(path, *SWAPS[what])
    with pytest.raises(CorruptFile, match="does not open"):
        look(path, keys)
    swap(path, *SWAPS[what])
    assert look(path, keys) == before


def test_a_row_of_another_memory_under_the_same_master_key_does_not_open(
    path: Path, keys: Keyring, tmp_path: Path
):
    other = SqliteStore.open(tmp_path / "b.mags", keyring=keys)
    other.journal.append(note(1, "of another"))
    other.close()
    db = apsw.Connection(str(path))
    db.execute("ATTACH ? AS other", (str(tmp_path / "b.mags"),))
    db.execute(
        "UPDATE content SET text = (SELECT text FROM other.content WHERE id = 1) WHERE id = 1"
    )
    db.close()
    with pytest.raises(CorruptFile, match="does not open"):
        look(path, keys)


@pytest.mark.parametrize("size", [0, 1, 5_000, 200_000])
def test_a_sealed_file_gives_back_what_was_written(size: int):
    data = os.urandom(size)
    with SealedFile() as file:
        file.write(b"what is dropped")
        file.seek(0)
        file.truncate()
        for start in range(0, size, 3_000):
            file.write(data[start : start + 3_000])
        file.seek(0)
        assert file.readall() == data
        file._file.seek(0)
        assert size < 20 or data[:20] not in file._file.read()


# -- keys ------------------------------------------------------------------------


@posix
def test_a_key_lies_outside_of_the_memory_and_is_its_owners_alone(path: Path, keys: Keyring):
    (key,) = keys.folder.iterdir()
    assert key.name == f"{key_of(path)}.key"
    assert (key.stat().st_mode & 0o777, keys.folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert not any(
        wrapped in path.read_bytes()
        for wrapped in key.read_bytes().split(b'"')
        if len(wrapped) > 40
    )


def test_without_its_key_a_memory_does_not_open_and_says_what_to_do(path: Path, keys: Keyring):
    with pytest.raises(MissingKey, match="is encrypted: say where its key is"):
        SqliteStore.open(path)
    with pytest.raises(MissingKey, match="wrapped by another one"):
        SqliteStore.open(path, keyring=keyring(keys.folder, b"o" * 32))
    with pytest.raises(MissingKey, match="put it back, or name its folder"):
        SqliteStore.open(path, keyring=keyring(keys.folder / "elsewhere"))
    look(path, keys)


@pytest.mark.parametrize("harm", [b"", b"{}", b"[1]", b"\xff", b'{"wrapped": "x", "sha256": "y"}'])
def test_a_damaged_key_is_said_to_be_damaged(path: Path, keys: Keyring, harm: bytes):
    (key,) = keys.folder.iterdir()
    whole = key.read_bytes()
    key.write_bytes(harm)
    with pytest.raises(CorruptFile, match="is damaged: restore a copy of it"):
        SqliteStore.open(path, keyring=keys)
    key.write_bytes(whole)
    look(path, keys)


def test_every_flipped_bit_of_a_key_is_noticed(path: Path, keys: Keyring):
    (key,) = keys.folder.iterdir()
    whole = key.read_bytes()
    for at in range(0, 8 * len(whole), 7):
        flipped = bytearray(whole)
        flipped[at // 8] ^= 1 << at % 8
        key.write_bytes(flipped)
        with pytest.raises(CorruptFile):
            keys.sealer(str(key_of(path)))


def test_a_destroyed_key_takes_every_copy_with_it(path: Path, keys: Keyring, tmp_path: Path):
    copy = tmp_path / "backup.mags"
    copy.write_bytes(path.read_bytes())
    assert look(copy, keys) == look(path, keys)
    keys.shred(str(key_of(copy)))
    assert list(keys.folder.iterdir()) == []
    for one in (path, copy):
        with pytest.raises(MissingKey, match="where it was destroyed the memory cannot be read"):
            SqliteStore.open(one, keyring=keys)
    with pytest.raises(MissingKey, match="it was destroyed"):
        keys.shred(str(key_of(copy)))


def test_keys_are_not_made_beside_the_memory(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="go with it into every backup"):
        SqliteStore.open(tmp_path / "a.mags", keyring=keyring(tmp_path))


def test_where_no_key_can_be_kept_nothing_is_written(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="no key can be kept"):
        SqliteStore.open(tmp_path / "a.mags", keyring=keyring(tmp_path / "file" / "keys"))
    assert key_of(tmp_path / "a.mags") is None


def test_an_older_memory_stays_as_it_is_and_that_is_told(
    tmp_path: Path, keys: Keyring, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "old.mags"
    store = SqliteStore.open(path)
    store.journal.append(note(1, "in the clear"))
    store.close()
    with caplog.at_level(logging.WARNING):
        store = SqliteStore.open(path, keyring=keys)
    assert store.contents.get([1])[0].text == "in the clear"
    assert "encrypted" not in store.facts.size()
    assert "is not encrypted" in caplog.text
    store.close()


# -- master keys -----------------------------------------------------------------

KMS = """
import sys
verb, memory, data = sys.stdin.readline().split()
if len(sys.argv) > 1:
    print(sys.argv[1]) if sys.argv[1] != "fail" else sys.exit("the KMS says no")
elif verb == "wrap":
    print(f"kms:v1:{memory}:{data[::-1]}")
else:
    kept, _, turned = data.removeprefix("kms:v1:").partition(":")
    print(turned[::-1] if kept == memory else "")
"""


@pytest.fixture
def master(tmp_path: Path) -> Callable[..., str]:
    """Ways to give a master key, each with what stands there."""

    def made(kind: str, holds: str = base64.b64encode(bytes(32)).decode()) -> str:
        if kind == "file":
            file = tmp_path / "master.key"
            file.write_text(holds)
            file.chmod(0o600)
            return f"file:{file}"
        script = tmp_path / "kms.py"
        script.write_text(KMS)
        words = "" if holds == base64.b64encode(bytes(32)).decode() else f" {holds}"
        return f"command:{sys.executable} -IS {script}{words}"

    return made


@pytest.mark.parametrize("kind", ["file", "command"])
def test_a_memory_opens_by_what_wraps_its_key(tmp_path: Path, master, kind: str):
    keys = make_keyring(EncryptionSettings(master=master(kind), keys=tmp_path / "keys"))
    store = make_store(tmp_path / "a.mags", keyring=keys)
    store.journal.append(note(1, "a word"))
    store.close()
    (key,) = (tmp_path / "keys").iterdir()
    assert ("kms:v1:" in key.read_text()) == (kind == "command")
    store = make_store(tmp_path / "a.mags", keyring=keys)
    assert store.contents.get([1])[0].text == "a word"
    store.close()


@pytest.mark.parametrize("holds", ["", "short", base64.b64encode(bytes(31)).decode(), "ä" * 44])
def test_what_is_no_master_key_is_refused(tmp_path: Path, master, holds: str):
    for given_, environment in (
        (master("file", holds or " "), {}),
        ("env:MASTER", {"MASTER": holds}),
        ("env:NONE", {}),
    ):
        keys = Keyring(given_, tmp_path / "keys", environment)
        with pytest.raises(ConfigurationError, match="32 bytes in base64") as refused:
            keys.make()
        assert not holds or holds not in str(refused.value)


@posix
def test_a_master_key_that_everybody_may_read_is_refused(tmp_path: Path, master):
    keys = Keyring(master("file"), tmp_path / "keys", {})
    (tmp_path / "master.key").chmod(0o604)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        keys.make()
    (tmp_path / "master.key").unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        keys.make()


@pytest.mark.parametrize(
    ("says", "error", "why"),
    [
        ("fail", MissingKey, "could not wrap: the KMS says no"),
        ("two words", ConfigurationError, "no single word"),
        ("", ConfigurationError, "no single word"),
    ],
)
def test_a_command_that_fails_is_told(tmp_path: Path, master, says, error, why):
    line = master("command", f"'{says}'")
    with pytest.raises(error, match=why):
        Keyring(line, tmp_path / "keys", {}).make()


def test_a_command_that_is_not_there_or_gives_no_key_is_told(tmp_path: Path, master):
    with pytest.raises(ConfigurationError, match="could not be run"):
        Keyring(f"command:{tmp_path}/nothing", tmp_path / "keys", {}).make()
    memory, _ = Keyring(master("command"), tmp_path / "keys", {}).make()
    with pytest.raises(ConfigurationError, match="what the command answers holds no key"):
        Keyring(master("command", "word"), tmp_path / "keys", {}).sealer(memory)


# -- the extra -------------------------------------------------------------------


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "mags.store.sealing")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mags\[encryption\]'"):
        make_keyring(EncryptionSettings(master="env:MASTER", keys=tmp_path))


def test_without_encryption_nothing_of_it_is_loaded(tmp_path: Path):
    script = (
        "import sys; from mags.app import make_store; make_store(sys.argv[1]).close();"
        "print([name for name in sys.modules if name in ('cryptography', 'mags.store.sealing')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.mags")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", ["file", "env", "command"])
def test_errors_of_keys_are_errors_of_mags(tmp_path: Path, kind: str):
    with pytest.raises(MagsError):
        Keyring(f"{kind}:nothing", tmp_path / "keys", {}).make()
