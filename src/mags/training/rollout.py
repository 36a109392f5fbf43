"""Completions of many prompts at once: a key-value cache, finished rows dropped as they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """`tokens` int64 and `logp` float32 (b, t), right-padded; `mask` 1 on what was generated.

    The end token belongs to a completion where it came before the limit. `logp` is of the
    distribution that was sampled from (0 where the most likely token was taken).
    """

    tokens: Tensor
    logp: Tensor
    mask: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to draw: at most `limit` tokens; `temperature` 0 takes the likeliest each time."""

    pad: int
    end: int
    limit: int = 96
    temperature: float = 1.0


@torch.no_grad()
def complete(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    how: Sampling,
    *,
    chance: torch.Generator | None = None,
) -> Completions:
    """Continue each prompt (token ids, no padding); `chance` makes draws reproducible."""
    device = next(model.parameters()).device
    ids, attention = _left_padded(prompts, how.pad, device)
    rows = torch.arange(len(prompts), device=device)
    tokens = torch.full((len(prompts), how.limit), how.pad, device=device)
    logp = torch.zeros((len(prompts), how.limit), device=device)
    cache, step = None, ids
    for t in range(how.limit):
        positions = (attention.cumsum(1) - 1).clamp(min=0)[:, -step.shape[1] :]
        out = model(
            input_ids=step,
            attention_mask=attention,
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
        )
        cache = out.past_key_values
        drawn, sure = _draw(out.logits[:, -1].float(), how.temperature, chance)
        tokens[rows, t], logp[rows, t] = drawn, sure
        going = drawn != how.end
        if not bool(going.any()):
            break
        if not bool(going.all()):
            kept = going.nonzero().squeeze(1)
            cache.batch_select_indices(kept)
            rows, drawn, attention = rows[kept], drawn[kept], attention[kept]
        step = drawn.unsqueeze(1)
        attention = torch.cat([attention, torch.ones_like(step)], dim=1)
    return _cut(tokens, logp, how.end)


def _left_padded(
    prompts: Sequence[Sequence[int]], pad: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    width = max(len(prompt) for prompt in prompts)
    ids = torch.full((len(prompts), width), pad, device=device)
    attention = torch.zeros_like(ids)
    for i, prompt in enumerate(prompts):
        ids[i, width - len(prompt) :] = torch.tensor(list(prompt), device=device)
        attention[i, width - len(prompt) :] = 1
    return ids, attention


def _draw(
    logits: Tensor, temperature: float, chance: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    if temperature == 0.0:
        return logits.argmax(dim=1), torch.zeros(len(logits), device=logits.device)
    logp = torch.log_softmax(logits / temperature, dim=1)
    drawn = torch.multinomial(logp.exp(), 1, generator=chance)
    return drawn.squeeze(1), logp.gather(1, drawn).squeeze(1)


def _cut(tokens: Tensor, logp: Tensor, end: int) -> Completions:
    ended = (tokens == end).int().cumsum(1) - (tokens == end).int()
    counts = torch.arange(tokens.shape[1], device=tokens.device)
    first_end = torch.where(
        (tokens == end).any(1), (tokens == end).int().argmax(1), tokens.shape[1] - 1
    )
    mask = ((ended == 0) & (counts <= first_end.unsqueeze(1))).float()
    width = int(mask.sum(1).max())
    return Completions(tokens=tokens[:, :width], logp=logp[:, :width], mask=mask[:, :width])
