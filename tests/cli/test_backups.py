"""`mags backup`, `restore`, `verify` and `export` of memories that are open, damaged or foreign."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

import mags
from mags.cli.app import app
from mags.errors import StoreError
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings


def opened(path: Path) -> Memory:
    return mags.open(path, settings=Settings(), embedder=HashEmbedder(64), policy=RulePolicy())


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(one) for one in words], env={"COLUMNS": "250"})


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Two memories, of which one stays open."""
    folder = tmp_path / "live"
    folder.mkdir()
    with opened(folder / "b.mags") as memory:
        memory.observe("I live in Rome.", speaker="Bob")
    with opened(folder / "a.mags") as memory:
        memory.observe("I live in Bergen.", speaker="Alice")
        memory.snapshot("then")
        memory.branch("other").close()
        memory.observe("I moved to Oslo.", speaker="Alice")
        yield folder


def shown(path: Path) -> list[object]:
    with opened(path) as memory:
        return [memory.log(), memory.facts(), memory.snapshots(), memory.branches()]


def test_what_is_restored_is_what_was_backed_up(folder: Path, tmp_path: Path):
    before = shown(folder / "a.mags")
    assert run("backup", folder, tmp_path / "kept").exit_code == 0
    with opened(folder / "a.mags") as memory:
        memory.forget("Oslo")
    kept = [tmp_path / "kept", *sorted((tmp_path / "kept").iterdir())]
    assert [one.name for one in kept] == ["kept", "a.mags", "b.mags"]
    assert [stat.S_IMODE(one.stat().st_mode) for one in kept] == [0o700, 0o600, 0o600]
    assert run("restore", tmp_path / "kept" / "a.mags", tmp_path / "again.mags").exit_code == 0
    assert shown(tmp_path / "again.mags") == before != shown(folder / "a.mags")


def test_a_restore_puts_nothing_over_a_memory(folder: Path, tmp_path: Path):
    assert run("backup", folder / "a.mags", tmp_path / "kept.mags").exit_code == 0
    refused = run("restore", tmp_path / "kept.mags", folder / "b.mags")
    assert isinstance(refused.exception, StoreError)
    assert "is there already" in str(refused.exception)


def test_verify_names_what_is_damaged_in_a_folder_and_goes_on_with_the_rest(
    folder: Path, tmp_path: Path
):
    assert run("backup", folder, tmp_path / "kept").exit_code == 0
    path = tmp_path / "kept" / "b.mags"
    data = bytearray(path.read_bytes())
    data[5 * 8192 + 8] ^= 4
    path.write_bytes(data)
    found = run("verify", tmp_path / "kept")
    assert found.exit_code == 1
    assert "a.mags is whole" in found.output
    assert "b.mags is damaged" in found.output
    assert "b.mags is whole" in run("verify", "--go-on", path).output


def test_a_memory_of_another_embedder_is_exported_all_the_same(folder: Path, tmp_path: Path):
    done = run("--memory", folder / "b.mags", "export", tmp_path / "e.jsonl")
    assert done.exit_code == 0, done.exception
    with opened(tmp_path / "new.mags") as memory:
        memory.import_(tmp_path / "e.jsonl")
        assert [fact.text for fact in memory.facts()] == ["Bob lives in Rome."]
        assert memory.recall("Where does Bob live?")


def test_the_verbs_stand_in_the_help():
    assert isinstance(app, typer.Typer)
    said = run("--help").output
    assert all(verb in said for verb in ("backup", "restore", "verify"))
