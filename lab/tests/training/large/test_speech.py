"""How a sample is worded for each family, and that it is worded as in use."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

for library in ("torch", "peft", "trl"):
    pytest.importorskip(library, reason="needs the extra: pip install './lab[train]'")

from lab.tests.training.large import families  # noqa: E402
from mags.errors import ConfigurationError  # noqa: E402 - torch first
from mags.models.chat.scripted import ScriptedChat  # noqa: E402
from mags.models.policy.prompted import PromptedPolicy  # noqa: E402
from mags.models.prompts import load_prompts  # noqa: E402
from mags_lab.training.large.loading import (  # noqa: E402
    PLAIN_TEMPLATE,
    Speech,
    load,
)
from mags_lab.training.large.presets import Wording  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
ENDS = {"qwen": "<|im_end|>", "llama": "<|eot_id|>", "gemma": "<end_of_turn>"}


@pytest.mark.parametrize("family", families.FAMILIES)
def test_a_reply_ends_as_the_template_ends_a_turn(family: str, tmp_path: Path) -> None:
    loaded = load(families.folder(family, tmp_path))
    assert loaded.tokenizer.eos_token == ENDS[family]
    assert loaded.model.generation_config.eos_token_id == loaded.speech.end
    (one, *_) = loaded.speech.encode(families.samples(), longest=512)
    assert one.target[-1] == loaded.speech.end
    assert one.target[0] == loaded.tokens[2]  # <engram>
    assert not set(one.target[1:-2]) & set(loaded.tokens)


def test_a_family_without_system_messages_hears_them_in_the_first_turn(tmp_path: Path) -> None:
    speech = Speech.of(families.tokenizer("gemma"), Wording.FEW_SHOT)
    said = speech.messages(families.samples()[0])
    assert not speech.system
    assert [one["role"] for one in said[:2]] == ["user", "assistant"]
    assert said[0]["content"].startswith("You keep the memory of a conversation.")


def test_a_few_shot_sample_is_worded_as_the_prompted_policy_words_it() -> None:
    sample = families.samples()[0]
    chat = ScriptedChat([sample.target])
    PromptedPolicy(chat, load_prompts()).write(sample.turn, sample.recent, sample.recalled)
    asked = [{"role": one.role, "content": one.content} for one in chat.asked[0].messages]
    speech = Speech.of(families.tokenizer("llama"), Wording.FEW_SHOT)
    assert speech.messages(sample) == asked


def test_a_switch_for_thinking_is_turned_off_in_the_template(tmp_path: Path) -> None:
    loaded = load(families.folder("qwen", tmp_path))
    ids = loaded.speech.ids([{"role": "user", "content": "Hello"}])
    assert loaded.tokenizer.decode(ids).endswith("<think>\n\n</think>\n\n")


def test_a_model_that_never_chatted_gets_a_plain_template() -> None:
    words = families.tokenizer("llama")
    words.chat_template = PLAIN_TEMPLATE
    speech = Speech.of(words, Wording.COMPACT)
    assert speech.end == words.eos_token_id
    said = words.decode(speech.ids([{"role": "user", "content": "Hello"}]))
    assert said == "user:\nHello\nassistant:\n"


def test_too_long_samples_are_left_out(taught: Any) -> None:
    speech = replace(taught.adapted.loaded.speech)
    lengths = [len(one) for one in speech.encode(families.samples(), longest=512)]
    assert len(speech.encode(families.samples(), longest=max(lengths) - 1)) < len(lengths)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"config\.json, safetensors and a tokenizer"):
        load(tmp_path)
