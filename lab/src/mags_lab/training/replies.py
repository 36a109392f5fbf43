"""Replies to many prompts, part by part, prompts of about the same length together."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import PreTrainedModel

from mags_lab.training.rollout import Completions, Sampling, complete

ROWS = 256
"""Replies that are drawn at a time."""


def complete_in_parts(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    how: Sampling,
    *,
    chance: torch.Generator | None = None,
    copies: int = 1,
    rows: int = ROWS,
) -> Completions:
    """`copies` completions of each prompt, prompts of like length together.

    `rows`: so many replies at a time at most, or those to one prompt.
    """
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    many = max(1, rows // copies)
    parts = [
        complete(
            model,
            [prompts[i] for i in order[begin : begin + many]],
            how,
            chance=chance,
            copies=copies,
        )
        for begin in range(0, len(order), many)
    ]
    width = max(part.tokens.shape[1] for part in parts)
    back = torch.tensor(order).argsort()
    places = (
        (back.unsqueeze(1) * copies + torch.arange(copies)).flatten().to(parts[0].tokens.device)
    )

    def whole(each: Sequence[Tensor], fill: float) -> Tensor:
        wide = [torch.nn.functional.pad(x, (0, width - x.shape[1]), value=fill) for x in each]
        return torch.cat(wide)[places]

    return Completions(
        tokens=whole([part.tokens for part in parts], how.pad),
        logp=whole([part.logp for part in parts], 0.0),
        mask=whole([part.mask for part in parts], 0.0),
    )
