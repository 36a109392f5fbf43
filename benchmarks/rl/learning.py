"""Learning and measuring on the study's small world: tasks, an onlooker, a model's figures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from mags_lab.training.batches import prompt_of
from mags_lab.training.chains.schema import Sample
from mags_lab.training.evaluate.deciders import Decision
from mags_lab.training.evaluate.scores import judge
from mags_lab.training.evaluate.trained import SampledDecider
from mags_lab.training.experience import Judge, PromptTask, SamplingPolicy
from mags_lab.training.fidelity import Examined, blind, examine
from mags_lab.training.reward import adherence, item_f1, nearness, read
from mags_lab.training.rollout import Sampling

T = TypeVar("T")
LIMIT = 72
"""Tokens of a reply at most; the longest target of the small world has some sixty."""
LOOKED = 256
"""One reply in so many is looked at for the curves: an exam costs far more than a reply."""


def policy_of(
    model: LlamaForCausalLM, words: PreTrainedTokenizerFast, *, temperature: float = 1.0
) -> SamplingPolicy:
    """A model that replies."""
    sampling = Sampling(
        pad=words.pad_token_id, end=words.eos_token_id, limit=LIMIT, temperature=temperature
    )
    return SamplingPolicy(model=model, tokenizer=words, sampling=sampling)


def tasks_of(words: PreTrainedTokenizerFast, samples: Sequence[Sample]) -> list[PromptTask[Sample]]:
    """Prompts with the samples they come from."""
    ids = words([prompt_of(s) for s in samples], add_special_tokens=False)["input_ids"]
    return [
        PromptTask(prompt=(words.bos_token_id, *prompt), known=sample)
        for prompt, sample in zip(ids, samples, strict=True)
    ]


def blinded(
    tasks: Sequence[PromptTask[Sample]], relations: Sequence[str]
) -> list[PromptTask[Examined]]:
    """The same prompts, with an exam in place of each target."""
    return [PromptTask(prompt=task.prompt, known=blind(task.known, relations)) for task in tasks]


class TrainingClock:
    """A watch of a training run: every scalar of every step, and the processor time by then."""

    def __init__(self, left_out: Callable[[], float] = lambda: 0.0) -> None:
        self._begun, self._left_out = time.process_time(), left_out
        self.curve: list[dict[str, float]] = []

    def __call__(self, step: int, scalars: Mapping[str, float]) -> None:
        """Note one step."""
        rounded = {name: round(value, 4) for name, value in scalars.items()}
        self.curve.append({"step": step, "cpu_s": round(self.cpu_s, 2), **rounded})

    @property
    def cpu_s(self) -> float:
        """Processor seconds since the beginning, what is left out taken off."""
        return time.process_time() - self._begun - self._left_out()


@dataclass(slots=True, kw_only=True)
class Onlooker(Generic[T]):
    """A judge that is watched: what `look` says of some replies is noted beside its own parts.

    Nothing of that reaches "reward". `cpu_s` is what looking cost, to be left out of the bill.
    """

    judge: Judge[T]
    look: Callable[[T, str], Mapping[str, float]]
    cpu_s: float = field(default=0.0)

    def __call__(self, tasks: Sequence[T], replies: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """The judge's parts, and the means of what was looked at, the same in every row."""
        judged = self.judge(tasks, replies)
        begun = time.process_time()
        pairs = zip(tasks[::LOOKED], replies[::LOOKED], strict=True)
        seen = [self.look(task, reply) for task, reply in pairs]
        means = {name: sum(one[name] for one in seen) / len(seen) for name in seen[0]}
        self.cpu_s += time.process_time() - begun
        return [{**means, **parts} for parts in judged]

    def clock(self) -> TrainingClock:
        """A clock that leaves out what looking costs from now on."""
        before = self.cpu_s
        return TrainingClock(lambda: self.cpu_s - before)


def by_labels(samples: Sequence[Sample]) -> Callable[[Examined, str], Mapping[str, float]]:
    """What the labels say of a reply to a task whose target was taken out."""
    gold = {sample.id: sample for sample in samples}

    def look(task: Examined, reply: str) -> Mapping[str, float]:
        sample = gold[task.sample.id]
        reading = read(sample, reply)
        measures = {"f1": item_f1, "near": nearness, "exact": adherence}
        return {name: measure(sample, reading) for name, measure in measures.items()}

    return look


def by_exam(tasks: Sequence[PromptTask[Examined]]) -> Callable[[Sample, str], Mapping[str, float]]:
    """What a memory makes of a reply that is judged by its label."""
    exams = {task.known.sample.id: task.known for task in tasks}

    def look(sample: Sample, reply: str) -> Mapping[str, float]:
        return {"fidelity": examine(exams[sample.id], read(sample, reply))}

    return look


def measured(
    policy: SamplingPolicy, samples: Sequence[Sample], relations: Sequence[str], *, examined: int
) -> dict[str, dict[str, list[float]]]:
    """Greedy decisions judged one by one: "frames ask" to measure to a figure for each sample.

    `examined`: how many of each group are held against their exam too.
    """
    found: dict[str, dict[str, list[float]]] = {}
    decided = SampledDecider(policy, name="small", timed=0).decide(samples)
    for sample, decision in zip(samples, decided, strict=True):
        group = found.setdefault(
            f"{sample.split.value} {sample.role.value}",
            {"exact": [], "gist": [], "f1": [], "exam": []},
        )
        for name, value in _judged(sample, decision).items():
            group[name].append(value)
        if len(group["exam"]) < examined:
            exam = blind(sample, relations)
            group["exam"].append(round(examine(exam, decision.reading), 4))
    return found


def _judged(sample: Sample, decision: Decision) -> Mapping[str, float]:
    verdict = judge(sample, decision)
    whole = verdict.said + verdict.wanted
    f1 = 2.0 * verdict.shared / whole if whole else 1.0
    refused = decision.reading is None
    return {
        "exact": verdict.exact,
        "gist": verdict.gist,
        "f1": 0.0 if refused else round(f1, 4),
    }
