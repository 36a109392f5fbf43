"""The study's model: a Llama of a million weights with random weights, and pieces of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from benchmarks.rl.study import Widths
from mags_lab.training.large.loading import MEMORY_TOKENS

PAD, BOS, EOS = "<|pad|>", "<|bos|>", "<|eos|>"
WORD = re.compile(r" ?\w+")


def without_names(texts: Sequence[str], *, least: int = 4) -> Iterator[str]:
    """The texts without the words that are in fewer than `least` of them.

    Pieces learned from made-up names are those of training's own syllables: names of the tests
    would be spelled in another way than any name it saw, and no piece is left for common words.
    """
    counts = Counter(word for text in texts for word in {*(w.strip() for w in WORD.findall(text))})
    for text in texts:
        yield WORD.sub(lambda found: found[0] if counts[found[0].strip()] >= least else "", text)


def train_tokenizer(texts: Iterable[str], *, size: int = 1024) -> PreTrainedTokenizerFast:
    """Learn `size` byte-level pieces in all from texts; the same texts give the same pieces.

    Memory tokens are whole pieces but not special ones: a special token would be stripped when a
    completion is decoded, before the reward sees it.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(MEMORY_TOKENS),
        special_tokens=[PAD, BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in MEMORY_TOKENS])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )


def new_model(tokenizer: PreTrainedTokenizerFast, size: Widths, *, seed: int) -> LlamaForCausalLM:
    """A model with random weights; the same seed gives the same ones."""
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
