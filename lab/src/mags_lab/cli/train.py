"""`mags train`: data for the policy models, the reader and the linker, and all else that trains.

Adapters of language models are taught by the verbs of `mags_lab.cli.adapters`.
"""

from __future__ import annotations

import os
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table

from mags.app import encoder
from mags.cli.console import AsJson, Branch, MemoryPath, opened, out, print_json
from mags.errors import ConfigurationError, InvalidInput
from mags.extras import import_extra
from mags.models.chat.openai import OpenAIChat
from mags.models.policy.reader.network import SHIPPED
from mags.ports.chat import ChatSettings
from mags.settings import NANO_GONE, read_settings
from mags_lab.cli.adapters import grpo, lora, needs, ppo, sft, sizes
from mags_lab.cli.deciders import evaluate
from mags_lab.cli.semantic import base, semantic
from mags_lab.talk import routes
from mags_lab.talk.calibration import calibrate
from mags_lab.talk.corpus import DATA
from mags_lab.training.chains import hand
from mags_lab.training.chains.card import card, page
from mags_lab.training.chains.expand import Expansion, expand
from mags_lab.training.chains.schema import Sample, Split, read_samples, write_samples
from mags_lab.training.generate.samples import Amount, generate
from mags_lab.training.real.passage import data_folder
from mags_lab.training.real.sets import read

train = typer.Typer(
    help="Make data for the policy models, train, evaluate and export them.",
    no_args_is_help=True,
)
REVIEWED = 400
TEMPERATURE = 0.9


@train.callback()
def about() -> None:
    """Make data for the policy models, train, evaluate and export them."""


@train.command()
def data(
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the splits (JSONL) and their card.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples of the training split.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Read samples (JSONL) instead of making them."),
    ] = None,
    review: Annotated[
        Path | None, typer.Option(help="Write a page (HTML) to read, mark and mend samples.")
    ] = None,
    real: Annotated[
        bool, typer.Option("--real", help="Add what people wrote: the sets under MAGS_DATA.")
    ] = False,
    more: Annotated[
        int, typer.Option("--expand", min=0, help="Have a language model write that many more.")
    ] = 0,
    model: Annotated[
        str | None, typer.Option(help="URL of an OpenAI-compatible server, ending in /v1.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Model there; else the first it lists.")] = "",
) -> None:
    """Make samples for the ask, write and router policies, their splits kept apart.

    Generated from the phrasebook and from the chains written by hand; with --from, read from a
    file, such as one that was mended on the review page. With --real, text that people wrote
    stands beside it: the held-out halves of the sets as the split `real`, the others in `train`.
    """
    if out_folder is None and review is None:
        raise ConfigurationError("where to? give --out DIR, --review PAGE, or both", key="--out")
    made = list(read_samples(source) if source else _made(samples, seed))
    if more:
        made += _expanded(made, more, seed, model, name)
    if real:
        made += _written_by_people()
    if out_folder is not None:
        told = f"--from {source.name}" if source else f"--samples {samples} --seed {seed}"
        asked = f" --expand {more} --model URL" if more else ""
        _write(out_folder, made, f"mags train data --out DIR {told}{asked}{' --real' * real}")
    if review is not None:
        chosen = Random(seed).sample(made, min(REVIEWED, len(made)))
        review.parent.mkdir(parents=True, exist_ok=True)
        review.write_text(page(chosen), encoding="utf-8")
        out.print(f"Wrote {len(chosen)} samples to review: {review}", markup=False, soft_wrap=True)


def _made(samples: int, seed: int) -> list[Sample]:
    with Progress(transient=True) as progress:
        task = progress.add_task("making samples", total=None)
        made = list(hand.samples(list(hand.chains())))
        for sample in generate(Amount(train=samples), seed):
            made.append(sample)
            progress.update(task, advance=1)
    return made


def _written_by_people() -> tuple[Sample, ...]:
    found = read(data_folder(os.environ))
    for line in found.absent:
        out.print(line, markup=False)
    out.print(f"Took {len(found.samples):,} samples of real text.", markup=False)
    return found.samples


def _expanded(
    made: list[Sample], count: int, seed: int, url: str | None, name: str
) -> tuple[Sample, ...]:
    chat = read_settings(os.environ).chat
    place = url or chat.url
    if not place:
        raise ConfigurationError(
            "which model should write samples? give --model URL", key="--model"
        )
    endpoint = ChatSettings(
        url=place,
        model=name or (chat.model if place == chat.url else ""),
        key=chat.key if place == chat.url else None,  # a key is told to nobody else
        temperature=TEMPERATURE,
        max_tokens=4096,
    )
    with Progress(transient=True) as progress:
        task = progress.add_task("asking for samples", total=count)
        found = expand(
            OpenAIChat(endpoint),
            made,
            count,
            rng=Random(seed),
            on_taken=lambda taken: progress.update(task, completed=taken),
        )
    _tell(found, count)
    return found.samples


def _tell(found: Expansion, count: int) -> None:
    reasons = ", ".join(f"{n} by {reason}" for reason, n in found.refused.most_common())
    out.print(
        f"Took {len(found.samples)} of {count} new samples"
        + (f"; refused: {reasons}." if reasons else "."),
        markup=False,
    )


def _write(folder: Path, made: list[Sample], command: str) -> None:
    by_split: dict[Split, list[Sample]] = defaultdict(list)
    for sample in made:
        by_split[sample.split].append(sample)
    if not made:
        raise InvalidInput("There is no sample to write.", samples=0)
    for split, found in by_split.items():
        write_samples(folder / f"{split}.jsonl", found)
    (folder / "card.md").write_text(card(made, command=command), encoding="utf-8")
    counts = ", ".join(f"{split} {len(found):,}" for split, found in by_split.items())
    out.print(f"Wrote {len(made):,} samples to {folder}: {counts}.", markup=False, soft_wrap=True)


ReaderOut = Annotated[Path, typer.Option("--out", help="File (.npz) of the reader.")]
Folder = Annotated[
    Path, typer.Option(help="Folder of the run; one that was stopped goes on from there.")
]
Rounds = Annotated[
    int, typer.Option("--epochs", min=0, help="Passes over the corpus; 0: only calibrate --start.")
]
Corpus = Annotated[
    Path | None, typer.Option(help="Folder of the corpus (*.talk); else the one that ships.")
]
Start = Annotated[
    Path | None, typer.Option(help="File (.npz) of a reader, whose weights it begins with.")
]
Only = Annotated[
    list[str] | None,
    typer.Option(help="What it learns: read, ends, asks; all by default. May be given again."),
]
Seed = Annotated[int, typer.Option(help="The same seed and threads give the same weights.")]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]


def reader(
    file: ReaderOut,
    folder: Folder = Path(".cache/reader"),
    epochs: Rounds = 8,
    corpus: Corpus = None,
    start: Start = None,
    only: Only = None,
    seed: Seed = 0,
    threads: Threads = 1,
) -> None:
    """Train the reader on the corpus of talk: the embedder's upper layers and heads on them.

    Calibrated on the split `dev`, of which it prints precision by threshold.
    """
    tasks = only or ("read", "ends", "asks")
    if not epochs:
        if start is None:
            raise InvalidInput("--epochs 0 calibrates a reader that is there: name it by --start")
        file.write_bytes(start.read_bytes())
        for line in calibrate(file, corpus or DATA, tasks):
            out.print(line, markup=False, soft_wrap=True)
        return
    made = import_extra("mags_lab.talk.fit", extra="train", needed_for="mags train reader")
    course = made.Course(epochs=epochs, threads=threads, seed=seed, start=start, tasks=tasks)
    for line in made.train(file, folder, corpus, course):
        out.print(line, markup=False, soft_wrap=True)


def heads(context: typer.Context, file: ReaderOut, threads: Threads = 1) -> None:
    """Train the reader, which took the place of the heads."""
    warnings.warn("the heads went with 0.2: mags train reader", FutureWarning, stacklevel=2)
    if context.args:
        out.print(f"Passed over: {' '.join(context.args)}", markup=False)
    reader(file, threads=threads)


File = Annotated[Path, typer.Option("--out", help="File of the weights (.npz).")]
Measured = Annotated[str, typer.Option("--on", help="Split that it is measured on.")]
Epochs = Annotated[int, typer.Option(min=1, help="Passes over the links.")]
Share = Annotated[float, typer.Option(min=0.01, max=0.9, help="Share of the links held out.")]
LinkerSeed = Annotated[int, typer.Option(help="The same seed gives the same weights.")]


def router(file: File, corpus: Corpus = None, on: Measured = "dev") -> None:
    """Train the router: what a turn wants, by its vector and its words.

    From turns that were written for it and from the corpus of talk. Shows as what turns are taken.
    """
    for line in routes.train(file, encoder(), corpus or DATA, split=on):
        out.print(line, markup=False, soft_wrap=True)


def look(
    file: File,
    corpus: Corpus = None,
    on: Measured = "dev",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the questions.")] = 3,
    seed: Seed = 0,
) -> None:
    """Train the second look at the best candidates of a recall, on questions about the corpus.

    Shows recall with it and without on a split. `models/embed/onnx.py` names the file's checksum.
    """
    made = import_extra("mags_lab.talk.look", extra="train", needed_for="mags train look")
    for line in made.train(file, corpus or DATA, split=on, epochs=epochs, seed=seed):
        out.print(line, markup=False, soft_wrap=True)


def linker(
    file: File,
    memory: MemoryPath = None,
    branch: Branch = "main",
    epochs: Epochs = 20,
    share: Share = 0.2,
    seed: LinkerSeed = 0,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Learn from a memory's links how its new nodes should be linked: a GATv2, run without torch.

    Shows how well links that were held out are told from others, beside cosine and plain nearest
    neighbours. The setting `engram.linker` takes the file.
    """
    wanted: dict[str, Any] = {"extra": "pyg", "needed_for": "mags train linker"}
    run = import_extra("mags_lab.training.linker", **wanted)
    fitting = import_extra("mags_lab.training.linker", **wanted).LinkerFitting(
        epochs=epochs, seed=seed
    )
    with opened(memory, branch, read_only=True) as mem:
        data = mem.to_pyg()
    with Progress(transient=True) as progress:
        task = progress.add_task("learning links", total=epochs)

        def tell(epoch: int, loss: float) -> None:
            progress.update(task, completed=epoch, description=f"learning links, loss {loss:.3f}")

        made = run.train(data, fitting, share=share, threads=threads, on_epoch=tell)
    run.save(made.weights, file)
    if json:
        print_json({"learned": made.learned, "held_out": made.held_out, "figures": made.figures})
        return
    table = Table("", "AUC", "AUC, near negatives", "first of the near")
    for name, one in made.figures.items():
        table.add_row(name, *(f"{100 * v:.1f}" for v in (one.auc, one.auc_near, one.first)))
    out.print(table)
    out.print(
        f"Learned from {made.learned:,} links, measured on {made.held_out:,}. Use it with "
        f'linker = "{file}" under [engram] in the config file.',
        markup=False,
    )


def everything(
    folder: Annotated[Path, typer.Option("--out", help="Folder of the run and of the reader.")],
    seed: Seed = 0,
    threads: Threads = 2,
    preset: Annotated[str, typer.Option(hidden=True, help="Gone with 0.2.")] = "",
) -> None:
    """Train all that ships: the reader."""
    if preset == "nano":
        raise InvalidInput(NANO_GONE, preset=preset)
    if preset:
        message = "--preset went with the heads: the reader has one course. Leave it out."
        warnings.warn(message, FutureWarning, stacklevel=2)
    file = folder / SHIPPED.path.name
    reader(file, folder / "run", seed=seed, threads=threads)
    out.print(f"Use it with: mags models use {file}", markup=False, soft_wrap=True)


TRAIN: dict[str, Callable[..., None]] = {
    "sft": sft,
    "grpo": grpo,
    "ppo": ppo,
    "reader": reader,
    "router": router,
    "look": look,
    "evaluate": evaluate,
    "linker": linker,
    "all": everything,
    "lora": lora,
    "needs": needs,
    "semantic": semantic,
    "base": base,
}
for _name, _verb in TRAIN.items():
    train.command(name=_name)(_verb)
train.command(
    name="heads",
    hidden=True,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(heads)
train.command(
    name="sizes",
    hidden=True,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(sizes)
