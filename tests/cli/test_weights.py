"""What the command line shows of what was taught to weights, and deletes of it."""

import json
from pathlib import Path

import pytest

import mags
from mags.memory.views import Recitals
from mags.memory.weights import count_recitals
from mags.settings import Settings
from tests.cli.running import run
from tests.memory.test_weights import fact, told, train


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "alice.mags"
    monkeypatch.setenv("MAGS_MEMORY", str(path))
    with mags.open(path, settings=Settings()) as memory:
        memory.snapshot("morning")
        train(told(memory), tmp_path / "weights")
        memory.observe("I moved to Oslo.", speaker="Alice", at="2024-02-01")
    return path


def test_what_was_taught_is_shown_and_goes_with_what_is_forgotten(
    memory: Path, tmp_path: Path
) -> None:
    with mags.open(memory, settings=Settings()) as opened:
        old = fact(opened, "Bergen")
    assert "train first, 3 facts" in run("log")
    assert "first, taught 3 facts, 1 of them stale now" in run("stats")
    assert "recited" not in run("stats")
    with mags.open(memory, settings=Settings()) as opened, opened._live.writing():
        told = Recitals(skipped=4, agreed=2, disagreed=1, tokens=2_700)
        count_recitals(opened._live.store, told)
    shown = " ".join(run("stats").split())
    assert "4 without recall, 2 of 3 with it agreed, some 3,600 tokens saved (an estimate)" in shown
    assert f"none -> first: 3 facts taught more, 0 less; stale now: m{old}" in run(
        "diff", "morning"
    )
    assert json.loads(run("diff", "morning", "--json"))["weights"]["stale"] == [old]
    folder = tmp_path / "weights" / "first"
    assert f"weights {folder}" in run("forget", f"m{old}", "--dry-run")
    assert f"Deleted {folder}" in run("forget", f"m{old}", "--yes")
    assert not folder.exists()
    assert "weights" not in run("stats")
