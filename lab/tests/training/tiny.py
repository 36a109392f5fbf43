"""A model small enough for a test: a Llama of some ten thousand weights that spells letters."""

from collections.abc import Mapping, Sequence
from random import Random

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from benchmarks.rl.small import new_model, train_tokenizer
from benchmarks.rl.study import Widths
from mags_lab.training.batches import Encoded, Pair, encode
from mags_lab.training.experience import PromptTask, SamplingPolicy
from mags_lab.training.rollout import Sampling
from mags_lab.training.sft import SftConfig, fine_tune

SIZE = Widths(width=32, layers=2, heads=2, inner=64, context=256, pieces=320)
LETTERS = "abcd"


def tokenizer() -> PreTrainedTokenizerFast:
    torch.set_num_threads(1)
    return train_tokenizer(["say it: a b c d", "Alice lives in Oslo."], size=SIZE.pieces)


def model(words: PreTrainedTokenizerFast, seed: int = 0) -> LlamaForCausalLM:
    return new_model(words, SIZE, seed=seed).eval()


def pairs(count: int = 200, seed: int = 0) -> list[Pair]:
    """Prompts with a number, replies of two to five letters drawn at random."""
    rng = Random(seed)
    return [
        Pair(
            prompt=f"say {rng.randrange(20)}: ",
            target=" ".join(rng.choice(LETTERS) for _ in range(rng.randint(2, 5))),
        )
        for _ in range(count)
    ]


def encoded(words: PreTrainedTokenizerFast, count: int = 200) -> list[Encoded]:
    return encode(words, pairs(count), longest=64)


def sampling(words: PreTrainedTokenizerFast, *, temperature: float = 1.0) -> Sampling:
    return Sampling(
        pad=words.pad_token_id, end=words.eos_token_id, limit=12, temperature=temperature
    )


def speller(words: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A model that has learned to spell letters, each of them about as often."""
    spells = model(words)
    config = SftConfig(steps=60, rate=1e-2, tokens=1_024)
    fine_tune(spells, encoded(words), config)
    return spells


def tasks(words: PreTrainedTokenizerFast, count: int = 10) -> list[PromptTask[str]]:
    """Prompts whose replies are worth their share of the letter a."""
    prompts = [f"say {i}: " for i in range(count)]
    return [
        PromptTask(
            prompt=(words.bos_token_id, *words(p, add_special_tokens=False)["input_ids"]), known=p
        )
        for p in prompts
    ]


def share_of_a(asked: Sequence[str], replies: Sequence[str]) -> Sequence[Mapping[str, float]]:
    letters = [[c for c in reply if c.isalpha()] for reply in replies]
    return [{"reward": said.count("a") / len(said) if said else 0.0} for said in letters]


def policy(words: PreTrainedTokenizerFast, spells: LlamaForCausalLM) -> SamplingPolicy:
    return SamplingPolicy(model=spells, tokenizer=words, sampling=sampling(words))
