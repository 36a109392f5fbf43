"""Adapters of language models: `mags train sft|grpo|ppo|lora|needs`, and `mags models export`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from mags.cli.console import out
from mags.cli.installation import ADAPTER, ROLES
from mags.errors import InvalidInput
from mags.extras import import_extra
from mags.settings import NANO_GONE
from mags_lab.cli.deciders import WEIGHTS
from mags_lab.training.large.presets import (
    FULL,
    KNOWN,
    PRESETS,
    QUICK,
    Wording,
    peak_memory,
    preset,
)
from mags_lab.training.reward import Reward

if TYPE_CHECKING:
    from mags_lab.training.large.trial import Trial, TrialRow


Model = Annotated[
    str,
    typer.Argument(
        help="A causal language model: a folder (config.json, safetensors, tokenizer), or a name "
        "of the Hugging Face hub, which is fetched unless it is in the local cache."
    ),
]
Preset = Annotated[
    str, typer.Option("--preset", help=f"How long and how wide: {', '.join(PRESETS)}.")
]
Out = Annotated[Path, typer.Option("--out", help="Folder of the run.")]
Worded = Annotated[
    Wording,
    typer.Option(
        help="How much the model is told: a prompt of few tokens, or the prompts with examples."
    ),
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
Source = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        show_default=False,
        help="A causal language model, as of `mags train lora`, which gets a fresh adapter; or the "
        "folder of an adapter, which is trained on.",
    ),
]
Steps = Annotated[int, typer.Option(min=1, help="How many steps it takes.")]
Epochs = Annotated[
    int, typer.Option("--steps", min=0, help="How many steps it takes; 0: the preset's epochs.")
]
Rate = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        help="The highest learning rate.",
        show_default="the preset's; a fortieth of it to reinforce",
    ),
]
Judged = Annotated[
    Reward,
    typer.Option(
        "--reward",
        help="What replies are worth: by the label of each sample, or by what a memory knows "
        "afterwards, the label taken out.",
    ),
]


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
    road = import_extra("mags_lab.training.large.lora", extra="train", needed_for="mags train lora")
    told = road.AdapterTuning(
        model=model, preset=chosen, wording=wording, four_bit=four_bit, reward=reward
    )
    trial = _trial("lora", folder, made, samples, most, seed, keep, grpo=grpo)
    _show(road.tune(told, trial), trial)


def sft(
    folder: Out,
    model: Source = "",
    preset_name: Preset = QUICK.name,
    wording: Worded = Wording.COMPACT,
    steps: Epochs = 0,
    rate: Rate = None,
    made: Made = 20_000,
    samples: More = None,
    most: Most = 200,
    seed: Seed = 0,
    keep: Keep = True,
) -> None:
    """Fine-tune a model or an adapter by SFT alone: the next token of good replies."""
    how = {"preset": preset(preset_name), "wording": wording, "steps": steps, "rate": rate}
    trial = partial(_trial, "sft", folder, made, samples, most, seed, keep)
    _single("sft", model, how, trial)


def _reinforcing(algorithm: str, says: str) -> Callable[..., None]:
    def verb(
        folder: Out,
        model: Source = "",
        preset_name: Preset = QUICK.name,
        wording: Worded = Wording.COMPACT,
        steps: Steps = 100,
        rate: Rate = None,
        reward: Judged = Reward.LABELS,
        made: Made = 20_000,
        samples: More = None,
        most: Most = 200,
        seed: Seed = 0,
        keep: Keep = True,
    ) -> None:
        how = {"preset": preset(preset_name), "wording": wording, "steps": steps, "rate": rate}
        trial = partial(_trial, algorithm, folder, made, samples, most, seed, keep)
        _single(algorithm, model, {**how, "reward": reward}, trial)

    verb.__doc__ = says
    return verb


grpo = _reinforcing(
    "grpo", "Reinforce a model or an adapter by GRPO: replies to one prompt are judged together."
)
ppo = _reinforcing(
    "ppo",
    """Reinforce a model or an adapter by PPO, the baseline: as many prompts and replies as GRPO.

    GRPO draws groups again that teach nothing, which PPO needs not; PPO has a critic to teach.
    """,
)


def sizes() -> None:
    """Gone with 0.2."""
    raise InvalidInput(f"`mags train sizes` trained nanos. {NANO_GONE}", verb="sizes")


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


def _trial(
    verb: str,
    folder: Path,
    made: int,
    samples: Sequence[Path] | None,
    most: int,
    seed: int,
    keep: bool,
    *,
    grpo: int = 0,
) -> Trial:
    """What every training is told; raises MissingExtra."""
    measured = import_extra(
        "mags_lab.training.large.trial", extra="train", needed_for=f"mags train {verb}"
    )
    trial: Trial = measured.Trial(
        folder=folder,
        grpo=grpo,
        made=made,
        more=tuple(samples or ()),
        most=most,
        seed=seed,
        keep=keep,
        console=out,
    )
    return trial


def _single(
    algorithm: str, model: str, how: Mapping[str, object], trial: Callable[[], Trial]
) -> None:
    if not model:
        raise InvalidInput(f"Name the model to train: MODEL. {NANO_GONE}", key="MODEL")
    road = import_extra(
        "mags_lab.training.large.single", extra="train", needed_for=f"mags train {algorithm}"
    )
    told = road.Single(algorithm=road.Algorithm(algorithm), model=model, **how)
    asked = trial()
    _show(road.train(told, asked), asked)


def _show(rows: Sequence[TrialRow], trial: Trial) -> None:
    out.print(_table(rows, trial.splits))
    if trial.keep:
        place = trial.folder / "adapter"
        elsewhere = f"mags models export {place} --form gguf --out DIR"
        out.print(f"Use it with: mags models use {place}", markup=False, soft_wrap=True)
        out.print(f"Take it elsewhere with: {elsewhere}", markup=False, soft_wrap=True)


def _table(rows: Sequence[TrialRow], splits: Sequence[str]) -> Table:
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


class Form(StrEnum):
    """What a policy is exported as."""

    ONNX = "onnx"
    SAFETENSORS = "safetensors"
    GGUF = "gguf"


def export(
    run: Annotated[
        Path,
        typer.Argument(help="Folder of an adapter, or of a model of transformers."),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="Where it goes.")],
    form: Annotated[
        Form, typer.Option(help="For transformers, or llama.cpp; onnx went with 0.2.")
    ] = Form.SAFETENSORS,
) -> None:
    """Merge an adapter into its base: a folder of safetensors; `--form gguf` adds one file.

    A model of transformers is written as a GGUF file.
    """
    if form is Form.ONNX or str(run) == "nano":
        raise InvalidInput(f"There is no nano to export: {NANO_GONE}", form=form.value)
    if (run / ADAPTER).is_file():
        written = _merged(run, out_folder, form)
    elif (run / WEIGHTS).is_file() and form is Form.GGUF:
        written = _gguf(run, out_folder)
    else:
        raise InvalidInput(
            f"{run} holds no adapter ({ADAPTER}): train one with `mags train lora`.", path=str(run)
        )
    out.print(f"Wrote {written}.", markup=False, soft_wrap=True)


def _merged(adapter: Path, folder: Path, form: Form) -> Path:
    """An adapter and its base as one model."""
    large = import_extra(
        "mags_lab.training.large.adapters", extra="train", needed_for="merging an adapter"
    )
    merged: Path = large.merge_adapter(large.base_of(adapter), adapter, folder)
    return merged if form is Form.SAFETENSORS else _gguf(merged, merged)


def _gguf(model: Path, folder: Path) -> Path:
    """A model of transformers as one file."""
    folders = import_extra(
        "mags_lab.training.evaluate.trained", extra="train", needed_for="a GGUF file"
    )
    file: Path = folders.to_gguf(model, folder / "model.gguf")
    return file
