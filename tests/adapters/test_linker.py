"""The file of a linker: taken where it fits, refused where it does not."""

import numpy as np
import pytest

import mags
from mags.adapters.linker import read_linker
from mags.engram.settings import EngramSettings
from mags.errors import ConfigurationError, CorruptFile
from mags.memory.settings import MemorySettings
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings


@pytest.fixture
def file(tmp_path):
    wide, flat = np.ones((2, 16), np.float32), np.ones(2, np.float32)
    path = tmp_path / "linker.npz"
    np.savez(path, new=wide, other=wide, cosine=flat, bias=flat, a=flat)
    return path


def test_what_was_written_is_read(file):
    assert read_linker(file, 16).dimension == 16


def test_another_dimension_is_refused(file):
    with pytest.raises(ConfigurationError, match="16 dimensions, and the embedder's have 32"):
        read_linker(file, 32)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"text"])
def test_a_damaged_file_says_what_to_do(content, tmp_path):
    path = tmp_path / "linker.npz"
    path.write_bytes(content)
    with pytest.raises(CorruptFile, match="mags train linker"):
        read_linker(path, 16)


def test_a_file_that_is_not_there_stops_the_opening(tmp_path):
    settings = Settings(
        memory=MemorySettings(engram=EngramSettings(linker=tmp_path / "nowhere.npz"))
    )
    with pytest.raises(CorruptFile, match="nowhere"):
        mags.open(None, embedder=HashEmbedder(16), settings=settings)
