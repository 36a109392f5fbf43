"""A recipe from nothing to a folder that `mags models use` takes; what is done stays done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from transformers.utils import logging

from mags.errors import ConfigurationError, InvalidInput
from mags.training.recipe import courses, finish, steps
from mags.training.recipe.ledger import Ledger
from mags.training.recipe.presets import Recipe, Reward
from mags.training.recipe.steps import Run

Step = Callable[[Run], dict[str, Any]]
GOALS = ("sft", "grpo", "ppo", "all", "heads")
REINFORCING = ("grpo-", "ppo-")


def train(
    recipe: Recipe,
    folder: Path,
    *,
    goal: str = "all",
    source: Path | None = None,
    reward: Reward = Reward.LABELS,
    console: Console | None = None,
) -> Ledger:
    """Take every step towards a goal that is not done yet; raises ConfigurationError.

    `reward`: what is reinforced by; a folder that was reinforced by the other one is refused.

    "sft": base and specialists; "grpo", "ppo": these reinforced; "all": GRPO, export, evaluation;
    "heads": the heads, by one course after another.
    """
    run = Run(recipe=recipe, folder=folder, source=source, reward=reward, console=console)
    ledger = Ledger(folder, recipe)
    torch.set_num_threads(recipe.threads)
    logging.disable_progress_bar()
    for name, step in plan(run, goal).items():
        if ledger.is_done(name):
            _check_reward(ledger, name, reward)
            continue
        with ledger.step(name) as noted:
            noted.update(step(run))
    return ledger


def plan(run: Run, goal: str) -> dict[str, Step]:
    """The steps towards a goal, by name, in order; raises InvalidInput."""
    if goal not in GOALS:
        raise InvalidInput(f"a goal is one of {', '.join(GOALS)}", goal=goal)
    if goal == "heads":
        return {course.name: partial(courses.take, course=course) for course in courses.of(run)}
    made: dict[str, Step] = {
        "data": steps.make_data,
        "tokenizer": steps.make_tokenizer,
        "base": steps.teach_base,
    }
    if run.recipe.specialise.steps and not run.recipe.combined:
        made |= {f"role-{one}": partial(steps.specialise, member=one) for one in run.members}
    by = "grpo" if goal == "all" else goal
    if goal != "sft" and run.recipe.reinforce.steps:
        wanted = set(run.recipe.reinforce.roles)
        made |= {
            f"{by}-{member}": partial(steps.reinforce_member, member=member, by=by)
            for member, roles in run.members.items()
            if wanted.intersection(role.value for role in roles)
        }
    if goal == "all":
        made |= {"export": finish.export, "evaluate": finish.measure}
    return made


def _check_reward(ledger: Ledger, name: str, reward: Reward) -> None:
    step = ledger.steps[name]
    if not name.startswith(REINFORCING) or step.get("reward", Reward.LABELS) == reward:
        return
    raise ConfigurationError(
        f"{ledger.folder} was reinforced by {step.get('reward', Reward.LABELS)} ({name}): use "
        f"another folder, or --reward {step.get('reward', Reward.LABELS)}.",
        path=str(ledger.folder),
        step=name,
    )
