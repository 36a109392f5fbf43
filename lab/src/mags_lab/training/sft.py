"""SFT: the next token of good replies, for a model or an adapter of any size.

What is unusual: prompts are learned a little, too (`prompt_weight`), and matrices step by Muon
(`mags_lab.training.optimisers`). A run is its config: the same seed, samples and threads give the
same weights, and a run that was stopped goes on where its last checkpoint left it.

Shapes: `b` samples, `t` tokens of the longest, `v` pieces.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.optim import Optimizer
from transformers import PreTrainedModel

from mags_lab.training.batches import Encoded, TrainingBatch, batches
from mags_lab.training.optimisers import (
    latest,
    load_checkpoint,
    optimisers,
    save_checkpoint,
    schedule,
    take_step,
)
from mags_lab.training.runs import Watch

SEEDS = 1_000_003


@dataclass(frozen=True, slots=True, kw_only=True)
class SftConfig:
    """How to fine-tune. `tokens`: of a batch, padding counted. `prompt_weight`: loss on prompts.

    `save_every`: steps between checkpoints (0: none). `rate`: the highest learning rate.
    """

    steps: int = 2_000
    rate: float = 3e-3
    tokens: int = 4_096
    prompt_weight: float = 0.1
    decay: float = 0.01
    norm: float = 1.0
    seed: int = 0
    save_every: int = 0


def fine_tune(
    model: PreTrainedModel,
    encoded: Sequence[Encoded],
    config: SftConfig,
    *,
    watch: Watch | None = None,
    folder: Path | None = None,
) -> None:
    """Train `model` in place; checkpoints go to `folder` and are taken up from there."""
    chosen = optimisers(model, rate=config.rate, decay=config.decay)
    begin = resume(model, chosen, folder)
    stream = endless(encoded, config, pad=int(model.config.pad_token_id))
    model.train()
    for step, batch in enumerate(itertools.islice(stream, begin, config.steps), start=begin):
        rate = config.rate * schedule(step, config.steps)
        loss = next_token_loss(model, batch)
        loss.backward()
        take_step(chosen, model.parameters(), rate=rate, norm=config.norm)
        if watch is not None:
            watch(step + 1, {"loss": float(loss.detach()), "rate": rate})
        if folder is not None and config.save_every and (step + 1) % config.save_every == 0:
            save_checkpoint(folder, step + 1, model, chosen)
    model.eval()


def next_token_loss(model: PreTrainedModel, batch: TrainingBatch) -> Tensor:
    """The weighted cross-entropy of a batch."""
    device = next(model.parameters()).device
    logits = model(input_ids=batch.inputs.to(device)).logits
    return weighted_cross_entropy(logits, batch.targets.to(device), batch.weights.to(device))


def weighted_cross_entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy of the next token, a mean by `weights`.

    `logits` (b, t, v) predict `targets` (b, t); `weights` (b, t) are 1 on the completion, small on
    the prompt, 0 on padding.
    """
    losses = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), reduction="none"
    ).view_as(targets)
    return (losses * weights).sum() / weights.sum().clamp(min=1e-8)


def endless(encoded: Sequence[Encoded], config: SftConfig, *, pad: int) -> Iterator[TrainingBatch]:
    """Batches for ever, each round over the samples in an order of its own."""
    if not encoded:
        return
    for turn in itertools.count():
        yield from batches(
            encoded,
            tokens=config.tokens,
            pad=pad,
            prompt_weight=config.prompt_weight,
            seed=config.seed * SEEDS + turn,
        )


def resume(model: torch.nn.Module, chosen: Sequence[Optimizer], folder: Path | None) -> int:
    """Take up the newest checkpoint of a folder; how many steps it has behind it."""
    found = None if folder is None else latest(folder)
    return 0 if found is None else load_checkpoint(found, model, chosen)
