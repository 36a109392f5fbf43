"""Reinforcement in the study: GRPO or PPO from a start, its steps chosen on dev, its bill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from benchmarks.rl.choosing import Chooser
from benchmarks.rl.learning import Onlooker, TrainingClock
from benchmarks.rl.study import CriticSetting, Study
from mags_lab.training.experience import Judge, PromptTask, SamplingPolicy
from mags_lab.training.grpo import GrpoConfig, reinforce
from mags_lab.training.ppo import PpoConfig, reinforce_with_critic
from mags_lab.training.runs import Watch

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinforcedLesson(Generic[T]):
    """What is learned from: `tasks` under `judge`; `dev`: tasks on which steps are chosen, by
    `part` of what `examiner` says of the likeliest replies. `looks`: how often, where the number of
    steps was set beforehand.
    """

    tasks: Sequence[PromptTask[T]]
    judge: Onlooker[T]
    dev: Sequence[PromptTask[T]]
    examiner: Judge[T]
    part: str
    looks: int = 2


def by_grpo(
    policy: SamplingPolicy, lesson: ReinforcedLesson[T], study: Study, *, seed: int
) -> dict[str, Any]:
    """GRPO to its last step; the policy's model is then the best that was seen."""
    how = study.practice
    config = GrpoConfig(
        steps=how.steps,
        prompts=how.prompts,
        group=how.group,
        epochs=how.epochs,
        rows=how.rows,
        rate=how.rate,
        resamples=how.redraws,
        warmup=how.rise,
        seed=seed,
    )
    chooser = _chooser(policy, lesson, every=study.choosing.every, last=how.steps)
    chooser(0)
    clock = _clock(lesson, chooser)
    reinforce(policy, lesson.tasks, lesson.judge, config, watch=_both(clock, chooser))
    chooser.take_best()
    return _found(lesson, chooser, clock)


def by_ppo(
    policy: SamplingPolicy,
    lesson: ReinforcedLesson[T],
    study: Study,
    *,
    critic: CriticSetting,
    steps: int,
    seed: int,
) -> dict[str, Any]:
    """PPO for so many steps; the policy's model is then the best that was seen on the way."""
    how = study.practice
    config = PpoConfig(
        steps=steps,
        replies=how.prompts * how.group,
        copies=critic.copies,
        epochs=how.epochs,
        rows=how.rows,
        rate=critic.rate,
        value_weight=critic.value_weight,
        critic_warmup=critic.warm,
        warmup=how.rise,
        seed=seed,
    )
    chooser = _chooser(policy, lesson, every=-(-steps // lesson.looks), last=steps)
    chooser(0)
    clock = _clock(lesson, chooser)
    watch = _both(clock, chooser)
    reinforce_with_critic(policy, lesson.tasks, lesson.judge, config, watch=watch)
    chooser.take_best()
    return {**_found(lesson, chooser, clock), "critic": asdict(critic)}


def _chooser(
    policy: SamplingPolicy, lesson: ReinforcedLesson[T], *, every: int, last: int
) -> Chooser[T]:
    return Chooser(
        policy=policy,
        tasks=lesson.dev,
        judge=lesson.examiner,
        part=lesson.part,
        every=every,
        last=last,
    )


def _clock(lesson: ReinforcedLesson[T], chooser: Chooser[T]) -> TrainingClock:
    before = lesson.judge.cpu_s + chooser.cpu_s
    return TrainingClock(lambda: lesson.judge.cpu_s + chooser.cpu_s - before)


def _both(clock: TrainingClock, chooser: Chooser[T]) -> Watch:
    def watch(step: int, scalars: Mapping[str, float]) -> None:
        clock(step, scalars)
        chooser(step)

    return watch


def _found(
    lesson: ReinforcedLesson[T], chooser: Chooser[T], clock: TrainingClock
) -> dict[str, Any]:
    kept = chooser.best or (0, 0.0)
    return {
        "cpu_s": round(clock.cpu_s, 1),
        "steps": len(clock.curve),
        "kept": kept[0],
        "best": kept[1],
        "looks": chooser.looks,
        "looking_cpu_s": round(chooser.cpu_s, 1),
        "prompts": len(lesson.tasks),
        "curve": clock.curve,
    }
