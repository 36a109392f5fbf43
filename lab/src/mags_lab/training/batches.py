"""Samples as prompts and replies, as tokens, and as batches of about equal cost."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from mags.models.policy.taught import compact, shorten
from mags_lab.training.chains.schema import Role, Sample

AT_ONCE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What a model reads and what it should reply, both as text."""

    prompt: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """A pair as token ids, the reply ended by the end token."""

    prompt: tuple[int, ...]
    target: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingBatch:
    """`inputs`, `targets` int64 (b, t): the next token; `weights` float32 (b, t): its share."""

    inputs: Tensor
    targets: Tensor
    weights: Tensor


def encode(
    tokenizer: PreTrainedTokenizerBase, pairs: Iterable[Pair], *, longest: int
) -> list[Encoded]:
    """Tokens of pairs; those longer than `longest` tokens are left out (count the difference)."""
    begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    numbers = list(range(len(tokenizer)))  # one object a piece, not one a token: a quarter of it
    encoded: list[Encoded] = []
    waiting = iter(pairs)
    while some := list(islice(waiting, AT_ONCE)):
        prompts = tokenizer([p.prompt for p in some], add_special_tokens=False)["input_ids"]
        targets = tokenizer([p.target for p in some], add_special_tokens=False)["input_ids"]
        made = (
            Encoded(
                prompt=(begin, *(numbers[i] for i in prompt)),
                target=(*(numbers[i] for i in target), end),
            )
            for prompt, target in zip(prompts, targets, strict=True)
        )
        encoded += (one for one in made if len(one) <= longest)
    return encoded


def batches(
    encoded: Sequence[Encoded], *, tokens: int, pad: int, prompt_weight: float, seed: int
) -> Iterator[TrainingBatch]:
    """Once through all samples in random order, batches of at most `tokens` with padding.

    Samples of about the same length go together (within pools of some hundred), so little is
    padding.
    """
    chance = random.Random(seed)
    order = list(range(len(encoded)))
    chance.shuffle(order)
    ready: list[list[int]] = []
    for begin in range(0, len(order), 2048):
        pool = sorted(order[begin : begin + 2048], key=lambda i: len(encoded[i]))
        ready += _fill(pool, encoded, tokens)
    chance.shuffle(ready)
    for rows in ready:
        yield _stack([encoded[i] for i in rows], pad, prompt_weight)


def _fill(pool: Sequence[int], encoded: Sequence[Encoded], tokens: int) -> list[list[int]]:
    filled: list[list[int]] = [[]]
    for i in pool:
        if filled[-1] and (len(filled[-1]) + 1) * len(encoded[i]) > tokens:
            filled.append([])
        filled[-1].append(i)
    return filled


def _stack(rows: Sequence[Encoded], pad: int, prompt_weight: float) -> TrainingBatch:
    width = max(len(row) for row in rows)
    tokens = torch.full((len(rows), width), pad)
    weights = torch.zeros((len(rows), width))
    for i, row in enumerate(rows):
        tokens[i, : len(row)] = torch.tensor((*row.prompt, *row.target))
        weights[i, : len(row.prompt)] = prompt_weight
        weights[i, len(row.prompt) : len(row)] = 1.0
    return TrainingBatch(inputs=tokens[:, :-1], targets=tokens[:, 1:], weights=weights[:, 1:])


def pair_of(sample: Sample) -> Pair:
    """The compact prompt of a sample and its target: the same words as in use."""
    return Pair(prompt=prompt_of(sample), target=sample.target)


def short_pair_of(sample: Sample) -> Pair:
    """The same with the target in short (`mags.models.policy.taught`)."""
    return Pair(prompt=prompt_of(sample), target=shorten(sample.target, sample.turn, sample.recent))


def prompt_of(sample: Sample) -> str:
    """The compact prompt of a sample."""
    return compact(sample.role.value, sample.turn, sample.recent, sample.recalled)


def of_role(samples: Iterable[Sample], *roles: Role) -> list[Sample]:
    """The samples of some roles; of all roles where none is named."""
    return [sample for sample in samples if not roles or sample.role in roles]
