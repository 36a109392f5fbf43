"""An adapter from a model to the folder of a run, measured before, after SFT and after GRPO."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers.utils import logging

from mags.errors import ConfigurationError
from mags.training.grpo import GrpoConfig
from mags.training.large.adapters import Adapted, prepare_lesson, put_adapter, save_adapter, teach
from mags.training.large.decider import AdaptedDecider
from mags.training.large.devices import Aids, Device, find_aids, find_device
from mags.training.large.grpo import reinforce_adapter
from mags.training.large.loading import Loaded, load, prepare
from mags.training.large.presets import QUICK, Preset
from mags.training.large.rewards import rewarded
from mags.training.large.wording import Wording
from mags.training.recipe.presets import Reward
from mags.training.trial import Row, Stopwatch, Trial

ADAPTER = "adapter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Which model gets an adapter, and how. `model`: a folder, or a name of the hub.

    `reward`: what GRPO reinforces by.
    """

    model: str
    preset: Preset = QUICK
    wording: Wording = Wording.COMPACT
    four_bit: bool = False
    reward: Reward = Reward.LABELS


def tune(tuning: Tuning, trial: Trial) -> list[Row]:
    """Train an adapter; a row for each stage, and `results.json`, curves and adapter in the folder.

    A folder in which this was stopped is taken up where it was; the minutes are those since then.
    Raises ConfigurationError where the model cannot be loaded, or the folder is of another run.
    """
    told = {
        "model": base_named(tuning.model),
        "preset": tuning.preset.name,
        "wording": tuning.wording.value,
        "four_bit": tuning.four_bit,
    }
    trial.check(told)
    logging.disable_progress_bar()
    torch.set_float32_matmul_precision("high")
    device = find_device()
    aids = chosen_aids(device, four_bit=tuning.four_bit)
    loaded = _loaded(tuning, trial, device, aids)
    trial.claim(told)
    rows = list(_stages(tuning, trial, loaded))
    trial.write(rows, {**told, "device": device.kind})
    return rows


def chosen_aids(device: Device, *, four_bit: bool) -> Aids:
    """What speeds a run up here; raises ConfigurationError where 4 bits are asked for in vain."""
    aids = find_aids(device)
    if not four_bit:
        return replace(aids, four_bit=False)
    if not aids.four_bit:
        raise ConfigurationError(
            "4-bit weights need a CUDA GPU and bitsandbytes (`pip install bitsandbytes`): leave "
            "--four-bit out, or take a smaller model.",
            key="--four-bit",
        )
    return replace(aids, vllm=False)  # it would hold the weights once more, unquantised


def base_named(model: str) -> str:
    """A model as an adapter's card names it: a folder from the root, so that it is found again."""
    return str(Path(model).resolve()) if Path(model).is_dir() else model


def _loaded(tuning: Tuning, trial: Trial, device: Device, aids: Aids) -> Loaded:
    source: str | Path = tuning.model
    if aids.vllm and trial.grpo:
        source = prepare(source, trial.folder / "prepared", wording=tuning.wording)
    return load(source, wording=tuning.wording, device=device, aids=aids)


def _stages(tuning: Tuning, trial: Trial, loaded: Loaded) -> Iterator[Row]:
    preset, seed = tuning.preset, trial.seed
    train, tests = trial.material()
    clock = Stopwatch()
    adapted = put_adapter(loaded, preset, seed=seed)

    def row(name: str) -> Row:
        decider = AdaptedDecider(adapted, name=name, timed=0)
        return trial.row(decider, adapted.model, tests, clock)

    yield row("before")
    clock = Stopwatch()
    lesson = prepare_lesson(adapted, train, preset, seed=seed)
    with trial.log("sft", lesson.config.steps) as watch:
        teach(adapted, lesson, watch=watch, folder=trial.checkpoints("sft"))
    _keep(adapted, tuning, trial)
    yield row(f"{preset.name} SFT")
    if trial.grpo:
        clock = Stopwatch()
        config = GrpoConfig(
            steps=trial.grpo, prompts=preset.prompts, group=8, rows=8, rate=1e-5, seed=seed
        )
        steps = config.steps * config.epochs * config.prompts * config.group // config.rows
        part = "grpo" if tuning.reward is Reward.LABELS else f"grpo-{tuning.reward}"
        chosen, parts = rewarded(train, tuning.reward)
        with trial.log(part, steps) as watch:
            folder = trial.folder / part / "trl"
            reinforce_adapter(adapted, chosen, parts, config, folder=folder, watch=watch)
        _keep(adapted, tuning, trial)
        yield row("and GRPO")


def _keep(adapted: Adapted, tuning: Tuning, trial: Trial) -> None:
    if trial.keep:
        save_adapter(adapted, trial.folder / ADAPTER, base=base_named(tuning.model))
