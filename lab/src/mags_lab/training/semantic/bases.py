"""A base of our own: a Llama of 1 to 20 million weights that reads, recites and does not invent.

Its folder is what any Hugging Face folder is: config, safetensors, tokenizer, chat template.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from mags.errors import InvalidInput
from mags_lab.training.batches import Encoded
from mags_lab.training.optimisers import quick
from mags_lab.training.runs import Watch
from mags_lab.training.semantic.world import Lesson, LessonWorld
from mags_lab.training.sft import SftConfig, fine_tune

SHIPPED = Path(__file__).with_name("data") / "base-1m"
"""The base of 1 million weights that ships: `mags train base 1M --out DIR` makes it anew."""
PIECES = 2_048
SPECIAL = ("<|end|>", "<|user|>", "<|assistant|>", "<|system|>")
TEMPLATE = (
    "{% for m in messages %}{{ '<|' + m['role'] + '|> ' + m['content'] | trim + '<|end|>' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
"""A space before every text, so that a name is the same pieces wherever it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseShape:
    """Width, layers and heads of a base, and how it is made: lessons, tokens of a batch, rate."""

    width: int
    layers: int
    heads: int
    lessons: int = 120_000
    steps: int = 2_000
    tokens: int = 4_096
    rate: float = 3e-3


SHAPES: Mapping[str, BaseShape] = {
    "1M": BaseShape(width=128, layers=4, heads=4),
    "3M": BaseShape(width=256, layers=4, heads=4),
    "10M": BaseShape(width=384, layers=6, heads=6),
    "20M": BaseShape(width=512, layers=6, heads=8),
}


def shape(name: str) -> BaseShape:
    """A shape by its name; raises InvalidInput that tells the others."""
    if name not in SHAPES:
        raise InvalidInput(f"There is no base {name!r}: there are {', '.join(SHAPES)}.", size=name)
    return SHAPES[name]


def lasting(form: BaseShape, steps: int) -> BaseShape:
    """The same, made in so many steps."""
    return replace(form, steps=steps)


def make(folder: Path, form: BaseShape, *, seed: int = 0, watch: Watch | None = None) -> Path:
    """Train a base from nothing and write its folder; stopped, it goes on where it was."""
    torch.manual_seed(seed)
    lessons = list(itertools.islice(LessonWorld(seed).lessons(), form.lessons))
    tokenizer = pieces_of(lessons)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=form.width,
            intermediate_size=form.width * 8 // 3 // 32 * 32,
            num_hidden_layers=form.layers,
            num_attention_heads=form.heads,
            num_key_value_heads=form.heads,
            max_position_embeddings=1_024,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.eos_token_id,
        )
    )
    encoded = [encode(tokenizer, one) for one in lessons]
    config = SftConfig(
        steps=form.steps, rate=form.rate, tokens=form.tokens, seed=seed, save_every=200
    )
    short = quick() is torch.bfloat16
    # The cache of casts would outlive a step.
    with torch.autocast("cpu", torch.bfloat16, enabled=short, cache_enabled=False):
        fine_tune(model, encoded, config, watch=watch, folder=folder / "checkpoints")
    model.to(torch.float16).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def pieces_of(lessons: list[Lesson]) -> PreTrainedTokenizerFast:
    """A byte-level BPE of the lessons' words."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=PIECES,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator((f" {one.prompt} | {one.reply}" for one in lessons), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token=SPECIAL[0],
        pad_token=SPECIAL[0],
        chat_template=TEMPLATE,
        additional_special_tokens=list(SPECIAL[1:]),
        clean_up_tokenization_spaces=False,
    )


def encode(tokenizer: PreTrainedTokenizerFast, lesson: Lesson) -> Encoded:
    """A lesson as the model reads it, through its chat template."""
    said = [{"role": "user", "content": lesson.prompt}]
    prompt = tokenizer.apply_chat_template(said, add_generation_prompt=True, return_dict=False)
    said.append({"role": "assistant", "content": lesson.reply})
    whole = tokenizer.apply_chat_template(said, return_dict=False)
    return Encoded(prompt=tuple(prompt), target=tuple(whole[len(prompt) :]))
