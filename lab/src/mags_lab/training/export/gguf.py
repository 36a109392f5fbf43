"""A Llama, Qwen or Gemma as GGUF at half precision, for llama.cpp and what is built on it.

Written from GGUF's description with the `gguf` package. What has to be right, family by family:

- Llama: rows of q and k are reordered, since llama.cpp turns neighbouring pairs of a head where
  transformers turns its two halves. Qwen and Gemma are turned by halves there, too. Llama 3
  stretches slow frequencies, by factors that are stored beside the weights.
- Gemma: norms are stored as the offset from 1 in safetensors, as the factor itself in GGUF.
- Tokens: see `mags_lab.training.export.gguf_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from mags.errors import ConfigurationError
from mags_lab.training.export.gguf_tokens import add_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One architecture. `halves`: rotated by halves; `offset`: norms are offsets from 1."""

    arch: gguf.MODEL_ARCH
    halves: bool = True
    offset: bool = False


FAMILIES: Mapping[str, Family] = {
    "llama": Family(arch=gguf.MODEL_ARCH.LLAMA, halves=False),
    "qwen2": Family(arch=gguf.MODEL_ARCH.QWEN2),
    "qwen3": Family(arch=gguf.MODEL_ARCH.QWEN3),
    "gemma": Family(arch=gguf.MODEL_ARCH.GEMMA, offset=True),
    "gemma3_text": Family(arch=gguf.MODEL_ARCH.GEMMA3, offset=True),
}


def export_gguf(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, path: Path, *, name: str = "mags"
) -> Path:
    """Write model and tokenizer as one file of float16; raises ConfigurationError."""
    kind = model.config.model_type
    if kind not in FAMILIES:
        raise ConfigurationError(
            f"{kind} is none of {', '.join(FAMILIES)}: convert the merged folder with llama.cpp's "
            "convert_hf_to_gguf.py.",
            model_type=kind,
        )
    family = FAMILIES[kind]
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(str(path), gguf.MODEL_ARCH_NAMES[family.arch])
    writer.add_name(name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_shape(writer, model.config)
    add_tokens(writer, tokenizer, pieces=model.get_input_embeddings().weight.shape[0])
    if _rope(model.config).get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", stretched(model))
    for label, table in tensors(model, family):
        writer.add_tensor(label, table)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def tensors(
    model: PreTrainedModel, family: Family
) -> Iterator[tuple[str, NDArray[np.float16] | NDArray[np.float32]]]:
    """Weights by llama.cpp's names: matrices float16, vectors float32, as it wants them."""
    config = model.config
    names = gguf.get_tensor_name_map(family.arch, config.num_hidden_layers)
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        label = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if label is None:
            raise ConfigurationError(f"llama.cpp has no place for {name}.", tensor=name)
        table: NDArray[np.float32] = weight.detach().float().cpu().numpy()
        if not family.halves and name.split(".")[-2] in ("q_proj", "k_proj"):
            table = interleaved(table, _heads(config, name))
        if family.offset and name.endswith("norm.weight"):
            table = table + 1.0
        yield label, table.astype(np.float16) if table.ndim > 1 else table


def interleaved(table: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows of each head reordered from (first half, second half) to neighbouring pairs.

    `table`: (heads x width, in) or a bias (heads x width,).
    """
    width = table.shape[0] // heads
    halves = table.reshape(heads, 2, width // 2, *table.shape[1:])
    return halves.swapaxes(1, 2).reshape(table.shape)


def _heads(config: PretrainedConfig, name: str) -> int:
    return int(config.num_key_value_heads if ".k_proj" in name else config.num_attention_heads)


def _add_shape(writer: gguf.GGUFWriter, config: PretrainedConfig) -> None:
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(width)
    writer.add_value_length(width)
    writer.add_rope_dimension_count(width)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    writer.add_rope_freq_base(float(_rope(config)["rope_theta"]))
    if config.model_type == "gemma3_text":
        writer.add_sliding_window(config.sliding_window)
        _check_gemma3(config, width)


def stretched(model: PreTrainedModel) -> NDArray[np.float32]:
    """By what Llama 3 divides each frequency of its rotation; (head width / 2,)."""
    slow: NDArray[np.float32] = model.model.rotary_emb.inv_freq.float().cpu().numpy()
    places = np.arange(len(slow), dtype=np.float32) / len(slow)
    plain = np.float32(_rope(model.config)["rope_theta"]) ** -places
    return (plain / slow).astype(np.float32)


def _rope(config: PretrainedConfig, layers: str = "full_attention") -> dict[str, Any]:
    """The settings of the rotation; raises ConfigurationError where they are not written here."""
    settings: dict[str, Any] = dict(config.rope_parameters or {})
    settings = settings.get(layers, settings)
    if settings.get("rope_type", "default") not in ("default", "llama3"):
        raise ConfigurationError(
            f"A rotation of type {settings['rope_type']!r} is not written here: convert the "
            "merged folder with llama.cpp's convert_hf_to_gguf.py.",
            rope_type=settings["rope_type"],
        )
    return settings


def _check_gemma3(config: PretrainedConfig, width: int) -> None:
    """What llama.cpp takes for granted of a Gemma 3 of up to 12B."""
    local = ["sliding_attention" if (i + 1) % 6 else "full_attention" for i in range(6)]
    usual = [local[i % 6] for i in range(config.num_hidden_layers)]
    same = list(config.layer_types) == usual and config.query_pre_attn_scalar == width
    if not same or _rope(config, "sliding_attention")["rope_theta"] != 10_000.0:
        raise ConfigurationError("This Gemma 3 is not laid out as llama.cpp expects one to be.")
