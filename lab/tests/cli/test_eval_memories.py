"""Every memory of a folder is asked what it holds for sure."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mags
from mags.cli.app import app
from mags.settings import Settings

TOLD = (
    "I live in Porto.",
    "I work as a carpenter.",
    "My sister is called Mia.",
    "My favourite food is ramen.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ana", "empty"):
        with mags.open(tmp_path / f"{name}.mags", settings=Settings()) as memory:
            for text in TOLD if name == "ana" else ():
                memory.observe(text, speaker="Ana")
            memory.snapshot("then")
    return tmp_path


def run(*words: object) -> tuple[int, str]:
    env = {"MAGS_CONFIG": os.devnull, "COLUMNS": "200"}
    done = CliRunner().invoke(app, ["eval", "memories", *map(str, words)], env=env)
    return done.exit_code, done.output


def journal(folder: Path, name: str) -> list[str]:
    with mags.open(folder / f"{name}.mags", settings=Settings()) as memory:
        return [entry.kind for entry in memory.log(20)]


def test_every_memory_is_asked_what_it_holds_and_is_left_as_it_was(folder: Path) -> None:
    before = journal(folder, "ana")
    (folder / "cy.mags").write_bytes(b"no memory at all")
    code, said = run("--folder", folder, "--workers", 1, "--questions", 3)
    assert code == 2
    assert "cy failed" in said
    line = next(line for line in said.splitlines() if line.startswith("ana:"))
    assert "of 3 facts asked for (4 held for sure)" in line
    assert "3 right, 0 wrong, 0 not known" in line
    assert "empty: 0 right, 0 wrong, 0 not known, of 0 facts asked for (0 held" in said
    assert journal(folder, "ana") == before
    (folder / "cy.mags").unlink()
    code, said = run("--folder", folder, "--workers", 1)
    assert (code, "eval goes on: 2 of 2 memories are done" in said) == (0, True)
    assert not (folder / "eval.job").exists()
