"""A server of encrypted memories: its exports are sealed on the disk, what it deletes is gone."""

import tempfile
from pathlib import Path
from typing import IO

import pytest

from mags.errors import MissingKey
from mags.store.sqlite import SqliteStore, key_of
from tests.server.serving import serving
from tests.store.samples import keyring

SAID = "Zorkmid lives in Oslo."


@pytest.mark.parametrize("encrypted", [False, True])
def test_words_of_encrypted_memories_are_not_in_what_an_export_or_import_leaves(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encrypted: bool
):
    left = [tmp_path / "export", tmp_path / "import"]
    unused = iter(left)

    def named() -> IO[bytes]:
        return next(unused).open("w+b")  # so that its bytes are there afterwards

    keys = keyring(tmp_path / "keys") if encrypted else None
    with serving(folder, keyring=keys) as served, served.client() as client:
        client.post("/memories/a/turns", json={"text": SAID}).raise_for_status()
        monkeypatch.setattr(tempfile, "TemporaryFile", named)
        lines = client.get("/memories/a/export").text
        client.post("/memories/b/import", content=lines).raise_for_status()
        assert (key_of(folder / "b.mags") is not None) == encrypted
    assert SAID in lines
    for file in left:
        assert (SAID.encode() in file.read_bytes()) == (not encrypted)


def test_what_is_deleted_cannot_be_read_in_a_backup(folder: Path, tmp_path: Path):
    keys, backup = keyring(tmp_path / "keys"), tmp_path / "backup.mags"
    with serving(folder, keyring=keys) as served, served.client() as client:
        for name in ("a", "b"):
            client.post(f"/memories/{name}/turns", json={"text": SAID}).raise_for_status()
    backup.write_bytes((folder / "a.mags").read_bytes())
    SqliteStore.open(backup, keyring=keys).close()
    with serving(folder, keyring=keys) as served, served.client() as client:
        client.delete("/memories/a").raise_for_status()
        assert SAID in str(client.get("/memories/b/export").text)
        assert client.post("/memories/c/turns", json={"text": "\x00"}).status_code == 422
    assert [key.stem for key in keys.folder.iterdir()] == [key_of(folder / "b.mags")]
    with pytest.raises(MissingKey):
        SqliteStore.open(backup, keyring=keys)
