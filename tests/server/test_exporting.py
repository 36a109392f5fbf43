"""An export lies on the server's disk until it is sent: sealed, where the memory is."""

import base64
import tempfile
from pathlib import Path
from typing import IO

import pytest

import mags
from mags.settings import EncryptionSettings, Settings
from mags.store.sqlite import key_of
from tests.server.serving import EMBEDDER, serving

SAID = "Zorkmid lives in Oslo."


@pytest.mark.parametrize("encrypted", [False, True])
def test_words_of_an_encrypted_memory_are_not_in_what_its_export_leaves(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encrypted: bool
):
    left = tmp_path / "left"

    def named(buffering: int = -1) -> IO[bytes]:
        return left.open("w+b", buffering)  # so that its bytes are there when it is closed

    monkeypatch.setenv("MASTER", base64.b64encode(bytes(32)).decode())
    keys = EncryptionSettings(master="env:MASTER", keys=tmp_path / "keys")
    settings = Settings(encryption=keys if encrypted else EncryptionSettings())
    with serving(folder) as served, served.client() as client:
        served.service.memories.renew(
            lambda path, branch: mags.open(
                path, branch=branch, settings=settings, embedder=EMBEDDER
            )
        )
        client.post("/memories/a/turns", json={"text": SAID}).raise_for_status()
        monkeypatch.setattr(tempfile, "TemporaryFile", named)
        lines = client.get("/memories/a/export").text
        client.delete("/memories/a").raise_for_status()
        client.post("/memories/a/import", content=lines).raise_for_status()
        assert (key_of(folder / "a.mags") is not None) == encrypted
    assert SAID in lines
    assert (SAID.encode() in left.read_bytes()) == (not encrypted)
