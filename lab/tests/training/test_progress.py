"""What a run shows and keeps."""

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from mags_lab.training import progress
from mags_lab.training.progress import Logbook


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
    assert progress.event_writer(tmp_path) is None
    with Logbook(tmp_path, title="sft", steps=1) as log:
        log(1, {"loss": 1.0})
    assert [path.name for path in tmp_path.iterdir()] == ["scalars.jsonl"]
