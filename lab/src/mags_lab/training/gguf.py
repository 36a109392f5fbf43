"""A Llama, Qwen or Gemma as GGUF at half precision, for llama.cpp and what is built on it.

Written from GGUF's description with the `gguf` package. What has to be right, family by family:

- Llama: rows of q and k are reordered, since llama.cpp turns neighbouring pairs of a head where
  transformers turns its two halves. Qwen and Gemma are turned by halves there, too. Llama 3
  stretches slow frequencies, by factors that are stored beside the weights.
- Gemma: norms are stored as the offset from 1 in safetensors, as the factor itself in GGUF.
- Byte-level pieces (Llama 3, Qwen): merges go along as they are; llama.cpp must know the rule that
  splits text into words by its name.
- SentencePiece's (Gemma, Llama 2), which `tokenizer.json` holds as merges with bytes to fall back
  on: llama.cpp joins the neighbours whose piece has the highest score, so a piece scores by the
  first merge that makes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import torch
from numpy.typing import NDArray
from peft import PeftModel, get_peft_model_state_dict
from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

from mags.errors import ConfigurationError

WORDS_LLAMA = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
REST_LLAMA = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SPLITS = {
    WORDS_LLAMA + "{1,3}" + REST_LLAMA: "llama-bpe",
    WORDS_LLAMA + REST_LLAMA: "qwen2",
}
"""The splitting rules that llama.cpp knows by name; a plain ByteLevel step is "gpt-2"."""
SPACE = "▁"
BYTE = re.compile(r"<0x[0-9A-F]{2}>")

Merge = tuple[str, str]
Table = NDArray[np.float16] | NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufPieces:
    """Words and their kinds by id; rows of the table beyond the vocabulary are unused."""

    words: Sequence[str]
    kinds: Sequence[gguf.TokenType]


def add_tokens(writer: gguf.GGUFWriter, tokenizer: PreTrainedTokenizerBase, *, pieces: int) -> None:
    """Write the vocabulary, how text is split, and the chat template; raises ConfigurationError.

    `pieces`: rows of the model's table.
    """
    written = json.loads(tokenizer.backend_tokenizer.to_str())
    found = pieces_of(written, pieces)
    merges = [_pair(merge) for merge in written["model"].get("merges", ())]
    if is_sentencepiece(written):
        check_merges(written, merges)
        writer.add_tokenizer_model("llama")
        writer.add_tokenizer_pre("default")
        writer.add_add_space_prefix(has_prefix(written))
        writer.add_token_scores(scores_of(found.words, merges))
    else:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(splitting_of(written))
        writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_token_list(found.words)
    writer.add_token_types(found.kinds)
    for add, token in (
        (writer.add_bos_token_id, tokenizer.bos_token_id),
        (writer.add_eos_token_id, tokenizer.eos_token_id),
        (writer.add_pad_token_id, tokenizer.pad_token_id),
        (writer.add_unk_token_id, tokenizer.unk_token_id),
    ):
        if token is not None:
            add(token)
    # The prompts name it themselves, as their chat templates do.
    writer.add_add_bos_token(False)
    if tokenizer.chat_template:
        writer.add_chat_template(tokenizer.chat_template)


def pieces_of(written: Mapping[str, Any], pieces: int) -> GgufPieces:
    """The vocabulary of a `tokenizer.json`, by id."""
    words = [f"[PAD{i}]" for i in range(pieces)]
    kinds = [gguf.TokenType.UNUSED] * pieces
    falls_back = bool(written["model"].get("byte_fallback"))
    for word, place in written["model"]["vocab"].items():
        byte = falls_back and BYTE.fullmatch(word)
        words[place] = word
        kinds[place] = gguf.TokenType.BYTE if byte else gguf.TokenType.NORMAL
    for added in written["added_tokens"]:
        special = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        words[added["id"]], kinds[added["id"]] = added["content"], special
    unknown = written["model"].get("unk_token")
    if falls_back and unknown is not None:
        kinds[written["model"]["vocab"][unknown]] = gguf.TokenType.UNKNOWN
    return GgufPieces(words=words, kinds=kinds)


def is_sentencepiece(written: Mapping[str, Any]) -> bool:
    """Whether these are SentencePiece's pieces: merges, bytes to fall back on, spaces as a sign."""
    model = written["model"]
    replaced = any(
        step.get("type") == "Replace" and step.get("content") == SPACE
        for step in _steps(written["normalizer"], "normalizers")
    )
    signs = any(
        step.get("type") == "Metaspace"
        for step in _steps(written["pre_tokenizer"], "pretokenizers")
    )
    return model["type"] == "BPE" and bool(model.get("byte_fallback")) and (replaced or signs)


def has_prefix(written: Mapping[str, Any]) -> bool:
    """Whether a text is read as if a space stood before it, as Llama 2 does and Gemma does not."""
    prepended = any(
        step.get("type") == "Prepend" for step in _steps(written["normalizer"], "normalizers")
    )
    scheme = [
        step.get("prepend_scheme", "always")
        for step in _steps(written["pre_tokenizer"], "pretokenizers")
        if step.get("type") == "Metaspace"
    ]
    return prepended or any(one != "never" for one in scheme)


def scores_of(words: Sequence[str], merges: Sequence[Merge]) -> list[float]:
    """A score a word: minus the place of the first merge that makes it; the lowest for the rest."""
    first: dict[str, int] = {}
    for place, (left, right) in enumerate(merges):
        first.setdefault(left + right, place)
    return [-float(first.get(word, len(merges))) for word in words]


def check_merges(written: Mapping[str, Any], merges: Sequence[Merge]) -> None:
    """Raise ConfigurationError where a piece has halves that no merge joins: llama.cpp would."""
    added = {one["content"] for one in written["added_tokens"]}
    whole = written["model"]["vocab"].keys() - added
    known = set(merges)
    for word in whole:
        for cut in range(1, len(word)):
            halves = word[:cut], word[cut:]
            if halves[0] in whole and halves[1] in whole and halves not in known:
                raise ConfigurationError(
                    f"The pieces {halves} are never merged, and llama.cpp would merge them: "
                    "convert the merged folder with llama.cpp's convert_hf_to_gguf.py.",
                    piece=word,
                )


def splitting_of(written: Mapping[str, Any]) -> str:
    """llama.cpp's name for how byte-level pieces split text; raises ConfigurationError."""
    steps = _steps(written["pre_tokenizer"], "pretokenizers")
    if written["model"]["type"] == "BPE" and steps and steps[-1].get("type") == "ByteLevel":
        if len(steps) == 1 and steps[0].get("use_regex") and not steps[0].get("add_prefix_space"):
            return "gpt-2"
        rule = steps[0].get("pattern", {}).get("Regex", "")
        if len(steps) == 2 and rule in SPLITS:
            return SPLITS[rule]
    raise ConfigurationError(
        "The tokenizer is none whose splitting llama.cpp has a name for here: convert the merged "
        "folder with llama.cpp's convert_hf_to_gguf.py.",
        pre_tokenizer=", ".join(str(step.get("type")) for step in steps),
    )


def _steps(step: Mapping[str, Any] | None, several: str) -> Sequence[Mapping[str, Any]]:
    return [] if step is None else step.get(several, [step])


def _pair(merge: str | Sequence[str]) -> Merge:
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right


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
    family = _family(model.config)
    writer = _writer(path, family, name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_shape(writer, model.config)
    add_tokens(writer, tokenizer, pieces=model.get_input_embeddings().weight.shape[0])
    if _rope(model.config).get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", stretched(model))
    return _written(writer, tensors(model.state_dict(), model.config, family), path)


def export_adapter(model: PeftModel, path: Path, *, name: str = "mags") -> Path:
    """Write an adapter alone, for a server of its base as GGUF; raises ConfigurationError.

    What invokes an activated one is written, too: llama.cpp's server heeds it.
    """
    config, lora = model.get_base_model().config, model.peft_config["default"]
    family = _family(config)
    writer = _writer(path, family, name)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(lora.lora_alpha))
    if lora.alora_invocation_tokens:
        key, tokens = gguf.Keys.Adapter.ALORA_INVOCATION_TOKENS, lora.alora_invocation_tokens
        writer.add_key_value(key, tokens, gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.UINT32)
    halves = {
        name.removeprefix("base_model.model."): weight
        for name, weight in get_peft_model_state_dict(model).items()
    }
    return _written(writer, tensors(halves, config, family), path)


def _family(config: PretrainedConfig) -> Family:
    kind = config.model_type
    if kind not in FAMILIES:
        raise ConfigurationError(
            f"{kind} is none of {', '.join(FAMILIES)}: convert the merged folder with llama.cpp's "
            "convert_hf_to_gguf.py.",
            model_type=kind,
        )
    return FAMILIES[kind]


def _writer(path: Path, family: Family, name: str) -> gguf.GGUFWriter:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(str(path), gguf.MODEL_ARCH_NAMES[family.arch])
    writer.add_name(name)
    return writer


def _written(writer: gguf.GGUFWriter, tables: Iterable[tuple[str, Table]], path: Path) -> Path:
    for label, table in tables:
        writer.add_tensor(label, table)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def tensors(
    weights: Mapping[str, torch.Tensor], config: PretrainedConfig, family: Family
) -> Iterator[tuple[str, Table]]:
    """Weights by llama.cpp's names: matrices float16, vectors float32, as it wants them.

    The halves of an adapter's products are named after the matrix that they are added to.
    """
    names = gguf.get_tensor_name_map(family.arch, config.num_hidden_layers)
    for name, weight in weights.items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        whole, _, half = name.removesuffix(".weight").partition(".lora_")
        label = names.get_name(f"{whole}.weight" if half else name, (".weight", ".bias"))
        if label is None:
            raise ConfigurationError(f"llama.cpp has no place for {name}.", tensor=name)
        table: NDArray[np.float32] = weight.detach().float().cpu().numpy()
        turned = not family.halves and {"q_proj", "k_proj"} & set(name.split("."))
        if turned and half != "A":
            table = interleaved(table, _heads(config, name))
        if family.offset and name.endswith("norm.weight"):
            table = table + 1.0
        label = f"{label}.lora_{half.lower()}" if half else label
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
