"""What members are reinforced by: labels or what a memory knows afterwards; PPO's fair share."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

for library in ("torch", "peft"):
    pytest.importorskip(library, reason="needs the extra: pip install 'mags[train]'")

from mags.cli import train_runs  # noqa: E402 - torch first
from mags.cli.app import app  # noqa: E402
from mags.errors import ConfigurationError, InvalidInput  # noqa: E402
from mags.training.chains.schema import Role, Sample  # noqa: E402
from mags.training.exam import BlindJudge, Examined  # noqa: E402
from mags.training.experience import Task  # noqa: E402
from mags.training.generate.samples import Amount, generate  # noqa: E402
from mags.training.recipe import steps  # noqa: E402
from mags.training.recipe.presets import (  # noqa: E402
    SMOKE,
    Data,
    Reinforcing,
    Reward,
    Teaching,
)
from mags.training.recipe.steps import Run, judged  # noqa: E402
from mags.training.reward import GoldJudge  # noqa: E402

TINY = replace(
    SMOKE,
    data=Data(train=60, kept_back=20, test=2),
    base=Teaching(steps=3, rate=6e-3, tokens=1_024),
    specialise=Teaching(steps=0, rate=0.0),
    reinforce=Reinforcing(steps=1, prompts=3, group=2, rank=0, limit=16, roles=("write",)),
    threads=1,
    heads=(),
)


def known() -> list[Task[Sample]]:
    return [Task(prompt=(0,), known=one) for one in generate(Amount(train=60, least=1), seed=0)]


def test_labels_judge_unless_the_store_is_asked(tmp_path: Path) -> None:
    tasks, judge = judged(Run(recipe=TINY, folder=tmp_path), known())
    assert isinstance(judge, GoldJudge)
    assert [task.known for task in tasks] == [task.known for task in known()]


def test_the_judge_of_the_store_sees_no_target(tmp_path: Path) -> None:
    tasks, judge = judged(Run(recipe=TINY, folder=tmp_path, reward=Reward.STORE), known())
    assert isinstance(judge, BlindJudge)
    assert 0 < len(tasks) < len(known())
    assert all(isinstance(task.known, Examined) for task in tasks)
    assert {(task.known.sample.target, task.known.sample.tags) for task in tasks} == {("", ())}


def test_samples_without_an_exam_cannot_be_judged_by_the_store(tmp_path: Path) -> None:
    routes = [task for task in known() if task.known.role is Role.ROUTER]
    with pytest.raises(InvalidInput, match="reinforce by labels"):
        judged(Run(recipe=TINY, folder=tmp_path, reward=Reward.STORE), routes)


def test_a_member_is_reinforced_by_the_store_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unasked(*_: Any) -> Any:
        raise AssertionError("the labels were asked")

    monkeypatch.setattr(train_runs, "preset", lambda name: TINY)
    monkeypatch.setattr(GoldJudge, "__call__", unasked)
    how = ("--out", str(tmp_path), "--threads", "1")
    for words in (("sft",), ("grpo", "--reward", "store")):
        done = CliRunner().invoke(app, ["train", *words, *how])
        assert done.exception is None, done.output
    step = json.loads((tmp_path / "run.json").read_text())["steps"]["grpo-write"]
    assert step["reward"] == "store"
    lines = (tmp_path / "grpo-write" / "log" / "scalars.jsonl").read_text().splitlines()
    assert "fidelity" in json.loads(lines[0])
    assert "exact" not in json.loads(lines[0])
    other = CliRunner().invoke(app, ["train", "grpo", *how])
    assert isinstance(other.exception, ConfigurationError)
    assert "--reward store" in str(other.exception)


def test_ppo_reads_as_many_prompts_and_draws_as_many_replies_as_grpo() -> None:
    how, config = TINY.reinforce, steps._ppo(TINY)
    assert (config.steps, config.replies, config.copies) == (how.steps, 3 * 2, 2)
    assert config.replies // config.copies == how.prompts
    assert (config.epochs, config.rows) == (how.epochs, how.rows)
