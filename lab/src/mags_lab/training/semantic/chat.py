"""An adapter that recites, in this process, as a chat model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from peft import PeftConfig, PeftModel
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from mags.errors import ConfigurationError
from mags.ports.chat import Completion, Message, Tool, Usage
from mags.ports.weights import RECITE
from mags_lab.training.large.loading import (
    PLAIN_TEMPLATE,
    chosen_aids,
    find_device,
    in_four_bits,
)
from mags_lab.training.optimisers import quick

LONGEST = 48
"""Tokens of a reply, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """A base with its tokenizer; `model` gets an adapter when it is taught."""

    model: PreTrainedModel | PeftModel
    tokenizer: PreTrainedTokenizerBase


def load(
    base: str | Path,
    adapter: Path | None = None,
    *,
    trainable: bool = False,
    four_bit: bool = False,
    always: bool = False,
) -> Student:
    """A base, and an adapter on it where one is given; raises ConfigurationError.

    `always`: the adapter works on every token, whatever it is invoked by, and can be merged.
    """
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    device = find_device()
    chosen_aids(device, four_bit=four_bit)
    quantised = {"quantization_config": in_four_bits(device)} if four_bit else {}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(base))
        model = AutoModelForCausalLM.from_pretrained(str(base), dtype=device.dtype, **quantised)
    except (OSError, ValueError) as failure:
        raise ConfigurationError(
            f"{base} holds no causal language model that transformers can read "
            f"({' '.join(str(failure).split())}): a folder has config.json, safetensors and a "
            "tokenizer.",
            source=str(base),
        ) from failure
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.chat_template is None:
        tokenizer.chat_template = PLAIN_TEMPLATE
    if not four_bit:
        model = model.to(device.kind)
    if adapter is not None:
        config = PeftConfig.from_pretrained(str(adapter))
        if always:
            config.alora_invocation_tokens = None
        model = PeftModel.from_pretrained(
            model, str(adapter), config=config, is_trainable=trainable
        )
    return Student(model=model.eval(), tokenizer=tokenizer)


@contextmanager
def without_adapter(student: Student) -> Iterator[None]:
    """The base as it was, while this is open."""
    model = student.model
    with model.disable_adapter() if isinstance(model, PeftModel) else nullcontext():
        yield


@torch.no_grad()
def replies(
    student: Student, prompts: Sequence[str], *, at_once: int = 128, longest: int = LONGEST
) -> list[str]:
    """The likeliest reply to each prompt."""
    tokenizer, model = student.tokenizer, student.model
    was_training = model.training
    model.eval()
    tokenizer.padding_side = "left"
    said: list[str] = [""] * len(prompts)
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    for begin in range(0, len(order), at_once):
        some = order[begin : begin + at_once]
        texts = [
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompts[i]}],
                add_generation_prompt=True,
                tokenize=False,
            )
            for i in some
        ]
        batch = tokenizer(texts, padding=True, return_tensors="pt", add_special_tokens=False)
        batch = {
            name: one.to(model.device) for name, one in batch.items() if name != "token_type_ids"
        }
        short = model.device.type != "cpu" or quick() is torch.bfloat16
        with torch.autocast(model.device.type, torch.bfloat16, enabled=short):
            out = model.generate(**batch, max_new_tokens=longest, do_sample=False)
        for i, row in zip(some, out, strict=True):
            said[i] = tokenizer.decode(
                row[batch["input_ids"].shape[1] :], skip_special_tokens=True
            ).strip()
    model.train(was_training)
    return said


def merged(student: Student) -> Student:
    """The same with the adapter added to the base's own weights, so that it costs nothing more."""
    model = student.model
    whole = model.merge_and_unload() if isinstance(model, PeftModel) else model
    return Student(model=whole, tokenizer=student.tokenizer)


@torch.inference_mode()
def likeliest(student: Student, asked: Sequence[int], longest: int = LONGEST) -> list[int]:
    """The likeliest tokens after some, one by one, without what ends them.

    As `generate` does it, which needs some times as long for a short reply of a small model.
    """
    ends, said = _ends(student), list[int]()
    given, cache = torch.tensor([list(asked)], device=student.model.device), None
    while len(said) < longest:
        out = student.model(input_ids=given, past_key_values=cache, use_cache=True)
        cache, best = out.past_key_values, out.logits[:, -1].argmax(-1)
        if int(best) in ends:
            break
        said.append(int(best))
        given = best[:, None]
    return said


def _ends(student: Student) -> set[int]:
    """The tokens that end a reply."""
    ends = student.model.generation_config.eos_token_id
    listed = ends if isinstance(ends, list) else [ends]
    return {student.tokenizer.eos_token_id, *listed}


class RecitingChat:
    """A `ChatModel` over an adapter; one reply at a time, the likeliest. Tools are left aside."""

    takes_tools = False

    def __init__(self, student: Student, name: str) -> None:
        self._student = student
        self._name = name
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The adapter's."""
        return self._name

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete once."""
        said = [{"role": one.role, "content": one.content} for one in messages]
        tokenizer = self._student.tokenizer
        asked = tokenizer.apply_chat_template(said, add_generation_prompt=True, return_dict=False)
        with self._lock:
            if isinstance(self._student.model, PeftModel):
                text = replies(self._student, [said[-1]["content"]])[0]
                replied = tokenizer(text, add_special_tokens=False)["input_ids"]
            else:
                replied = likeliest(self._student, asked)
                text = tokenizer.decode(replied, skip_special_tokens=True).strip()
        if on_text is not None:
            on_text(text)
        usage = Usage(calls=1, prompt_tokens=len(asked), completion_tokens=len(replied))
        return Completion(text=text, usage=usage)


def chat(adapter: Path, base: str) -> RecitingChat:
    """What MAGS recites by, of an adapter's folder; see the entry point `mags.weights`.

    Merged where the adapter works on the whole message anyway. Where something stands before what
    invokes it, a system prompt say, that is read by the base alone, as it was in training.
    """
    invoked = PeftConfig.from_pretrained(str(adapter)).alora_invocation_tokens or []
    student = load(base, adapter, always=True)
    said = [{"role": "user", "content": RECITE}]
    begins = student.tokenizer.apply_chat_template(said, return_dict=False)[: len(invoked)]
    whole = merged(student) if begins == invoked else load(base, adapter)
    return RecitingChat(whole, adapter.name)
