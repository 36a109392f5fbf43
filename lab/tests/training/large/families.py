"""Gemma, Qwen and Llama in miniature: random weights, their own chat templates, one folder each."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
)
from transformers.convert_slow_tokenizer import generate_merges

from benchmarks.rl.small import train_tokenizer
from mags.ports.policy import Turn
from mags_lab.training.chains.schema import Role, Sample, Split

AT = 1_715_299_200.0  # 10 May 2024
QWEN = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
    "{% endif %}"
)
LLAMA = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>"
    "{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
SPECIAL = {
    "qwen": ("<|im_start|>", "<|im_end|>"),
    "llama": ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    "gemma": ("<start_of_turn>", "<end_of_turn>"),
}
TEMPLATES = {"qwen": QWEN, "llama": LLAMA, "gemma": GEMMA}
FAMILIES = tuple(TEMPLATES)

# Wide enough at random for an adapter to turn: at the usual 0.02 all logits are near zero.
WIDTHS: Mapping[str, float] = {
    "initializer_range": 0.2,
    "hidden_size": 32,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 64,
    "max_position_embeddings": 2048,
}


def tokenizer(family: str) -> PreTrainedTokenizerFast:
    made = sentencepiece() if family == "gemma" else _byte_level()
    found = PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<|bos|>", eos_token="<|eos|>")
    found.add_special_tokens(
        {"extra_special_tokens": [AddedToken(t, special=True) for t in SPECIAL[family]]}
    )
    found.chat_template = TEMPLATES[family]
    return found


def _byte_level() -> Tokenizer:
    pieces = train_tokenizer((one.target for one in samples()), size=400)
    # A model that others trained does not know memory tokens yet.
    state = json.loads(pieces.backend_tokenizer.to_str())
    state["added_tokens"] = [one for one in state["added_tokens"] if one["special"]]
    return Tokenizer.from_str(json.dumps(state))


def sentencepiece(*, prefix: bool = False) -> Tokenizer:
    """Pieces as Gemma's `tokenizer.json` has SentencePiece's: bytes to fall back on, no words.

    `prefix`: a space is put before the text, as for Llama 2.
    """
    special = ["<|pad|>", "<|eos|>", "<|bos|>", "<unk>"]
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=True)
    texts = [text for one in samples() for text in (one.turn.text, one.target)]
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    learner.train_from_iterator(texts, trainer)
    learned = [
        word
        for word, _ in sorted(learner.get_vocab().items(), key=lambda item: item[1])
        if word not in special
    ]
    words = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), *learned]
    vocab = {word: place for place, word in enumerate(words)}
    merges = generate_merges(
        vocab, {word: -float(place) for place, word in enumerate(learned)}, [*special]
    )
    made = Tokenizer(
        models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    replaced = normalizers.Replace(" ", "▁")
    made.normalizer = (
        normalizers.Sequence([normalizers.Prepend("▁"), replaced]) if prefix else replaced
    )
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    made.add_special_tokens(special)
    return made


def _qwen(config: Mapping[str, object]) -> torch.nn.Module:
    return Qwen3ForCausalLM(Qwen3Config(tie_word_embeddings=True, **config))


def _llama(config: Mapping[str, object]) -> torch.nn.Module:
    return LlamaForCausalLM(LlamaConfig(tie_word_embeddings=False, **config))


def _gemma(config: Mapping[str, object]) -> torch.nn.Module:
    return Gemma3ForCausalLM(Gemma3TextConfig(query_pre_attn_scalar=8, sliding_window=64, **config))


MODELS: Mapping[str, Callable[[Mapping[str, object]], torch.nn.Module]] = {
    "qwen": _qwen,
    "llama": _llama,
    "gemma": _gemma,
}


def folder(family: str, path: Path, *, layers: int = 2) -> Path:
    """A model of a family as it would come from elsewhere."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    words = tokenizer(family)
    more = {"vocab_size": len(words), "eos_token_id": words.eos_token_id}
    more |= {"bos_token_id": words.bos_token_id, "num_hidden_layers": layers}
    model = MODELS[family]({**WIDTHS, **more})
    model.save_pretrained(path)
    words.save_pretrained(path)
    return path


def samples() -> list[Sample]:
    """Turns that tell one fact each, and small talk that tells nothing."""
    told = [
        _sample(f"I live in {city}.", f"ADD | Zora | lives in | {city}")
        for city in ("Oslo", "Bergen", "Turin", "Lyon")
    ]
    small = ("Hello there!", "Nice weather today.", "How are you?", "Good night, then.")
    return [*told, *(_sample(words, "none") for words in small)]


def _sample(text: str, line: str) -> Sample:
    turn = Turn(text=text, speaker="Zora", at=AT)
    target = f"<engram>\n{line}\n</engram>"
    return Sample(id=text, role=Role.WRITE, split=Split.TRAIN, turn=turn, target=target)
