"""An adapter from a model to the folder of a run, measured before, after SFT and after GRPO.

GRPO is by TRL's trainer: the loss of `mags_lab.training.grpo`, any size of model. One `GrpoConfig`
serves both. What differs: groups of equal rewards are not drawn again (their advantage is 0), and
AdamW takes the steps. vLLM generates where it is there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import (
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.trainer_utils import get_last_checkpoint
from transformers.utils import logging
from trl import GRPOConfig, GRPOTrainer

from mags.errors import ConfigurationError
from mags_lab.training.chains.schema import Sample
from mags_lab.training.grpo import GrpoConfig
from mags_lab.training.large.adapters import (
    Adapted,
    prepare_lesson,
    put_adapter,
    save_adapter,
    teach,
)
from mags_lab.training.large.loading import (
    Aids,
    Device,
    Loaded,
    chosen_aids,
    find_device,
    load,
    prepare,
)
from mags_lab.training.large.presets import QUICK, Preset, Wording
from mags_lab.training.large.rewards import PLACE, RewardTerm, rewarded
from mags_lab.training.large.trial import AdaptedDecider, Stopwatch, Trial, TrialRow
from mags_lab.training.reward import Reward
from mags_lab.training.runs import Watch

CURVES = {"reward": "reward", "loss": "loss", "frac_reward_zero_std": "uninformative"}


class Curves(TrainerCallback):  # type: ignore[misc]
    """Hands TRL's log lines to a watch: the reward, each part's mean, the loss."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **kwargs: object,
    ) -> None:
        """Note one line of the log."""
        found = {CURVES[name]: float(v) for name, v in (logs or {}).items() if name in CURVES}
        for name, value in (logs or {}).items():
            if name.startswith("rewards/") and name.endswith("/mean"):
                found[name.split("/")[1]] = float(value)
        if found:
            self._watch(state.global_step, found)


def trl_config(
    config: GrpoConfig, folder: Path, loaded: Loaded, *, weights: Sequence[float] = ()
) -> GRPOConfig:
    """A `GrpoConfig` in TRL's words: no scaling by the deviation, no KL, a constant length.

    `weights`: of the reward functions. Raises ConfigurationError where `rows` does not divide the
    replies of a step.
    """
    device = loaded.device
    replies = config.prompts * config.group
    rows = min(config.rows, replies)
    if replies % rows:
        raise ConfigurationError(
            f"rows={rows} must divide prompts x group = {replies}.", rows=rows, replies=replies
        )
    rollouts: dict[str, Any] = (
        {"use_vllm": True, "vllm_mode": "colocate"} if loaded.aids.vllm else {}
    )
    return GRPOConfig(
        output_dir=str(folder),
        max_steps=config.steps * config.epochs * (replies // rows),
        per_device_train_batch_size=rows,
        generation_batch_size=replies,
        num_generations=config.group,
        num_iterations=config.epochs,
        max_completion_length=loaded.speech.limit,
        learning_rate=config.rate,
        max_grad_norm=config.norm,
        epsilon=config.clip,
        beta=0.0,
        scale_rewards="none",
        loss_type="dr_grpo",
        reward_weights=list(weights) or None,
        temperature=1.0,
        seed=config.seed,
        use_cpu=device.kind == "cpu",
        bf16=device.is_gpu,
        gradient_checkpointing=device.is_gpu,
        save_strategy="steps" if config.save_every else "no",
        save_steps=max(1, config.save_every),
        save_total_limit=2,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=device.is_gpu,
        **rollouts,
    )


def reinforce_adapter(
    adapted: Adapted,
    samples: Sequence[Sample],
    parts: Sequence[RewardTerm],
    config: GrpoConfig,
    *,
    folder: Path,
    watch: Watch | None = None,
) -> None:
    """Train the adapter in place on samples; checkpoints go to `folder`, taken up there.

    `parts`: of the reward, which know the samples by their places.
    """
    speech = adapted.loaded.speech
    rows = [{"prompt": speech.messages(one), PLACE: i} for i, one in enumerate(samples)]
    # TRL trains nothing, and says so only in its log, where a step wants more prompts than there
    # are.
    rows *= math.ceil(config.prompts / max(1, len(rows)))
    trainer = GRPOTrainer(
        model=adapted.model,
        reward_funcs=list(parts),
        args=trl_config(config, folder, adapted.loaded, weights=[part.weight for part in parts]),
        train_dataset=Dataset.from_list(rows),
        processing_class=adapted.loaded.tokenizer,
        callbacks=[Curves(watch)] if watch is not None else None,
    )
    trainer.remove_callback(PrinterCallback)
    # TRL's fused head reads a bias, which peft's wrapper around the trained rows does not pass on.
    head = adapted.model.get_output_embeddings()
    if not hasattr(head, "bias"):
        head.bias = None
    reached = get_last_checkpoint(str(folder)) if folder.is_dir() else None
    trainer.train(resume_from_checkpoint=reached)
    adapted.model.eval()


ADAPTER = "adapter"
SAVED = 20
"""Updates of GRPO between checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterTuning:
    """Which model gets an adapter, and how. `model`: a folder, or a name of the hub.

    `reward`: what GRPO reinforces by.
    """

    model: str
    preset: Preset = QUICK
    wording: Wording = Wording.COMPACT
    four_bit: bool = False
    reward: Reward = Reward.LABELS


def tune(tuning: AdapterTuning, trial: Trial) -> list[TrialRow]:
    """Train an adapter; a row for each stage, and `results.json`, curves and adapter in the folder.

    A folder in which this was stopped is taken up where it was; the minutes are those since then.
    Raises ConfigurationError where the model cannot be loaded, the folder is of another run, or
    options do not go together.
    """
    told = {
        "model": base_named(tuning.model),
        "preset": tuning.preset.name,
        "wording": tuning.wording.value,
        "four_bit": tuning.four_bit,
    }
    trial.check(told)
    _check(tuning, trial)
    logging.disable_progress_bar()
    torch.set_float32_matmul_precision("high")
    device = find_device()
    aids = chosen_aids(device, four_bit=tuning.four_bit)
    loaded = _loaded(tuning, trial, device, aids)
    trial.claim(told)
    rows = list(_stages(tuning, trial, loaded))
    trial.write(rows, {**told, "device": device.kind})
    return rows


def base_named(model: str) -> str:
    """A model as an adapter's card names it: a folder from the root, so that it is found again."""
    return str(Path(model).resolve()) if Path(model).is_dir() else model


def _loaded(tuning: AdapterTuning, trial: Trial, device: Device, aids: Aids) -> Loaded:
    source: str | Path = tuning.model
    if aids.vllm and trial.grpo:
        source = prepare(source, trial.folder / "prepared", wording=tuning.wording)
    return load(source, wording=tuning.wording, device=device, aids=aids)


def _stages(tuning: AdapterTuning, trial: Trial, loaded: Loaded) -> Iterator[TrialRow]:
    preset, seed = tuning.preset, trial.seed
    train, tests = trial.material()
    # Before anything is taught: it may be refused.
    judged = rewarded(train, tuning.reward) if trial.grpo else None
    clock = Stopwatch()
    adapted = put_adapter(loaded, preset, seed=seed)

    def row(name: str) -> TrialRow:
        decider = AdaptedDecider(adapted, name=name, timed=0)
        return trial.row(decider, adapted.model, tests, clock)

    yield row("before")
    clock = Stopwatch()
    lesson = prepare_lesson(adapted, train, preset, seed=seed)
    with trial.log("sft", lesson.config.steps) as watch:
        teach(adapted, lesson, watch=watch, folder=trial.checkpoints("sft"))
    _keep(adapted, tuning, trial)
    yield row(f"{preset.name} SFT")
    if judged is not None:
        clock = Stopwatch()
        _reinforce(adapted, tuning, trial, *judged)
        _keep(adapted, tuning, trial)
        yield row("and GRPO")


def _reinforce(
    adapted: Adapted,
    tuning: AdapterTuning,
    trial: Trial,
    chosen: Sequence[Sample],
    parts: Sequence[RewardTerm],
) -> None:
    config = GrpoConfig(
        steps=trial.grpo,
        prompts=tuning.preset.prompts,
        group=8,
        rows=8,
        rate=1e-5,
        seed=trial.seed,
        save_every=SAVED if trial.keep else 0,
    )
    steps = config.steps * config.epochs * config.prompts * config.group // config.rows
    part = "grpo" if tuning.reward is Reward.LABELS else f"grpo-{tuning.reward}"
    # By the count: the rate falls to 0 over it, so another count is another run.
    folder = trial.folder / part / f"trl-{trial.grpo}"
    with trial.log(part, steps) as watch:
        reinforce_adapter(adapted, chosen, parts, config, folder=folder, watch=watch)


def _check(tuning: AdapterTuning, trial: Trial) -> None:
    """Raise ConfigurationError where options do not go together, or would undo what was done."""
    if trial.grpo:
        return
    if tuning.reward is not Reward.LABELS:
        raise ConfigurationError(
            f"--reward {tuning.reward} says what GRPO reinforces by: give --grpo N, too.",
            key="--reward",
        )
    if any(trial.folder.glob("grpo*/trl-*")):
        raise ConfigurationError(
            f"The adapter in {trial.folder} was reinforced: give --grpo N again, or another "
            "folder; without it that adapter would be written over.",
            key="--grpo",
        )


def _keep(adapted: Adapted, tuning: AdapterTuning, trial: Trial) -> None:
    if trial.keep:
        save_adapter(adapted, trial.folder / ADAPTER, base=base_named(tuning.model))
