"""An encrypted memory: no word, name, vector or hash key is in any byte that it leaves behind."""

import base64
import random
import re
import string
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.errors import MissingKey
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.settings import EncryptionSettings, Settings
from mags.store.sqlite import key_of

DEFLATED = re.compile(rb"x[\x01\x5e\x9c\xda]")
"""How what zlib makes begins."""
LONGEST = 1 << 16
"""Bytes of it that are unpacked."""


@pytest.fixture
def token() -> str:
    """A name that nobody has heard."""
    return "Z" + "".join(random.SystemRandom().choices(string.ascii_lowercase, k=11))


@pytest.fixture
def encrypted(tmp_path: Path) -> Settings:
    master = tmp_path / "elsewhere" / "master.key"
    master.parent.mkdir()
    master.write_text(base64.b64encode(bytes(range(32))).decode())
    master.chmod(0o600)
    keys = tmp_path / "elsewhere" / "keys"
    return Settings(encryption=EncryptionSettings(master=f"file:{master}", keys=keys))


def forms(word: str) -> set[bytes]:
    """A word as it may stand among bytes: as it is, in UTF-16, in hex and in base64."""
    plain = {
        w.encode(code)
        for w in (word, word.lower(), word.upper())
        for code in ("utf-8", "utf-16-le")
    }
    found = plain | {one.hex().encode() for one in plain}
    for one in plain:
        for before in range(3):
            # What comes before and after it is not known, and shares a letter with its first and
            # last byte.
            whole = base64.b64encode(bytes(before) + one)
            found.add(whole[-(-before * 8 // 6) : (before + len(one)) * 8 // 6])
    return found


def unpacked(data: bytes) -> Iterator[bytes]:
    """Bytes, and whatever in them zlib had packed."""
    yield data
    for begin in DEFLATED.finditer(data):
        try:
            yield zlib.decompressobj().decompress(data[begin.start() : begin.start() + LONGEST])
        except zlib.error:
            continue


def holds(data: bytes, wanted: set[bytes]) -> bool:
    return any(form in part for part in unpacked(data) for form in wanted)


def left(folder: Path) -> Iterator[bytes]:
    """The bytes of every file in a folder, and every value of every table of its databases."""
    for path in folder.iterdir():
        if path.is_file():
            yield path.read_bytes()
        if path.name.endswith(".mags"):
            db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            for (table,) in db.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
            ).fetchall():
                for row in db.execute(f"SELECT * FROM {table}"):
                    for value in row:
                        yield value if isinstance(value, bytes) else str(value).encode()
            db.close()


def search(folder: Path, wanted: set[bytes]) -> bool:
    return any(holds(data, wanted) for data in left(folder))


@given(
    before=st.binary(max_size=20),
    after=st.binary(max_size=20),
    word=st.text(string.ascii_letters, min_size=8),
)
def test_the_search_finds_a_word_in_each_of_its_forms(before, after, word):
    whole = before + word.encode() + after
    wanted = forms(word)
    for data in (
        whole,
        base64.b64encode(whole),
        whole.hex().encode(),
        before + word.encode("utf-16-le"),
    ):
        assert holds(data, wanted)
        assert holds(b"x\x9c" + before + zlib.compress(data) + after, wanted)
    assert not holds(before + zlib.compress(b"nothing") + after, forms("Zorkmid" + word))


STEPS: dict[str, Callable[[Memory, str], object]] = {
    "told": lambda m, w: m.observe(
        f"{w} lives in Oslo with {w.upper()}.", speaker=w, session=w, key=w
    ),
    "attributes": lambda m, w: m.observe("Look.", attrs={"caption": f"a {w} stone", w: w}),
    "asserted": lambda m, w: m.assert_fact(w, "owns", f"{w} car", qualifiers={"with": w}),
    "asked": lambda m, w: m.converse(f"Where does {w} live?", speaker="Ana"),
    "edited": lambda m, w: m.edit(m.observe("Hm.").episode_id, text=f"Not {w}."),
    "snapshot": lambda m, w: (m.snapshot(f"before {w}"), m.snapshot(f"before {w}")),
    "branch": lambda m, w: m.branch(f"of {w}").close(),
    "told on": lambda m, w: [m.observe(f"{w} has {i} dogs.", speaker="Ana") for i in range(20)],
    "sleep": lambda m, _: m.sleep(),
    "checkpoint": lambda m, _: (m._live.checkpoint(), m._live.checkpoint()),
    "reembedded": lambda m, _: m.reembed(HashEmbedder(48)),
    "forgotten": lambda m, w: m.forget(m.observe(f"{w} is ill.", speaker="Ana").episode_id),
    "compacted": lambda m, _: m._store.journal.compact(10**6),
    "rolled back": lambda m, w: m.rollback(f"before {w}"),
}


def test_no_word_or_name_is_in_any_byte(
    opened: Callable[..., Memory], tmp_path: Path, encrypted: Settings, token: str
):
    folder = tmp_path / "memories"
    folder.mkdir()
    memory = opened(folder / "a.mags", settings=encrypted)
    wanted, vectors = forms(token), set()
    for name, step in STEPS.items():
        step(memory, token)
        assert not search(folder, {token.encode(), token.lower().encode()}), name
        vectors |= {c.vector.tobytes() for c in memory._store.contents.scan()}
    assert (folder / "a.mags-wal").stat().st_size
    source, copy = (apsw.Connection(str(folder / name)) for name in ("a.mags", "copy.mags"))
    with copy.backup("main", source, "main") as copying:
        copying.step()
    copy.close()
    source.close()
    secret = memory._store.facts.get("secret")
    assert secret
    hidden = wanted | vectors | {secret.encode(), bytes.fromhex(secret)}
    assert not search(folder, hidden)
    memory.close()
    assert not search(folder, hidden)
    again = opened(folder / "a.mags", settings=encrypted, embedder=HashEmbedder(48))
    assert f"before {token}" in {mark.name for mark in again.snapshots()}
    assert f"of {token}" in {mark.name for mark in again.branches()}
    assert "Oslo" in again.ask(f"Where does {token} live?").text
    assert again.stats().parts["encrypted"] == 1


def test_the_same_in_the_clear_is_found(opened: Callable[..., Memory], tmp_path: Path, token: str):
    memory = opened(tmp_path / "a.mags")
    for name in ("snapshot", "branch", "told"):
        before = search(tmp_path, forms(token))
        STEPS[name](memory, token if name == "told" else token[::-1])
        found = search(tmp_path, forms(token)), search(tmp_path, forms(token[::-1]))
        assert found == (name == "told" or before, True)
    vectors = {c.vector.tobytes() for c in memory._store.contents.scan()}
    assert search(tmp_path, vectors)
    assert search(tmp_path, {memory._store.facts.get("secret").encode()})
    assert "encrypted" not in memory.stats().parts


def test_a_backup_cannot_be_opened_once_its_key_is_destroyed(
    opened: Callable[..., Memory], tmp_path: Path, encrypted: Settings
):
    path, backup = tmp_path / "a.mags", tmp_path / "backup.mags"
    memory = opened(path, settings=encrypted)
    memory.observe("I live in Oslo.", speaker="Alice")
    memory.close()
    backup.write_bytes(path.read_bytes())
    memory = opened(path, settings=encrypted)
    restored = opened(backup, settings=encrypted)
    assert "Oslo" in restored.ask("Where does Alice live?").text
    restored.close()
    (key,) = encrypted.encryption.keys.iterdir()
    assert key.name == f"{key_of(backup)}.key"
    key.unlink()
    with pytest.raises(MissingKey):
        opened(backup, settings=encrypted)
    assert "Oslo" in memory.ask("Where does Alice live?").text, "who has it open goes on"


def test_two_memories_have_two_keys(
    opened: Callable[..., Memory], tmp_path: Path, encrypted: Settings
):
    for name in ("a.mags", "b.mags"):
        opened(tmp_path / name, settings=encrypted).close()
    assert len(list(encrypted.encryption.keys.iterdir())) == 2
    assert key_of(tmp_path / "a.mags") != key_of(tmp_path / "b.mags")


def test_a_recall_over_several_memories_opens_those_that_are_encrypted(
    opened: Callable[..., Memory], tmp_path: Path, encrypted: Settings
):
    memories = {
        "mine": opened(tmp_path / "mine.mags", settings=encrypted),
        "team": opened(tmp_path / "team.mags", settings=encrypted),
        "all": opened(tmp_path / "all.mags"),
    }
    for name, said in (
        ("mine", "My red bicycle."),
        ("team", "Our red car."),
        ("all", "A red bus."),
    ):
        memories[name].observe(said)
    found = mags.recall_across(memories, "What is red?", k=10)
    assert {hit.memory for hit in found} == set(memories)


def test_an_encrypted_memory_moves_by_export_and_import(
    opened: Callable[..., Memory], tmp_path: Path, encrypted: Settings
):
    old = opened(tmp_path / "old.mags")
    old.observe("I live in Oslo.", speaker="Alice")
    old.export(tmp_path / "all.jsonl")
    new = opened(tmp_path / "new.mags", settings=encrypted)
    new.import_(tmp_path / "all.jsonl")
    assert "Oslo" in new.ask("Where does Alice live?").text
    assert new.stats().parts["encrypted"] == 1
