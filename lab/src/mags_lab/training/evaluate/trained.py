"""A torch model evaluated as it trains, or from its folder: in batches, and sampled from."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from mags.errors import InvalidInput
from mags_lab.training.batches import prompt_of
from mags_lab.training.chains.schema import Role, Sample
from mags_lab.training.evaluate.deciders import Decision, mixes
from mags_lab.training.experience import SamplingPolicy
from mags_lab.training.gguf import export_gguf
from mags_lab.training.reward import nothing_invented, read
from mags_lab.training.rollout import Sampling, complete


def opened(folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A model and its tokenizer, which lies in the same folder or in `tokenizer` beside it.

    Raises InvalidInput where there is no tokenizer.
    """
    places = (folder, folder.parent / "tokenizer")
    words = next((one for one in places if (one / "tokenizer.json").is_file()), None)
    if words is None:
        raise InvalidInput(f"{folder} has no tokenizer.json beside its model.", path=str(folder))
    model = AutoModelForCausalLM.from_pretrained(folder)
    return model.eval(), AutoTokenizer.from_pretrained(words)


def to_gguf(folder: Path, path: Path) -> Path:
    """Write the model of a folder as one GGUF file."""
    model, tokenizer = opened(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    return export_gguf(model, tokenizer, path, name=path.stem)


LIMIT = 160


class SampledDecider:
    """A `SamplingPolicy`: greedy decisions in batches, and sampled ones at its own temperature.

    `timed`: how many of the samples are decided alone once more, to time a decision. `seed`: of
    what is sampled.
    """

    def __init__(
        self, policy: SamplingPolicy, *, name: str, batch: int = 64, timed: int = 20, seed: int = 0
    ) -> None:
        self.name = name
        self.roles = tuple(Role)
        self._policy = policy
        self._batch = batch
        self._timed = timed
        self._seed = seed
        policy.model.eval()

    def decide(self, samples: Sequence[Sample]) -> Sequence[Decision]:
        """The likeliest reply to each sample."""
        greedy = replace(self._policy.sampling, temperature=0.0)
        made = list(self._replies(samples, greedy))
        return [
            replace(one, seconds=self._seconds(sample, greedy)) if i < self._timed else one
            for i, (sample, one) in enumerate(zip(samples, made, strict=True))
        ]

    def sample(self, samples: Sequence[Sample], count: int) -> Sequence[Sequence[Decision]]:
        """`count` replies sampled for each sample."""
        repeated = [sample for sample in samples for _ in range(count)]
        sampled = list(self._replies(repeated, self._policy.sampling))
        return [sampled[i : i + count] for i in range(0, len(sampled), count)]

    def _replies(self, samples: Sequence[Sample], how: Sampling) -> Iterator[Decision]:
        generator = torch.Generator(device=self._policy.model.device).manual_seed(self._seed)
        for begin in range(0, len(samples), self._batch):
            some = samples[begin : begin + self._batch]
            prompts = [self._ids(sample) for sample in some]
            done = complete(self._policy.model, prompts, how, generator=generator)
            used = done.mask.sum(1).long().tolist()
            for sample, ids, text, count in zip(
                some, prompts, self._policy.replies(done), used, strict=True
            ):
                yield replace(judged(sample, text), tokens=len(ids) + count)

    def _ids(self, sample: Sample) -> tuple[int, ...]:
        tokenizer = self._policy.tokenizer
        ids = tokenizer(prompt_of(sample), add_special_tokens=False)["input_ids"]
        return (tokenizer.bos_token_id, *ids)

    def _seconds(self, sample: Sample, how: Sampling) -> float:
        begin = time.perf_counter()
        complete(self._policy.model, [self._ids(sample)], how)
        return time.perf_counter() - begin


def from_folder(folder: Path, *, name: str, limit: int = LIMIT, seed: int = 0) -> SampledDecider:
    """A model of transformers in a folder, shown the compact prompt; raises InvalidInput.

    `limit`: tokens of a reply; `seed`: of what is sampled.
    """
    model, tokenizer = opened(folder)
    sampling = Sampling(pad=tokenizer.pad_token_id, end=tokenizer.eos_token_id, limit=limit)
    policy = SamplingPolicy(model=model, tokenizer=tokenizer, sampling=sampling)
    return SampledDecider(policy, name=name, seed=seed)


def judged(sample: Sample, text: str) -> Decision:
    """A reply as a decision: read, held against the guardrail, its memory tokens looked at."""
    mixed = mixes(sample.role, text)
    reading = read(sample, text)
    if reading is None:
        return Decision(reading=None, why="the grammar refuses it", mixed=mixed)
    if not nothing_invented(sample, reading):
        return Decision(reading=None, why="invented", mixed=mixed)
    return Decision(reading=reading, mixed=mixed)
