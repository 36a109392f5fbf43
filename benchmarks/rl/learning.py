"""The learning of one cell: fine-tuning, GRPO, PPO, each on the study's small world."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from benchmarks.rl.exam import Examined, blind
from mags.training.chains.schema import Sample
from mags.training.experience import Judge, Task, Voice
from mags.training.pairs import prompt_of
from mags.training.reward import adherence, item_f1, read
from mags.training.rollout import Sampling

T = TypeVar("T")
LIMIT = 72
"""Tokens of a reply at most; the longest target of the small world has some sixty."""


def voice_of(
    model: LlamaForCausalLM, words: PreTrainedTokenizerFast, *, temperature: float = 1.0
) -> Voice:
    """A model that replies."""
    sampling = Sampling(
        pad=words.pad_token_id, end=words.eos_token_id, limit=LIMIT, temperature=temperature
    )
    return Voice(model=model, tokenizer=words, sampling=sampling)


def tasks_of(words: PreTrainedTokenizerFast, samples: Sequence[Sample]) -> list[Task[Sample]]:
    """Prompts with the samples they come from."""
    ids = words([prompt_of(s) for s in samples], add_special_tokens=False)["input_ids"]
    return [
        Task(prompt=(words.bos_token_id, *prompt), known=sample)
        for prompt, sample in zip(ids, samples, strict=True)
    ]


def blinded(tasks: Sequence[Task[Sample]], relations: Sequence[str]) -> list[Task[Examined]]:
    """The same prompts, with an exam in place of each target."""
    return [Task(prompt=task.prompt, known=blind(task.known, relations)) for task in tasks]


@dataclass(slots=True, kw_only=True)
class Onlooker:
    """A judge that is watched: what gold labels say of the replies is noted beside its own parts.

    Nothing of that reaches "reward". `cpu_s` is what looking cost, to be left out of the bill.
    """

    judge: Judge[Examined]
    gold: Mapping[str, Sample]
    cpu_s: float = field(default=0.0)

    def __call__(
        self, tasks: Sequence[Examined], replies: Sequence[str]
    ) -> Sequence[Mapping[str, float]]:
        """The judge's parts, with "f1" and "exact"."""
        judged = self.judge(tasks, replies)
        begun = time.process_time()
        whole = [
            {**parts, **_seen(self.gold[task.sample.id], reply)}
            for task, reply, parts in zip(tasks, replies, judged, strict=True)
        ]
        self.cpu_s += time.process_time() - begun
        return whole


def _seen(sample: Sample, reply: str) -> Mapping[str, float]:
    reading = read(sample, reply)
    return {"f1": item_f1(sample, reading), "exact": adherence(sample, reading)}
