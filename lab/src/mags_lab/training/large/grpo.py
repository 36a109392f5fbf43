"""GRPO of an adapter by TRL's trainer: the loss of `mags_lab.training.grpo`, any size of model.

One `GrpoConfig` serves both. What differs: groups of equal rewards are not drawn again (their
advantage is 0), and AdamW takes the steps. vLLM generates where it is there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import (
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer

from mags.errors import ConfigurationError
from mags_lab.training.chains.schema import Sample
from mags_lab.training.grpo import GrpoConfig
from mags_lab.training.large.adapters import Adapted
from mags_lab.training.large.loading import Loaded
from mags_lab.training.large.rewards import PLACE, Part
from mags_lab.training.progress import Watch

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
    parts: Sequence[Part],
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
