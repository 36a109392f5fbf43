"""A causal language model on the strongest device there is, and how it is spoken to.

Samples are read through the model's own chat template, in one of two wordings. `few-shot` is the
prompt file that any chat model gets (`mags.models.prompts`), so an adapter takes the place of a
prompted model. `compact` is shown in few lines: a twentieth of the tokens, which is what a trained
model needs.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from jinja2 import TemplateError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from mags.errors import ConfigurationError
from mags.models.policy.prompted import prompt_values
from mags.models.policy.taught import compact
from mags.models.prompts import Prompt, load_prompts
from mags.ports.chat import Message
from mags_lab.training.batches import Encoded
from mags_lab.training.chains.schema import Sample
from mags_lab.training.large.presets import Wording

Said = dict[str, str]
NO_THINKING = "{%- set enable_thinking = false %}"
"""Before a template that has Qwen's switch: served anywhere, it then asks as it was taught."""
MARK = "MAGS reply"
PLAIN_TEMPLATE = (
    "{% for m in messages %}{{ m['role'] + ':\n' + m['content'] | trim + '\n' }}"
    "{% if m['role'] == 'assistant' %}{{ eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant:\n' }}{% endif %}"
)
"""For models that were never taught to chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """A tokenizer with a chat template, and which wording it is fed.

    `system`: the template takes a system message (Gemma's do not: it then opens the first turn).
    `end`: the token that ends a reply; `limit`: the most tokens of one.
    """

    tokenizer: PreTrainedTokenizerBase
    wording: Wording
    system: bool
    end: int
    limit: int = 96
    prompts: Mapping[str, Prompt] = field(default_factory=load_prompts)

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, wording: Wording) -> Speech:
        """Find out what a tokenizer's template takes, and how it ends a turn."""
        return cls(
            tokenizer=tokenizer,
            wording=wording,
            system=_takes_system(tokenizer),
            end=_end_of_turn(tokenizer),
        )

    def messages(self, sample: Sample) -> list[Said]:
        """What the model is shown of a sample, in the form of chat templates."""
        role = sample.role.value
        if self.wording is Wording.COMPACT:
            prompt = compact(role, sample.turn, sample.recent, sample.recalled)
            return [{"role": "user", "content": prompt}]
        values = prompt_values(sample.turn, sample.recent, sample.recalled)
        return self.fitted(self.prompts[role].messages(values))

    def fitted(self, messages: Sequence[Message]) -> list[Said]:
        """Messages in the form of chat templates; a system message goes where it is taken."""
        said = [{"role": one.role, "content": one.content} for one in messages]
        if self.system or not said or said[0]["role"] != "system":
            return said
        system, first, *rest = said
        return [{"role": "user", "content": f"{system['content']}\n\n{first['content']}"}, *rest]

    def ids(self, messages: Sequence[Said]) -> tuple[int, ...]:
        """Messages as token ids, up to where the reply begins."""
        return tuple(
            self.tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, return_dict=False
            )
        )

    def encode(self, samples: Sequence[Sample], *, longest: int) -> list[Encoded]:
        """Prompts and targets as tokens; those longer than `longest` are left out."""
        found = []
        for sample in samples:
            target = self.tokenizer(sample.target, add_special_tokens=False)["input_ids"]
            one = Encoded(prompt=self.ids(self.messages(sample)), target=(*target, self.end))
            if len(one) <= longest:
                found.append(one)
        return found


def _rendered(tokenizer: PreTrainedTokenizerBase, messages: Sequence[Said]) -> str:
    return str(tokenizer.apply_chat_template(list(messages), tokenize=False))


def _takes_system(tokenizer: PreTrainedTokenizerBase) -> bool:
    said = [{"role": "system", "content": MARK}, {"role": "user", "content": "Hello"}]
    try:
        return MARK in _rendered(tokenizer, said)
    except TemplateError:
        return False


def _end_of_turn(tokenizer: PreTrainedTokenizerBase) -> int:
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": MARK}]
    rest = _rendered(tokenizer, said).rpartition(MARK)[2].strip()
    ids = tokenizer(rest, add_special_tokens=False)["input_ids"] if rest else []
    return int(ids[0]) if ids and ids[0] in tokenizer.all_special_ids else tokenizer.eos_token_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device and the type of the weights on it. `kind`: "cuda", "mps" (Metal) or "cpu"."""

    kind: str
    dtype: torch.dtype

    @property
    def is_gpu(self) -> bool:
        """Whether it is one that vLLM, Unsloth and 4-bit weights want."""
        return self.kind == "cuda"


def find_device() -> Device:
    """CUDA before Metal before the CPU; bfloat16 where a GPU has it, float32 on the CPU."""
    if torch.cuda.is_available():
        short = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        return Device(kind="cuda", dtype=short)
    if torch.backends.mps.is_available():
        return Device(kind="mps", dtype=torch.bfloat16)
    return Device(kind="cpu", dtype=torch.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aids:
    """Libraries that are taken up: Unsloth's kernels, vLLM's rollouts, 4-bit weights.

    None of the tests has a GPU: these three are written by their libraries' documentation.
    """

    unsloth: bool = False
    vllm: bool = False
    four_bit: bool = False


NO_AIDS = Aids()


def find_aids(device: Device) -> Aids:
    """What of it is installed; nothing without a CUDA GPU."""
    if not device.is_gpu:
        return NO_AIDS

    def there(name: str) -> bool:
        return importlib.util.find_spec(name) is not None

    return Aids(unsloth=there("unsloth"), vllm=there("vllm"), four_bit=there("bitsandbytes"))


def chosen_aids(device: Device, *, four_bit: bool) -> Aids:
    """What speeds a run up here; raises ConfigurationError where 4 bits are asked for in vain."""
    aids = find_aids(device)
    if not four_bit:
        return replace(aids, four_bit=False)
    if not aids.four_bit:
        raise ConfigurationError(
            "4-bit weights need a CUDA GPU and bitsandbytes (`pip install bitsandbytes`): leave "
            "--four-bit out, or take a smaller model.",
            key="--four-bit",
        )
    return replace(aids, vllm=False)  # it would hold the weights once more, unquantised


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
        quantised["quantization_config"] = in_four_bits(on)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left")
        model = AutoModelForCausalLM.from_pretrained(source, dtype=on.dtype, **quantised)
    except (OSError, ValueError, ImportError) as failure:
        raise _refusal(source, failure) from failure
    ready = made_ready(model if aids.four_bit else model.to(on.kind), tokenizer, wording, on)
    return replace(ready, aids=aids)


def in_four_bits(device: Device) -> BitsAndBytesConfig:
    """How weights are loaded in 4 bits, to be computed with in the device's type."""
    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=device.dtype
    )


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
