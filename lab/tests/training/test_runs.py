"""A run's folder: its recipe, its steps and costs, its curves."""

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from mags.errors import ConfigurationError
from mags_lab.training import runs
from mags_lab.training.runs import Logbook, RunFile

TOLD = {"name": "smoke", "heads": ("smoke", "smoke-whole"), "seed": 0}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_the_peak_of_a_step_is_its_own(tmp_path: Path) -> None:
    ledger = RunFile(tmp_path, TOLD)
    with ledger.step("data") as noted:
        noted["bytes"] = len(bytearray(300 << 20))
    with ledger.step("base"):
        pass
    assert ledger.steps["data"]["peak_mb"] > ledger.steps["base"]["peak_mb"] + 250.0


def test_a_finished_step_is_kept_with_its_costs_and_another_recipe_refused(tmp_path: Path) -> None:
    ledger = RunFile(tmp_path, TOLD)
    with ledger.step("data") as noted:
        noted["samples"] = 7
    with pytest.raises(ZeroDivisionError), ledger.step("base"):
        raise ZeroDivisionError
    again = RunFile(tmp_path, TOLD)
    assert again.is_done("data")
    assert not again.is_done("base")
    assert again.steps["data"]["samples"] == 7
    assert again.steps["data"]["peak_mb"] > 1.0
    with pytest.raises(ConfigurationError, match="another recipe"):
        RunFile(tmp_path, {**TOLD, "seed": 1})


def test_scalars_are_kept_one_line_a_step_and_added_to(tmp_path: Path) -> None:
    for steps in ((1, 2), (3,)):
        with Logbook(tmp_path, title="sft", steps=3) as log:
            for step in steps:
                log(step, {"loss": 1.0 / step})
    lines = [json.loads(line) for line in (tmp_path / "scalars.jsonl").read_text().splitlines()]
    assert [(line["step"], line["loss"]) for line in lines] == [(1, 1.0), (2, 0.5), (3, 1 / 3)]
    assert all(line["time"] > 0 for line in lines)


def test_the_line_shows_the_step_and_the_scalars() -> None:
    shown = io.StringIO()
    console = Console(file=shown, width=120, force_terminal=True)
    with Logbook(None, title="grpo", steps=2, console=console) as log:
        log(2, {"reward": 0.75})
    assert "grpo" in shown.getvalue()
    assert "2/2" in shown.getvalue()
    assert "reward 0.75" in shown.getvalue()


def test_without_a_folder_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Logbook(None, title="sft", steps=1) as log:
        log(1, {"loss": 1.0})
    assert list(tmp_path.iterdir()) == []


def test_without_tensorboard_the_lines_are_still_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "torch.utils", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, name, None)
    assert runs.event_writer(tmp_path) is None
    with Logbook(tmp_path, title="sft", steps=1) as log:
        log(1, {"loss": 1.0})
    assert [path.name for path in tmp_path.iterdir()] == ["scalars.jsonl"]
