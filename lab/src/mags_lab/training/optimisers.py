"""Optimisers: Muon for the matrices inside the layers, AdamW for the rest.

Muon (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/) with the step scaled to the
size of AdamW's (Liu et al. 2025, arXiv:2502.16982): a Llama of 2.6 million
weights learned to copy names by it within minutes where AdamW alone had not begun to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import nn
from torch.optim import AdamW, Muon, Optimizer


def optimisers(
    model: nn.Module, *, rate: float, decay: float = 0.01, muon: bool = True
) -> list[Optimizer]:
    """Muon and AdamW over what a model trains; embeddings, norms and biases go to AdamW.

    Without `muon` all go to AdamW: every step of Muon's is of full size in every direction, which
    with the noisy gradients of reinforcement is a random walk (docs/log.md, 2026-11-21).
    """
    inside: list[nn.Parameter] = []
    outside: list[nn.Parameter] = []
    for name, weight in model.named_parameters():
        if weight.requires_grad:
            matrix = muon and weight.ndim == 2 and "embed" not in name and "lm_head" not in name
            (inside if matrix else outside).append(weight)
    chosen: list[Optimizer] = []
    if inside:
        chosen.append(Muon(inside, lr=rate, weight_decay=decay, adjust_lr_fn="match_rms_adamw"))
    if outside:
        chosen.append(AdamW(outside, lr=rate, weight_decay=decay, betas=(0.9, 0.95)))
    return chosen


def schedule(step: int, steps: int, *, warm: float = 0.05, floor: float = 0.05) -> float:
    """Share of the full rate at a step: a linear rise, then a cosine down to `floor`."""
    rise = max(1, round(warm * steps))
    if step < rise:
        return (step + 1) / rise
    done = (step - rise) / max(1, steps - rise)
    return floor + (1.0 - floor) * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))


def take_step(
    chosen: Iterable[Optimizer], parameters: Iterable[nn.Parameter], *, rate: float, norm: float
) -> float:
    """Clip the gradient to `norm`, step every optimiser at `rate`, clear; the norm before."""
    before = float(torch.nn.utils.clip_grad_norm_(list(parameters), norm))
    for one in chosen:
        for group in one.param_groups:
            group["lr"] = rate
        one.step()
        one.zero_grad(set_to_none=True)
    return before
