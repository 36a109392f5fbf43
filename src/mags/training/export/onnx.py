"""A Llama as ONNX with its key-value cache as one input and one output.

Inputs: `ids` int64 (batch, new), `past` float32 (layers, 2, batch, heads, seen, head width).
Outputs: `logits` float32 (batch, pieces) after the last new token, `present` as `past` with the
new tokens. No padding: a batch holds prompts of one length (the runtime asks one by one).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import LlamaForCausalLM
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb


class CachedLlama(nn.Module):  # type: ignore[misc]
    """The weights of a Llama behind a forward that a graph can hold: one cache tensor, causal."""

    def __init__(self, model: LlamaForCausalLM) -> None:
        super().__init__()
        self.model = model.model
        self.head = model.lm_head
        self.heads = model.config.num_attention_heads
        self.width = model.config.hidden_size // self.heads
        if model.config.num_key_value_heads != self.heads:
            raise ValueError("grouped keys are not exported: num_key_value_heads must equal heads")

    def forward(self, ids: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """Logits after the last of `ids`, and the cache that then is."""
        seen, new = past.shape[4], ids.shape[1]
        states = self.model.embed_tokens(ids)
        places = (torch.arange(new, device=ids.device) + seen).unsqueeze(0)
        rotary = self.model.rotary_emb(states, places)
        later = torch.arange(seen + new, device=ids.device).unsqueeze(0) > places[0].unsqueeze(1)
        bias = later.float() * -1e9
        kept = []
        for i, layer in enumerate(self.model.layers):
            inner = layer.input_layernorm(states)
            attended, keys, values = self._attend(layer.self_attn, inner, rotary, past[i], bias)
            kept.append(torch.stack([keys, values]))
            states = states + attended
            states = states + layer.mlp(layer.post_attention_layernorm(states))
        logits = self.head(self.model.norm(states[:, -1]))
        return logits, torch.stack(kept)

    def _attend(
        self,
        layer: nn.Module,
        states: Tensor,
        rotary: tuple[Tensor, Tensor],
        past: Tensor,
        bias: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        batch, new, _ = states.shape

        def heads(x: Tensor) -> Tensor:
            return x.view(batch, new, self.heads, self.width).transpose(1, 2)

        query, key = apply_rotary_pos_emb(
            heads(layer.q_proj(states)), heads(layer.k_proj(states)), *rotary
        )
        keys = torch.cat([past[0], key], dim=2)
        values = torch.cat([past[1], heads(layer.v_proj(states))], dim=2)
        scores = query @ keys.transpose(2, 3) * self.width**-0.5 + bias
        mixed = torch.softmax(scores, dim=-1) @ values
        return layer.o_proj(mixed.transpose(1, 2).reshape(batch, new, -1)), keys, values


def export_onnx(model: LlamaForCausalLM, path: Path) -> Path:
    """Write a model as one ONNX file; needs the extra `train` (onnx, onnxscript)."""
    cached = CachedLlama(model.float()).eval()
    layers = model.config.num_hidden_layers
    past = torch.zeros(layers, 2, 1, cached.heads, 3, cached.width)
    ids = torch.ones(1, 4, dtype=torch.int64)
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            cached,
            (ids, past),
            str(path),
            input_names=["ids", "past"],
            output_names=["logits", "present"],
            dynamic_axes={
                "ids": {0: "batch", 1: "new"},
                "past": {2: "batch", 4: "seen"},
                "logits": {0: "batch"},
                "present": {2: "batch", 4: "all"},
            },
            opset_version=18,
            dynamo=False,
        )
    return path
