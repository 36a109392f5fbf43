"""Optimisers, their schedule, and checkpoints of a run.

Muon steps the matrices inside the layers, AdamW the rest. Muon (Jordan et al. 2024,
https://kellerjordan.github.io/posts/muon/) with the step scaled to the size of AdamW's (Liu et al.
2025, arXiv:2502.16982): a Llama of 2.6 million weights learned to copy names by it within minutes
where AdamW alone had not begun to.

A checkpoint is written beside the last one, then renamed, so a kill leaves a whole one.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from mags.errors import CorruptFile


class Muon(torch.optim.Muon):  # type: ignore[misc]
    """PyTorch's Muon, whose steps are of the size of AdamW's, orthogonal in the type `quick()`.

    PyTorch always takes bfloat16: without AMX that is three fifths of the time of a small model.
    """

    def __init__(self, params: Iterable[nn.Parameter], *, lr: float, weight_decay: float) -> None:
        super().__init__(params, lr=lr, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")

    @torch.no_grad()
    def step(self, closure: object = None) -> None:
        """Step every matrix; no closure is called."""
        for group in self.param_groups:
            keep, decay = group["momentum"], group["lr"] * group["weight_decay"]
            for weight in (one for one in group["params"] if one.grad is not None):
                state = self.state[weight]
                mean = state.setdefault("momentum_buffer", torch.zeros_like(weight.grad))
                mean.lerp_(weight.grad, 1.0 - keep)
                update = orthogonal(weight.grad.lerp(mean, keep), group["ns_coefficients"])
                size = 0.2 * math.sqrt(max(weight.shape))
                weight.mul_(1.0 - decay).add_(update, alpha=-group["lr"] * size)


def orthogonal(matrix: Tensor, by: tuple[float, float, float], steps: int = 5) -> Tensor:
    """The nearest matrix of equal singular values, (m, n), by Newton-Schulz (Jordan 2024)."""
    a, b, c = by
    tall = matrix.shape[0] > matrix.shape[1]
    x = (matrix.mT if tall else matrix).to(quick())
    x = x / x.norm().clamp(min=1e-7)
    for _ in range(steps):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return (x.mT if tall else x).to(matrix.dtype)


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
        chosen.append(Muon(inside, lr=rate, weight_decay=decay))
    if outside:
        chosen.append(AdamW(outside, lr=rate, weight_decay=decay, betas=(0.9, 0.95)))
    return chosen


def schedule(step: int, steps: int, *, warmup: float = 0.05, floor: float = 0.05) -> float:
    """Share of the full rate at a step: a linear warm-up, then a cosine down to `floor`."""
    rising = max(1, round(warmup * steps))
    if step < rising:
        return (step + 1) / rising
    done = (step - rising) / max(1, steps - rising)
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


def quick() -> torch.dtype:
    """bfloat16 where the CPU has AMX for it, several times as fast; else float32.

    With AVX-512's own bfloat16 alone a product takes twice as long as in float32.
    """
    has = torch.cpu.get_capabilities().get("amx_bf16", False)
    return torch.bfloat16 if has else torch.float32


KEPT = 2
NAME = re.compile(r"step-(\d+)\.pt")


def save_checkpoint(
    folder: Path, step: int, model: nn.Module, chosen: Sequence[Optimizer], **more: object
) -> Path:
    """Write weights, optimisers, chance and `more` after `step` steps; the oldest ones go."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"step-{step}.pt"
    state = {
        "step": step,
        "model": {n: w for n, w in model.named_parameters() if w.requires_grad},
        "optimisers": [one.state_dict() for one in chosen],
        "chance": torch.get_rng_state(),
        "more": more,
    }
    unfinished = path.with_suffix(".part")
    torch.save(state, unfinished)
    os.replace(unfinished, path)
    for old in _all(folder)[:-KEPT]:
        old.unlink()
    return path


def load_checkpoint(path: Path, model: nn.Module, chosen: Sequence[Optimizer]) -> int:
    """Put a checkpoint's state into model and optimisers; the number of steps behind it."""
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
    except (RuntimeError, EOFError, OSError, UnpicklingError) as failure:
        raise CorruptFile(
            f"the checkpoint {path} is damaged: remove it, and the run goes on from the one before",
            path=path,
        ) from failure
    model.load_state_dict(state["model"], strict=False)
    for one, kept in zip(chosen, state["optimisers"], strict=True):
        one.load_state_dict(kept)
    torch.set_rng_state(state["chance"])
    return int(state["step"])


def latest(folder: Path) -> Path | None:
    """The newest checkpoint of a folder, or None."""
    found = _all(folder)
    return found[-1] if found else None


def _all(folder: Path) -> list[Path]:
    steps = {p: NAME.fullmatch(p.name) for p in folder.glob("step-*.pt")}
    return sorted((p for p, m in steps.items() if m), key=lambda p: int(p.stem.split("-")[1]))
