"""Kernels where nothing can be written: the environment of a hardened service, also for root."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

IMPORT = "import mags; from mags.graph.records import half_life_of; print(half_life_of(1.0, 0.0))"
RECALL = """
import mags
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings

with mags.open(None, settings=Settings(), embedder=HashEmbedder(64)) as memory:
    memory.observe("Ana lives in Porto.", speaker="Bo")
    print(memory.recall("Where does Ana live?").hits[0].text)
"""


@pytest.fixture
def nowhere(root: Path, tmp_path: Path) -> Path:
    """A folder with MAGS and a file in every place where a cache would be made."""

    def placed(source: str, target: str) -> None:
        Path(target).symlink_to(source)

    def copied(source: str, target: str) -> None:
        # Numba goes by where a source truly lies; weights are only linked.
        (shutil.copy if source.endswith(".py") else placed)(source, target)

    package = tmp_path / "mags"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "src" / "mags", package, ignore=ignored, copy_function=copied)
    for folder, _, _ in os.walk(package):
        Path(folder, "__pycache__").touch()
    (tmp_path / "home").touch()
    return tmp_path


def run(folder: Path, code: str, **more: str) -> tuple[str, str]:
    """What a Python says that can keep nothing."""
    home = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home" / "cache")}
    gone = ("NUMBA_CACHE_DIR", "PYTHONPYCACHEPREFIX")
    environment = {name: value for name, value in os.environ.items() if name not in gone}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **home, "PYTHONPATH": str(folder), **more},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.strip()


def test_where_nothing_can_be_written_kernels_work_and_one_line_says_what_to_do(nowhere: Path):
    said, warned = run(nowhere, IMPORT)
    assert said == "2000.0"
    assert len(warned.splitlines()) == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in warned


def test_the_folder_that_the_user_names_keeps_the_kernels(nowhere: Path):
    kept = nowhere / "kernels"
    assert run(nowhere, IMPORT, NUMBA_CACHE_DIR=str(kept)) == ("2000.0", "")
    assert [path.name.partition("-")[0] for path in kept.rglob("*.nbi")] == ["records.half_life_of"]


@pytest.mark.full
def test_where_nothing_can_be_written_a_turn_is_observed_and_recalled(nowhere: Path):
    said, warned = run(nowhere, RECALL)
    assert said == "Ana lives in Porto."
    assert "NUMBA_CACHE_DIR" in warned
