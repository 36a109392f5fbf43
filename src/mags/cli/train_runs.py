"""`mags train sft|grpo|ppo|all`: a recipe, as far as the verb says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from mags.cli.shared import out
from mags.extras import bring
from mags.models.policy.heads.weights import SHIPPED
from mags.training.evaluate.evaluation import from_json
from mags.training.evaluate.report import tables
from mags.training.recipe.ledger import Ledger
from mags.training.recipe.presets import PRESETS, Recipe, Reward, preset

Preset = Annotated[str, typer.Option("--preset", help=f"What is trained: {', '.join(PRESETS)}.")]
Out = Annotated[
    Path, typer.Option("--out", help="Folder of the run; one that was begun goes on there.")
]
Seed = Annotated[int, typer.Option(help="The same seed and threads give the same weights.")]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]
Combined = Annotated[
    bool, typer.Option("--combined", help="One model for all roles, not one for each.")
]
Heads = Annotated[
    bool,
    typer.Option("--heads/--no-heads", help="Train the heads as well, as long as the preset says."),
]
Source = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of `mags train data`; else the recipe makes its own."),
]

Rewarded = Annotated[
    Reward,
    typer.Option(
        "--reward",
        help="What replies are worth: by the label of each sample, or by what a memory knows "
        "afterwards, the label taken out.",
    ),
]


def sft(
    folder: Out,
    preset_name: Preset = "nano",
    seed: Seed = 0,
    threads: Threads = 2,
    combined: Combined = False,
    source: Source = None,
) -> None:
    """Fine-tune: a base on all roles, then a specialist for each."""
    _train("sft", folder, _recipe(preset_name, seed, threads, combined), source)


def grpo(
    folder: Out,
    preset_name: Preset = "nano",
    seed: Seed = 0,
    threads: Threads = 2,
    combined: Combined = False,
    source: Source = None,
    reward: Rewarded = Reward.LABELS,
) -> None:
    """Reinforce what SFT made by GRPO, on sentence frames that SFT did not see."""
    _train("grpo", folder, _recipe(preset_name, seed, threads, combined), source, reward)


def ppo(
    folder: Out,
    preset_name: Preset = "nano",
    seed: Seed = 0,
    threads: Threads = 2,
    combined: Combined = False,
    source: Source = None,
    reward: Rewarded = Reward.LABELS,
) -> None:
    """Reinforce what SFT made by PPO, the baseline: as many steps, prompts and replies as GRPO has.

    GRPO draws groups again that teach nothing, which PPO needs not; PPO has a critic to teach.
    """
    _train("ppo", folder, _recipe(preset_name, seed, threads, combined), source, reward)


def everything(
    folder: Out,
    preset_name: Preset = "nano",
    seed: Seed = 0,
    threads: Threads = 2,
    combined: Combined = False,
    source: Source = None,
    heads: Heads = True,
    reward: Rewarded = Reward.LABELS,
) -> None:
    """From nothing to all that `mags models use` takes: nano by SFT and GRPO, and the heads."""
    recipe = _recipe(preset_name, seed, threads, combined)
    _train("all", folder, recipe, source, reward)
    out.print(tables(from_json(folder / "evaluation.json")))
    out.print(f"Use it with: mags models use {folder / 'export'}", markup=False, soft_wrap=True)
    if heads:
        _train("heads", folder, recipe, source)
        out.print(
            f"Use them with: mags models use {folder / SHIPPED.path.name}",
            markup=False,
            soft_wrap=True,
        )


def _recipe(name: str, seed: int, threads: int, combined: bool) -> Recipe:
    return replace(preset(name), seed=seed, threads=threads, combined=combined)


def _train(
    goal: str,
    folder: Path,
    recipe: Recipe,
    source: Path | None,
    reward: Reward = Reward.LABELS,
) -> None:
    run = bring("mags.training.recipe.run", extra="train", needed_for=f"mags train {goal}")
    told = {"goal": goal, "source": source, "reward": reward, "console": out}
    out.print(_costs(run.train(recipe, folder, **told)))


def _costs(ledger: Ledger) -> Table:
    made = Table(title=f"What each step cost ({ledger.folder / 'run.json'})")
    made.add_column("step")
    for name in ("s", "CPU-s", "peak MB"):
        made.add_column(name, justify="right")
    for name, step in ledger.steps.items():
        figures = (step["wall_s"], step["cpu_s"], step["peak_mb"])
        made.add_row(name, *(f"{one:.1f}" for one in figures))
    return made
