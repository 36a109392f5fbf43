"""`mags train lora|needs|sizes`: adapters of language models, and nanos for a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from mags.cli.shared import out
from mags.extras import bring
from mags.training.large.presets import FULL, KNOWN, PRESETS, QUICK, peak_memory, preset
from mags.training.large.wording import Wording
from mags.training.recipe.presets import SIZES, Reward, size

if TYPE_CHECKING:
    from mags.training.trial import Row

ROLES = ("ask", "write", "router")

Model = Annotated[
    str,
    typer.Argument(
        help="A causal language model: a folder (config.json, safetensors, tokenizer), or a name "
        "of the Hugging Face hub, which is fetched unless it is in the local cache."
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Argument(metavar="SIZE...", help=f"Of {', '.join(SIZES)}.", show_default="20M"),
]
Preset = Annotated[
    str, typer.Option("--preset", help=f"How long and how wide: {', '.join(PRESETS)}.")
]
Out = Annotated[Path, typer.Option("--out", help="Folder of the run.")]
Worded = Annotated[
    Wording,
    typer.Option(help="How much the model is told: what nano is, or the prompts with examples."),
]
Grpo = Annotated[int, typer.Option(min=0, help="Steps of GRPO after the fine-tuning.")]
Rewarded = Annotated[
    Reward,
    typer.Option(
        "--reward",
        help="What GRPO reinforces by: the label of each sample, or what a memory knows "
        "afterwards, the label taken out.",
    ),
]
FourBit = Annotated[
    bool, typer.Option("--four-bit", help="Weights of 4 bits (a CUDA GPU with bitsandbytes).")
]
Made = Annotated[int, typer.Option(min=1, help="Training samples to make.")]
More = Annotated[
    list[Path] | None,
    typer.Option("--samples", help="More of them: a file (JSONL) of `mags train data`."),
]
Most = Annotated[
    int, typer.Option(min=0, help="Evaluated of each role and split; 0 measures nothing.")
]
Seed = Annotated[int, typer.Option(help="Of samples and training.")]
Keep = Annotated[bool, typer.Option("--keep/--no-keep", help="Leave the weights in the folder.")]
Steps = Annotated[int, typer.Option(min=1, help="Steps of SFT.")]
Tokens = Annotated[int, typer.Option(min=1, help="Tokens of a batch.")]


def lora(
    model: Model,
    folder: Out,
    preset_name: Preset = QUICK.name,
    wording: Worded = Wording.COMPACT,
    grpo: Grpo = 0,
    reward: Rewarded = Reward.LABELS,
    four_bit: FourBit = False,
    made: Made = 20_000,
    samples: More = None,
    most: Most = 200,
    seed: Seed = 0,
    keep: Keep = True,
) -> None:
    """Teach a language model that others trained, by an adapter: SFT, then GRPO where asked for.

    Takes CUDA before Metal before the CPU. Shows exact adherence before and after each stage, and
    leaves the adapter for `mags models use` and `mags models export`.
    """
    chosen = preset(preset_name)
    wanted = {"extra": "train", "needed_for": "mags train lora"}
    road = bring("mags.training.large.lora", **wanted)
    trial = bring("mags.training.trial", **wanted)
    told = road.Tuning(
        model=model, preset=chosen, wording=wording, four_bit=four_bit, reward=reward
    )
    rows = road.tune(
        told,
        trial.Trial(
            folder=folder,
            grpo=grpo,
            made=made,
            more=tuple(samples or ()),
            most=most,
            seed=seed,
            keep=keep,
            console=out,
        ),
    )
    out.print(_table(rows, trial.SPLITS))
    if keep:
        place = folder / road.ADAPTER
        elsewhere = f"mags models export {place} --form gguf --out DIR"
        out.print(f"Use it with: mags models use {place}", markup=False, soft_wrap=True)
        out.print(f"Take it elsewhere with: {elsewhere}", markup=False, soft_wrap=True)


def sizes(
    folder: Out,
    named: Sizes = None,
    steps: Steps = 4_000,
    tokens: Tokens = 16_384,
    grpo: Grpo = 0,
    made: Made = 20_000,
    samples: More = None,
    most: Most = 200,
    seed: Seed = 0,
    keep: Keep = True,
) -> None:
    """Train nanos of several sizes from nothing, on the same samples, side by side.

    Each is left as one GGUF file. From 5M on it is work for a GPU.
    """
    chosen = {name: size(name) for name in named or ["20M"]}
    wanted = {"extra": "train", "needed_for": "mags train sizes"}
    road = bring("mags.training.recipe.sizes", **wanted)
    trial = bring("mags.training.trial", **wanted)
    rows = road.compare(
        chosen,
        road.Schooling(steps=steps, tokens=tokens),
        trial.Trial(
            folder=folder,
            grpo=grpo,
            made=made,
            more=tuple(samples or ()),
            most=most,
            seed=seed,
            keep=keep,
            console=out,
        ),
    )
    out.print(_table(rows, trial.SPLITS))


def needs() -> None:
    """Estimate the memory that `mags train lora` needs: GiB at the peak, for models and presets."""
    table = Table(title="Estimated GiB at the peak, by the formula of peak_memory")
    for head in ("model", "quick", "full", "full, GRPO", "quick, 4-bit", "full, 4-bit"):
        table.add_column(head, justify="left" if head == "model" else "right")
    for name, shape in KNOWN.items():
        gib = (
            peak_memory(shape, QUICK),
            peak_memory(shape, FULL),
            peak_memory(shape, FULL, rollouts=64),
            peak_memory(shape, QUICK, four_bit=True),
            peak_memory(shape, FULL, four_bit=True),
        )
        table.add_row(name, *(f"{need.gib:.1f}" for need in gib))
    out.print(table)


def _table(rows: Sequence[Row], splits: Sequence[str]) -> Table:
    made = Table(title="Exact adherence in %", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    made.add_column("model", overflow="fold")
    for head in ("weights", "trained", "minutes", "peak GiB"):
        made.add_column(head, justify="right", no_wrap=True)
    made.add_column("split", no_wrap=True)
    for role in ROLES:
        made.add_column(role, justify="right", no_wrap=True)
    for row in rows:
        costs = (
            *(row.name, f"{row.weights / 1e6:.1f}M", f"{row.trained / 1e6:.1f}M"),
            *(f"{row.minutes:.1f}", f"{row.peak_mb / 1024:.1f}"),
        )
        for place, split in enumerate(splits):
            reached = (_percent(row.exact.get(f"{role} {split}")) for role in ROLES)
            made.add_row(*(costs if place == 0 else [""] * len(costs)), split, *reached)
    return made


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0f}"
