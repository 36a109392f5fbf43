"""Completions of many prompts at once: a key-value cache, rows that are done dropped from it.

Copying the cache is what a reply of a small model costs. So replies to one prompt share the reading
of it, prompts of about the same length go together, few enough rows at a time for the processor's
own memory, and rows are dropped by the quarter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedModel

KEPT = 0.75
"""Rows that are done are dropped where no more than this share goes on."""
LESS = 1.0 - 1e-6
"""A hair less than all: at all of it no piece would be left to sample."""


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
    """How to sample: at most `limit` tokens; `temperature` 0 takes the likeliest each time."""

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
    generator: torch.Generator | None = None,
    copies: int = 1,
) -> Completions:
    """Continue each prompt (token ids, no padding); `generator` makes samples reproducible.

    `copies`: replies to each prompt, next to each other.
    """
    device = next(model.parameters()).device
    ids, attention = left_padded(prompts, how.pad, device)
    out = model(
        input_ids=ids,
        attention_mask=attention,
        position_ids=(attention.cumsum(1) - 1).clamp(min=0),
        use_cache=True,
        logits_to_keep=1,
    )
    cache, logits = out.past_key_values, out.logits[:, -1].float()
    if copies > 1:
        cache.batch_repeat_interleave(copies)
        logits, attention = (x.repeat_interleave(copies, dim=0) for x in (logits, attention))
    rows = torch.arange(len(logits), device=device)
    going = torch.ones_like(rows, dtype=torch.bool)
    tokens = torch.full((len(rows), how.limit), how.pad, device=device)
    logp = torch.zeros((len(rows), how.limit), device=device)
    for t in range(how.limit):
        sampled, sure = sample_tokens(logits, how.temperature, generator)
        tokens[rows, t] = torch.where(going, sampled, how.pad)
        logp[rows, t] = sure * going
        going = going & (sampled != how.end)
        left = int(going.sum())
        if not left or t + 1 == how.limit:
            break
        if left <= KEPT * len(rows):
            kept = going.nonzero().squeeze(1)
            cache.batch_select_indices(kept)
            rows, sampled, attention, going = (
                rows[kept],
                sampled[kept],
                attention[kept],
                going[kept],
            )
        attention = torch.cat([attention, torch.ones_like(attention[:, :1])], dim=1)
        out = model(
            input_ids=sampled.unsqueeze(1),
            attention_mask=attention,
            position_ids=attention.sum(1, keepdim=True) - 1,
            past_key_values=cache,
            use_cache=True,
        )
        cache, logits = out.past_key_values, out.logits[:, -1].float()
    return cut(tokens, logp, how.end)


def left_padded(
    prompts: Sequence[Sequence[int]], pad: int, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Prompts as ids and attention, each (b, p), padded before them."""
    width = max(len(prompt) for prompt in prompts)
    ids = torch.full((len(prompts), width), pad, device=device)
    attention = torch.zeros_like(ids)
    for i, prompt in enumerate(prompts):
        ids[i, width - len(prompt) :] = torch.tensor(list(prompt), device=device)
        attention[i, width - len(prompt) :] = 1
    return ids, attention


def sample_tokens(
    logits: Tensor, temperature: float, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """A token for each row of logits (b, v), and its log-probability; each (b,)."""
    if temperature == 0.0:
        return logits.argmax(dim=1), torch.zeros(len(logits), device=logits.device)
    logp = torch.log_softmax(logits / temperature, dim=1)
    below = logp.exp().cumsum(1)  # one number a row: multinomial draws one for every piece
    point = (
        torch.rand(len(below), 1, generator=generator, device=below.device) * below[:, -1:] * LESS
    )
    sampled = torch.searchsorted(below, point, right=True)
    return sampled.squeeze(1), logp.gather(1, sampled).squeeze(1)


def cut(tokens: Tensor, logp: Tensor, end: int) -> Completions:
    """Completions (b, t) up to their end tokens, as wide as the longest of them."""
    ended = (tokens == end).int().cumsum(1) - (tokens == end).int()
    counts = torch.arange(tokens.shape[1], device=tokens.device)
    first_end = torch.where(
        (tokens == end).any(1), (tokens == end).int().argmax(1), tokens.shape[1] - 1
    )
    mask = ((ended == 0) & (counts <= first_end.unsqueeze(1))).float()
    width = int(mask.sum(1).max())
    return Completions(tokens=tokens[:, :width], logp=logp[:, :width], mask=mask[:, :width])


ROWS = 256
"""Replies that are sampled at a time."""


def complete_in_parts(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    how: Sampling,
    *,
    generator: torch.Generator | None = None,
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
            generator=generator,
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
