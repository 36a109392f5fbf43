"""A low-rank adapter put into a small model, trained there, and merged (Hu et al. 2021,
arXiv:2106.09685).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from peft import LoraConfig, get_peft_model
from transformers import PreTrainedModel


@contextmanager
def low_rank(model: PreTrainedModel, rank: int, *, seed: int) -> Iterator[None]:
    """Within, only a LoRA of `rank` on every matrix of the layers learns; then it is merged.

    Rank 0 leaves the model as it is, every weight learning. The model is changed in place.
    """
    if rank == 0:
        yield
        return
    torch.manual_seed(seed)
    config = LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an old name
        wrapped = get_peft_model(model, config)
    yield
    wrapped.merge_and_unload()
    model.requires_grad_(True)
