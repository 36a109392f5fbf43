"""SFT, GRPO or PPO by itself, on a model or an adapter of a folder: one algorithm, one run.

A model gets a fresh adapter; an adapter of MAGS is trained on. The loops are those of
`mags_lab.training.{sft,grpo,ppo}`, in plain PyTorch; `mags_lab.training.large.lora` goes the whole
road with TRL's trainer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from transformers.utils import logging

from mags_lab.training.chains.schema import Sample
from mags_lab.training.experience import Judge, PromptTask, SamplingPolicy
from mags_lab.training.fidelity import BlindJudge, blind, relations_of
from mags_lab.training.grpo import GrpoConfig, reinforce
from mags_lab.training.large.adapters import (
    CARD,
    Adapted,
    base_of,
    prepare_lesson,
    put_adapter,
    save_adapter,
    take_up,
    teach,
    wording_of,
)
from mags_lab.training.large.loading import Speech, load
from mags_lab.training.large.lora import ADAPTER, base_named
from mags_lab.training.large.presets import QUICK, Preset, Wording
from mags_lab.training.large.rewards import judgeable
from mags_lab.training.large.trial import AdaptedDecider, Stopwatch, Trial, TrialRow
from mags_lab.training.ppo import PpoConfig, reinforce_with_critic
from mags_lab.training.reward import GoldJudge, Reward
from mags_lab.training.rollout import Sampling

GROUP = 8
"""Replies to one prompt."""
SAVED = 20
"""Updates between checkpoints of reinforcement, at most."""


class Algorithm(StrEnum):
    """How an adapter is trained."""

    SFT = "sft"
    GRPO = "grpo"
    PPO = "ppo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One run. `model`: a folder or a name of a causal model, or the folder of an adapter.

    `steps`: how many, or 0 for the epochs of the preset (SFT alone). `rate`: the highest learning
    rate, or None for the preset's (SFT), or a fortieth of it. `reward`: what GRPO and PPO
    reinforce by.
    """

    algorithm: Algorithm
    model: str
    preset: Preset = QUICK
    wording: Wording = Wording.COMPACT
    steps: int = 0
    rate: float | None = None
    reward: Reward = Reward.LABELS


def train(single: Single, trial: Trial) -> list[TrialRow]:
    """Train; a row before and after, and `results.json`, curves and adapter in the folder.

    A folder in which this was stopped is taken up where it was. Raises ConfigurationError where the
    model cannot be loaded, or the folder is of another run.
    """
    logging.disable_progress_bar()
    told = {
        "algorithm": single.algorithm.value,
        "model": base_named(single.model),
        "preset": single.preset.name,
        "steps": single.steps,
        "rate": single.rate,
        "reward": single.reward.value,
    }
    trial.check(told)
    before = Path(single.model)
    trained = (before / CARD).is_file()
    base = base_of(before) if trained else base_named(single.model)
    loaded = load(base, wording=wording_of(before) if trained else single.wording)
    adapted = (
        take_up(loaded, before) if trained else put_adapter(loaded, single.preset, seed=trial.seed)
    )
    trial.claim(told)
    samples, tests = trial.material()

    def row(name: str, clock: Stopwatch) -> TrialRow:
        decider = AdaptedDecider(adapted, name=name, timed=0)
        return trial.row(decider, adapted.model, tests, clock)

    rows = [row("before", Stopwatch())]
    clock = Stopwatch()
    if single.algorithm is Algorithm.SFT:
        _teach(single, adapted, samples, trial)
    else:
        _reinforce(single, adapted, samples, trial)
    if trial.keep:
        save_adapter(adapted, trial.folder / ADAPTER, base=base)
    rows.append(row(single.algorithm.value, clock))
    trial.write(rows, told)
    return rows


def tasks_of(
    speech: Speech, samples: Sequence[Sample], reward: Reward
) -> tuple[list[PromptTask[Any]], Judge[Any]]:
    """Prompts with what the judge knows of each, and the judge.

    Of labels it knows the whole sample; of the store an exam, the label taken out
    (`mags_lab.training.fidelity`), and samples that have none are left out.
    """
    judge: Judge[Any] = GoldJudge() if reward is Reward.LABELS else BlindJudge()
    chosen = judgeable(samples, reward)
    relations = relations_of(chosen)
    tasks = [
        PromptTask(
            prompt=speech.ids(speech.messages(one)),
            known=one if reward is Reward.LABELS else blind(one, relations),
        )
        for one in chosen
    ]
    return tasks, judge


def _teach(single: Single, adapted: Adapted, samples: Sequence[Sample], trial: Trial) -> None:
    lesson = prepare_lesson(adapted, samples, single.preset, seed=trial.seed)
    steps = single.steps or lesson.config.steps
    config = replace(
        lesson.config,
        steps=steps,
        rate=single.rate or single.preset.rate,
        save_every=min(lesson.config.save_every, steps),
    )
    with trial.log("sft", config.steps) as watch:
        teach(
            adapted,
            replace(lesson, config=config),
            watch=watch,
            folder=trial.checkpoints("sft"),
        )


def _reinforce(single: Single, adapted: Adapted, samples: Sequence[Sample], trial: Trial) -> None:
    name, speech = single.algorithm.value, adapted.loaded.speech
    tasks, judge = tasks_of(speech, samples, single.reward)
    pad = int(adapted.loaded.tokenizer.pad_token_id)
    sampling = Sampling(pad=pad, end=speech.end, limit=speech.limit)
    policy = SamplingPolicy(model=adapted.model, tokenizer=speech.tokenizer, sampling=sampling)
    shared: dict[str, Any] = {
        "steps": single.steps,
        "rows": GROUP,
        "rate": single.rate or single.preset.rate / 40,
        "seed": trial.seed,
        "save_every": min(SAVED, single.steps) if trial.keep else 0,
    }
    folder, prompts = trial.checkpoints(name), single.preset.prompts
    with trial.log(name, single.steps) as watch:
        if single.algorithm is Algorithm.GRPO:
            how = GrpoConfig(prompts=prompts, group=GROUP, **shared)
            reinforce(policy, tasks, judge, how, watch=watch, folder=folder)
        else:
            ppo = PpoConfig(replies=prompts * GROUP, copies=GROUP, **shared)
            reinforce_with_critic(policy, tasks, judge, ppo, watch=watch, folder=folder)
