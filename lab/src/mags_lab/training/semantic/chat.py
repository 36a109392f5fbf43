"""An adapter that recites, in this process, as a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from mags.errors import ConfigurationError
from mags.ports.chat import Completion, Message, Tool, Usage
from mags_lab.training.large.loading import PLAIN_TEMPLATE, find_device, in_four_bits
from mags_lab.training.large.lora import chosen_aids
from mags_lab.training.semantic.teach import Student, replies


def load(
    base: str | Path,
    adapter: Path | None = None,
    *,
    trainable: bool = False,
    four_bit: bool = False,
) -> Student:
    """A base, and an adapter on it where one is given; raises ConfigurationError."""
    device = find_device()
    chosen_aids(device, four_bit=four_bit)
    quantised = {"quantization_config": in_four_bits(device)} if four_bit else {}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(base))
        model = AutoModelForCausalLM.from_pretrained(
            str(base),
            dtype=device.dtype,
            quantization_config=in_four_bits(device) if four_bit else None,
        )
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
        model = PeftModel.from_pretrained(model, str(adapter), is_trainable=trainable)
    return Student(model=model.eval(), tokenizer=tokenizer)


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
        with self._lock, torch.inference_mode():
            text = replies(self._student, [said[-1]["content"]])[0]
        if on_text is not None:
            on_text(text)
        replied = len(tokenizer(text, add_special_tokens=False)["input_ids"])
        usage = Usage(calls=1, prompt_tokens=len(asked), completion_tokens=replied)
        return Completion(text=text, usage=usage)


def chat(adapter: Path, base: str) -> RecitingChat:
    """What MAGS recites by, of an adapter's folder; see the entry point `mags.weights`."""
    return RecitingChat(load(base, adapter), adapter.name)
