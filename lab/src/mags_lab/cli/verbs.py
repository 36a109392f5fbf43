"""`mags train`: its verbs put together. What joins `mags` stands in the laboratory's pyproject."""

from __future__ import annotations

from collections.abc import Callable

from mags_lab.cli.train import train
from mags_lab.cli.train_evaluate import evaluate
from mags_lab.cli.train_heads import heads
from mags_lab.cli.train_linker import linker
from mags_lab.cli.train_lora import grpo, lora, needs, ppo, sft, sizes
from mags_lab.cli.train_runs import everything

__all__ = ["train"]

TRAIN: dict[str, Callable[..., None]] = {
    "sft": sft,
    "grpo": grpo,
    "ppo": ppo,
    "heads": heads,
    "evaluate": evaluate,
    "linker": linker,
    "all": everything,
    "lora": lora,
    "needs": needs,
}
for _name, _verb in TRAIN.items():
    train.command(name=_name)(_verb)
train.command(
    name="sizes",
    hidden=True,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(sizes)
