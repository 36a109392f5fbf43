"""`mags train`: what trains the policy models, one verb a step."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.progress import Progress

from mags.cli.shared import out
from mags.errors import ConfigurationError, InvalidInput
from mags.models.chat.openai import Endpoint, OpenAIChat
from mags.settings import read_settings
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
    endpoint = Endpoint(
        url=place,
        model=name or (chat.model if place == chat.url else ""),
        key=chat.key if place == chat.url else None,  # a key is told to nobody else
        temperature=TEMPERATURE,
        max_tokens=4096,
        logprobs=False,
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
