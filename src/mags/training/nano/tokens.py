"""The tokenizer of nano: a small byte-pair encoding learned from its own samples.

Byte-level pieces with GPT-2's pre-tokeniser, so that any text can be written and a GGUF file can
name the same one. Memory tokens are whole pieces but not special ones: a special token would be
stripped when a completion is decoded, before the reward sees it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

PAD, BOS, EOS = "<|pad|>", "<|bos|>", "<|eos|>"
MEMORY_TOKENS = ("<recall>", "</recall>", "<engram>", "</engram>", "<route>", "</route>")
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
    """Learn `size` pieces in all from texts; the same texts give the same pieces."""
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
    return for_transformers(tokenizer)


def for_transformers(tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The pieces of a nano as transformers takes them."""
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
