"""Every memory of a folder or a database is asked what it holds for sure."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mags
from mags.cli.app import app
from mags.settings import Settings
from tests.store.server import shared

TOLD = (
    "I live in Porto.",
    "I work as a carpenter.",
    "My sister is called Mia.",
    "My favourite food is ramen.",
)


def tell(memory: mags.Memory, texts: tuple[str, ...] = TOLD) -> None:
    for text in texts:
        memory.observe(text, speaker="Ana")
    memory.snapshot("then")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, texts in (("ana", TOLD), ("empty", ())):
        with mags.open(tmp_path / f"{name}.mags", settings=Settings()) as memory:
            tell(memory, texts)
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
    code, said = run("--folder", folder, "--workers", 1, "--questions", 3, "--seed", 1)
    assert (code, "goes on" in said) == (0, False), "others are asked for"
    code, said = run("--folder", folder, "--workers", 1, "--questions", 3)
    assert (code, "eval goes on: 2 of 2 memories are done" in said) == (0, True)
    assert list(folder.glob("eval*.job")) == []


def test_memories_of_a_database_are_asked_too(tmp_path: Path) -> None:
    url = shared().url
    for name in ("ana", "bo"):
        with mags.open(url, memory=name, tenant="asked", settings=Settings()) as memory:
            tell(memory)
    there = "--store", url, "--tenant", "asked", "--folder", tmp_path
    code, said = run(*there, "--workers", 2, "--questions", 3)
    assert (code, said.count("3 right, 0 wrong, 0 not known, of 3 facts")) == (0, 2)
    assert "2 memories done, 0 failed" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.full  # Ray alone takes half a minute to start
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_the_machines_of_a_cluster_ask_them(folder: Path) -> None:
    pytest.importorskip("ray", reason="needs the extra: pip install 'mags[cluster]'")
    from ray.cluster_utils import Cluster

    machine = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=machine)
    try:
        code, said = run("--folder", folder, "--ray", cluster.address, "--questions", 3)
    finally:
        cluster.shutdown()
    assert "ana: 3 right, 0 wrong, 0 not known, of 3 facts asked for (4 held" in said
    assert (code, "2 memories done, 0 failed" in said) == (0, True)
