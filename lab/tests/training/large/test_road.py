"""Gemma, Qwen and Llama go the whole way: template, LoRA, SFT, GRPO, merge, reload."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

for library in ("torch", "peft", "trl"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from safetensors.numpy import load_file  # noqa: E402 - torch first

from lab.tests.training.large import families, road  # noqa: E402
from lab.tests.training.large.families import FAMILIES, samples  # noqa: E402
from mags.models.grammar import read_engram  # noqa: E402
from mags_lab.training.grpo import GrpoConfig  # noqa: E402
from mags_lab.training.large.adapters import Adapted, prepare_lesson, put_adapter, take_up, teach  # noqa: E402
from mags_lab.training.large.loading import load  # noqa: E402
from mags_lab.training.large.lora import reinforce_adapter  # noqa: E402
from mags_lab.training.large.rewards import reward_parts  # noqa: E402
from mags_lab.training.reward import GoldJudge  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_goes_the_whole_road(family: str, tmp_path: Path) -> None:
    walked = road.walk(family, tmp_path, epochs=8)
    assert walked.losses[-1] < 0.75 * walked.losses[0]
    merged = load(walked.merged)
    assert road.replies(Adapted(loaded=merged, model=merged.model)) == road.replies(walked.adapted)
    curves: list[dict[str, float]] = []
    reinforce_adapter(
        walked.adapted,
        samples(),
        reward_parts(samples(), GoldJudge()),
        GrpoConfig(steps=2, prompts=2, group=4, rows=4, epochs=2, rate=1e-3),
        folder=tmp_path / "grpo",
        watch=lambda _, scalars: curves.append(dict(scalars)),
    )
    assert len(curves) == 2 * 2 * 2
    assert {"reward", "format", "f1", "grounded", "exact", "loss"} <= curves[0].keys()


def test_a_taught_adapter_speaks_memory_tokens(taught: Any) -> None:
    words = taught.adapted.loaded.tokenizer
    said = [words.decode(one[:-1]) for one in road.replies(taught.adapted)]
    assert {len(read_engram(reply).operations) for reply in said} == {0, 1}
    # Memory tokens are single pieces that decoding keeps, though special ones go.
    ids = words("<engram>\nnone\n</engram>", add_special_tokens=False)["input_ids"]
    assert ids[0] in taught.adapted.loaded.tokens
    assert words.decode(ids, skip_special_tokens=True) == "<engram>\nnone\n</engram>"


def test_an_adapter_is_small_and_holds_the_rows_of_memory_tokens(taught: Any) -> None:
    kept = load_file(taught.adapter / "adapter_model.safetensors")
    rows = [table.shape for name, table in kept.items() if "trainable_tokens" in name]
    assert rows == [(6, 32), (6, 32)]  # both tables: this Llama's are not tied
    assert not any("base_layer" in name for name in kept)


def test_grpo_raises_the_reward(tmp_path: Path) -> None:
    walked = road.walk("llama", tmp_path, epochs=2, educated=42)
    loaded = load(walked.base)
    short = replace(loaded, speech=replace(loaded.speech, limit=24))
    curve: list[float] = []
    reinforce_adapter(
        take_up(short, walked.adapter),
        samples(),
        reward_parts(samples(), GoldJudge()),
        GrpoConfig(steps=16, prompts=8, group=8, rows=64, epochs=2, rate=3e-3),
        folder=tmp_path / "grpo",
        watch=lambda _, s: curve.extend([s["reward"]] if "reward" in s else []),
    )
    assert len(curve) == 16
    assert sum(curve[-4:]) / 4 > sum(curve[:4]) / 4 + 0.05, curve


class Stopped(Exception):
    """Thrown in the middle of a run."""


def test_a_lesson_that_was_stopped_ends_with_the_same_adapter(tmp_path: Path) -> None:
    families.folder("qwen", tmp_path / "base")
    preset = road.preset(2)

    def taught(watch: Any, folder: Path | None, seed: int = 0) -> dict[str, Any]:
        adapted = put_adapter(load(tmp_path / "base"), preset, seed=seed)
        lesson = prepare_lesson(adapted, samples() * 4, preset)
        lesson = replace(lesson, config=replace(lesson.config, save_every=2))
        assert lesson.config.steps > 4
        teach(adapted, lesson, watch=watch, folder=folder)
        named = adapted.model.named_parameters()
        return {name: one.detach().clone() for name, one in named if one.requires_grad}

    def stop(step: int, scalars: Any) -> None:
        if step == 3:
            raise Stopped

    with pytest.raises(Stopped):
        taught(stop, tmp_path / "run")
    steps: list[int] = []
    again = taught(lambda step, _: steps.append(step), tmp_path / "run", seed=9)
    whole = taught(None, None)
    assert steps[0] == 3
    assert again.keys() == whole.keys()
    assert all((again[name] == whole[name]).all() for name in whole)


def test_a_run_that_was_stopped_goes_on(taught: Any, tmp_path: Path) -> None:
    steps: list[int] = []
    config = GrpoConfig(steps=1, prompts=2, group=2, rows=4, epochs=1, save_every=1)
    for count in (1, 2):
        reinforce_adapter(
            taught.adapted,
            samples(),
            reward_parts(samples(), GoldJudge()),
            replace(config, steps=count),
            folder=tmp_path,
            watch=lambda step, _: steps.append(step),
        )
    assert steps == [1, 2]
