"""A causal language model from a folder or a name, made ready to be taught memory tokens."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from mags.errors import ConfigurationError
from mags_lab.training.large.devices import NO_AIDS, Aids, Device, find_device
from mags_lab.training.large.speech import NO_THINKING, PLAIN_TEMPLATE, Speech
from mags_lab.training.large.wording import Wording

MEMORY_TOKENS = ("<recall>", "</recall>", "<engram>", "</engram>", "<route>", "</route>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model on its device, how it is spoken to, and the ids of the memory tokens in it.

    `aids`: the libraries that it was loaded with.
    """

    model: PreTrainedModel
    speech: Speech
    device: Device
    tokens: tuple[int, ...]
    aids: Aids = NO_AIDS

    @property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        """Its tokenizer, with memory tokens, a pad token and a chat template."""
        return self.speech.tokenizer


def load(
    source: str | Path,
    *,
    wording: Wording = Wording.COMPACT,
    device: Device | None = None,
    aids: Aids = NO_AIDS,
) -> Loaded:
    """Load a folder or a name of the Hugging Face hub; raises ConfigurationError.

    A folder needs no network; a name is fetched unless the local cache has it. Weights are of the
    device's type, or 4-bit where `aids` has it (bitsandbytes). With Unsloth its kernels are taken
    up.
    """
    on = device or find_device()
    if aids.unsloth:
        return _by_unsloth(source, wording, on, aids)
    quantised = {}
    if aids.four_bit:
        quantised["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=on.dtype
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left")
        model = AutoModelForCausalLM.from_pretrained(source, dtype=on.dtype, **quantised)
    except (OSError, ValueError, ImportError) as failure:
        raise _refusal(source, failure) from failure
    ready = made_ready(model if aids.four_bit else model.to(on.kind), tokenizer, wording, on)
    return replace(ready, aids=aids)


def _refusal(source: str | Path, failure: Exception) -> ConfigurationError:
    """What is wrong with a source, and what to do."""
    told = " ".join(str(failure).split())
    if Path(source).is_dir():
        message = (
            f"{source} holds no causal language model that transformers can read ({told}): a "
            "folder has config.json, safetensors and a tokenizer."
        )
    else:
        message = (
            f"{source} is no folder here, and no causal language model of that name could be had "
            f"from the local cache or the Hugging Face hub ({told}): name a folder with "
            "config.json, safetensors and a tokenizer, or go on where the hub can be reached."
        )
    return ConfigurationError(message, source=str(source))


def _by_unsloth(source: str | Path, wording: Wording, device: Device, aids: Aids) -> Loaded:
    # By name: Unsloth is taken up where somebody has it, and is no requirement of any extra.
    unsloth = importlib.import_module("unsloth")
    model, tokenizer = unsloth.FastLanguageModel.from_pretrained(
        str(source), dtype=device.dtype, load_in_4bit=aids.four_bit
    )
    return replace(made_ready(model, tokenizer, wording, device), aids=aids)


def prepare(source: str | Path, folder: Path, *, wording: Wording) -> Path:
    """Write a model with its memory tokens in it, for programs that load it by themselves.

    vLLM and its like must find tables as wide as those that are trained.
    """
    ready = load(source, wording=wording)
    ready.model.save_pretrained(str(folder))
    ready.tokenizer.save_pretrained(str(folder))
    return folder


def made_ready(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, wording: Wording, device: Device
) -> Loaded:
    """Memory tokens, pad and end token in model and tokenizer; both are changed in place."""
    if tokenizer.chat_template is None:
        tokenizer.chat_template = PLAIN_TEMPLATE
    if "enable_thinking" in tokenizer.chat_template:
        tokenizer.chat_template = NO_THINKING + tokenizer.chat_template.removeprefix(NO_THINKING)
    tokens = add_memory_tokens(model, tokenizer)
    speech = Speech.of(tokenizer, wording)
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(speech.end)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "left"
    for settings in (model.config, model.generation_config):
        settings.pad_token_id = tokenizer.pad_token_id
        settings.eos_token_id = tokenizer.eos_token_id
    return Loaded(model=model, speech=speech, device=device, tokens=tokens)


def add_memory_tokens(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> tuple[int, ...]:
    """Make each memory token one piece, which begins as the mean of what spelled it before.

    They are no special tokens: those would be stripped when a completion is decoded, before the
    reward sees it.
    """
    before = [tokenizer(t, add_special_tokens=False)["input_ids"] for t in MEMORY_TOKENS]
    tokenizer.add_tokens(list(MEMORY_TOKENS), special_tokens=False)
    ids = tuple(tokenizer.convert_tokens_to_ids(list(MEMORY_TOKENS)))
    if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    _begin_as_means(model, ids, before)
    return ids


@torch.no_grad()
def _begin_as_means(
    model: PreTrainedModel, ids: Sequence[int], before: Sequence[Sequence[int]]
) -> None:
    tables = {id(t.weight): t.weight for t in (model.get_input_embeddings(), _head(model))}
    for table in tables.values():
        for token, pieces in zip(ids, before, strict=True):
            if list(pieces) != [token]:
                table[token] = table[list(pieces)].mean(dim=0)


def _head(model: PreTrainedModel) -> torch.nn.Module:
    return model.get_output_embeddings() or model.get_input_embeddings()
