"""The model of nano: a Llama small enough to train on two cores in minutes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast


@dataclass(frozen=True, slots=True, kw_only=True)
class NanoSize:
    """Widths of a nano. The default has about a million weights, 2 MB at half precision."""

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 384
    context: int = 512
    pieces: int = 1024


def new_nano(tokenizer: PreTrainedTokenizerFast, size: NanoSize, *, seed: int) -> LlamaForCausalLM:
    """A nano with random weights; the same seed gives the same ones."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        intermediate_size=size.inner,
        max_position_embeddings=size.context,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        attn_implementation="sdpa",
    )
    return LlamaForCausalLM(config)


def weights(model: torch.nn.Module) -> int:
    """How many weights a model has, each shared one counted once."""
    return sum(p.numel() for p in model.parameters())
