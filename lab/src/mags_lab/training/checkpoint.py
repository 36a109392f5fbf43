"""Checkpoints of a run: written beside the last one, then renamed, so a kill leaves a whole one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from mags.errors import CorruptFile

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
