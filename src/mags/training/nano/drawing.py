"""Replies of a small Llama, many to a prompt, in a fraction of the time.

What drawing costs such a model is not arithmetic but copying the cache and calling small things
often. Here replies to one prompt are columns of one row: its keys are read once for all of them,
their own keys are written behind it, step by step, into room that is there already, and a mask
keeps every reply to itself. A test holds the outcome against `mags.training.rollout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as fn
from transformers import LlamaForCausalLM, PreTrainedModel

from mags.training.rollout import KEPT, Completions, Sampling, cut, draw, left_padded

FAR = -1e9
ROOM = 24
"""Tokens of a reply for which there is room at first, and again whenever it is full."""


def is_plain(model: PreTrainedModel) -> bool:
    """Whether a model is a Llama that `complete_together` can draw from."""
    config = model.config
    return isinstance(model, LlamaForCausalLM) and (
        config.num_key_value_heads == config.num_attention_heads
    )


@dataclass(slots=True, kw_only=True)
class _Cache:
    """Keys and values (layers, prompts, heads, places, width); `filled`: places that are read."""

    keys: Tensor
    values: Tensor
    filled: int

    def keep(self, prompts: Tensor) -> None:
        """Only these prompts from now on."""
        self.keys, self.values = self.keys[:, prompts], self.values[:, prompts]

    def put(self, layer: int, keys: Tensor, values: Tensor, room: int) -> tuple[Tensor, Tensor]:
        """Write behind what is there; all keys and values of a layer. Call `advance` after all."""
        end = self.filled + keys.shape[2]
        if end > self.keys.shape[3]:
            self.keys, self.values = (fn.pad(x, (0, 0, 0, room)) for x in (self.keys, self.values))
        self.keys[layer, :, :, self.filled : end] = keys
        self.values[layer, :, :, self.filled : end] = values
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


@torch.no_grad()
def complete_together(
    model: LlamaForCausalLM,
    prompts: Sequence[Sequence[int]],
    how: Sampling,
    *,
    chance: torch.Generator | None = None,
    copies: int = 1,
) -> Completions:
    """Continue each prompt (token ids, no padding) `copies` times, next to each other."""
    device = next(model.parameters()).device
    ids, attention = left_padded(prompts, how.pad, device)
    count, width = ids.shape
    whole, config = count * copies, model.config
    shape = (config.num_hidden_layers, count, config.num_attention_heads, width + ROOM * copies)
    empty = torch.zeros(*shape, _each(model), device=device)
    cache = _Cache(keys=empty, values=empty.clone(), filled=0)
    lengths = attention.sum(1, keepdim=True)
    padding = (1.0 - attention[:, None, None].float()) * FAR
    later = torch.full((width, width), FAR, device=device).triu(1)
    states = _read(model, cache, ids, (attention.cumsum(1) - 1).clamp(min=0), padding + later)
    states = states[:, -1:].expand(count, copies, -1)
    own = torch.full((copies, copies), FAR, device=device).fill_diagonal_(0.0)
    rows = torch.arange(whole, device=device).view(count, copies)
    going = torch.ones_like(rows, dtype=torch.bool)
    tokens = torch.full((whole, how.limit), how.pad, device=device)
    logp = torch.zeros((whole, how.limit), device=device)
    for t in range(how.limit):
        drawn, sure = draw(model.lm_head(states).flatten(0, 1).float(), how.temperature, chance)
        drawn, sure = drawn.view_as(rows), sure.view_as(rows)
        tokens[rows, t] = torch.where(going, drawn, how.pad)
        logp[rows, t] = sure * going
        going = going & (drawn != how.end)
        alive = going.any(1)
        if not bool(alive.any()) or t + 1 == how.limit:
            break
        if int(alive.sum()) <= KEPT * len(rows):
            kept = alive.nonzero().squeeze(1)
            cache.keep(kept)
            rows, drawn, going, lengths = rows[kept], drawn[kept], going[kept], lengths[kept]
            padding = padding[kept]
        mask = torch.cat(
            [
                padding.expand(-1, -1, copies, -1),
                own.repeat(1, t + 1).expand(len(rows), 1, -1, -1),
            ],
            dim=3,
        )
        states = _read(model, cache, drawn, lengths + t, mask)
    return cut(tokens, logp, how.end)


def _each(model: LlamaForCausalLM) -> int:
    return int(model.config.hidden_size) // int(model.config.num_attention_heads)


def _read(
    model: LlamaForCausalLM, cache: _Cache, ids: Tensor, positions: Tensor, mask: Tensor
) -> Tensor:
    """Last states (b, n, width) of `ids` (b, n) at `positions`, seen through `mask` (b, 1, n, m).

    Their keys go into the cache.
    """
    inner = model.model
    states = inner.embed_tokens(ids)
    cos, sin = (one.unsqueeze(1) for one in inner.rotary_emb(states, positions))
    split = (*ids.shape, model.config.num_attention_heads, _each(model))
    for place, layer in enumerate(inner.layers):
        normed, attention = _norm(states, layer.input_layernorm), layer.self_attn
        query, key, value = (
            part(normed).view(split).transpose(1, 2)
            for part in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        keys, values = cache.put(place, _turned(key, cos, sin), value, room=ROOM * ids.shape[1])
        seen = fn.scaled_dot_product_attention(_turned(query, cos, sin), keys, values, mask)
        states = states + attention.o_proj(seen.transpose(1, 2).flatten(2))
        states = states + layer.mlp(_norm(states, layer.post_attention_layernorm))
    cache.filled += ids.shape[1]
    return _norm(states, inner.norm)


def _norm(states: Tensor, norm: nn.Module) -> Tensor:
    return fn.rms_norm(states, (states.shape[-1],), norm.weight, norm.variance_epsilon)


def _turned(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = states.chunk(2, -1)
    return states * cos + torch.cat([-second, first], -1) * sin
