"""What is done to every memory of a folder goes on where it was interrupted."""

import os
import signal
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import mags
from mags.cli.app import app
from mags.cli.jobs import Place, every
from mags.errors import InvalidInput
from mags.models.embed.hashing import HashEmbedder
from mags.settings import Settings
from mags.store.sqlite import SqliteStore

EMBEDDER = HashEmbedder(384)


def made(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        path = folder / f"{name}.mags"
        with mags.open(path, settings=Settings(), embedder=EMBEDDER) as memory:
            memory.observe("I moved from Lisbon to Porto.", speaker="Ana")
    return folder


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words], env={"MAGS_CONFIG": os.devnull})
    return done.exit_code, done.output


def embedder_of(path: Path) -> str | None:
    store = SqliteStore.open(path)
    try:
        return store.facts.get("embedder")
    finally:
        store.close()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path):
    folder = tmp_path / "none"
    for job in ("sleep", "reembed"):
        done = CliRunner().invoke(app, [job, "--all", "--folder", str(folder)])
        assert isinstance(done.exception, InvalidInput)
        assert str(folder) in str(done.exception)
    assert not folder.exists()


def test_a_job_goes_on_where_it_stopped_and_does_again_what_failed(tmp_path: Path):
    folder = made(tmp_path / "memories", "ana")
    (folder / "cy.mags").write_bytes(b"no memory at all")
    command = "reembed", "--all", "--folder", folder, "--workers", 1
    code, said = run(*command)
    assert code == 2
    assert "ana: embedded" in said
    assert "cy failed" in said
    assert "1 memories done, 1 failed" in said
    assert embedder_of(folder / "ana.mags") != EMBEDDER.name
    (notes,) = folder.glob("reembed*.job")
    assert notes.read_text() == '"ana"\n'
    (folder / "cy.mags").unlink()
    made(folder, "bo")
    code, said = run(*command)
    assert (code, "goes on: 1 of 2 memories are done" in said) == (0, True)
    assert ("ana: embedded" in said, "bo: embedded" in said) == (False, True)
    assert not notes.exists()


def test_exports_of_a_folder_become_memories_that_then_sleep(tmp_path: Path):
    source, folder = made(tmp_path / "source", "ana", "bo"), tmp_path / "memories"
    for name in ("ana", "bo"):
        path = source / f"{name}.mags"
        with mags.open(path, settings=Settings(), embedder=EMBEDDER) as memory:
            memory.export(source / f"{name}.jsonl", vectors=False)
    code, said = run("import", source, "--all", "--folder", folder, "--workers", 1)
    assert (code, "2 memories done, 0 failed" in said) == (0, True)
    code, said = run("import", source, "--all", "--folder", folder, "--workers", 1)
    assert said.count("holds something already") == 2
    code, said = run("sleep", "--all", "--folder", folder, "--workers", 1)
    assert (code, said.count("slept,")) == (0, 2)
    for name in ("ana", "bo"):
        with mags.open(folder / f"{name}.mags", settings=Settings()) as memory:
            assert [entry.kind for entry in memory.log(5)] == ["sleep", "import"]


def end(_memories: object, name: str) -> str:
    """Work under which its process is killed."""
    if name == "b":
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_a_process_that_is_killed_leaves_a_job_that_can_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(typer.Exit):
        every("ending", end, Place(tmp_path), ["a", "b", "c"], processes=1)
    said = capsys.readouterr().out
    assert "b failed: its process was killed" in said
    assert '"b"' not in (tmp_path / "ending.job").read_text()


def refuse(_memories: object, name: str) -> str:
    """Work that fails for one memory."""
    if name == "b":
        raise InvalidInput("not this one")
    return "done"


def test_what_is_done_by_one_embedder_is_not_done_by_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    goes_on = []
    for embedder in ("small", "large", "small"):
        with pytest.raises(typer.Exit):
            every("work", refuse, Place(tmp_path), ["a", "b"], of=embedder, processes=1)
        goes_on.append("work goes on: 1 of 2" in capsys.readouterr().out)
    assert goes_on == [False, False, True]


def test_a_folder_without_exports_is_told_of(tmp_path: Path):
    with pytest.raises(InvalidInput, match="no folder with exports"):
        CliRunner().invoke(app, ["import", str(tmp_path), "--all"], catch_exceptions=False)
