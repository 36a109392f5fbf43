"""Knowledge in weights: `mags train semantic` and `mags train base`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mags.app import make_chat
from mags.cli.console import Branch, named, opened, out, print_json
from mags.errors import InvalidInput
from mags.extras import import_extra
from mags.settings import read_settings

Memory = Annotated[Path, typer.Argument(metavar="MEMORY", help="File of the memory.")]
Base = Annotated[
    Path,
    typer.Option(help="Folder of a causal language model: config.json, safetensors, tokenizer."),
]
Out = Annotated[Path, typer.Option("--out", help="Folder of the adapter: a version of its own.")]
Budget = Annotated[int, typer.Option(min=1, help="Slots that are taught, at most.")]
Sure = Annotated[float, typer.Option(min=0.0, max=1.0, help="Least confidence of a fact.")]
Settled = Annotated[float, typer.Option(min=0.0, help="Days since a fact was recorded, at least.")]
Rank = Annotated[int, typer.Option(min=1, help="Rank of the adapter; alpha is twice that.")]
Epochs = Annotated[int, typer.Option(min=1, help="Passes over the set, at most.")]
Rate = Annotated[float, typer.Option(min=1e-6, help="The highest learning rate.")]
Anew = Annotated[
    bool, typer.Option("--anew", help="From the base, not on from the version in use.")
]
FourBit = Annotated[
    bool, typer.Option("--four-bit", help="The base in 4 bits (a CUDA GPU with bitsandbytes).")
]
Gguf = Annotated[
    Path | None, typer.Option(help="File to write base and adapter to, as one model (llama.cpp).")
]
Lora = Annotated[
    Path | None, typer.Option(help="File to write the adapter alone to, for llama.cpp's `--lora`.")
]
Wordings = Annotated[
    Path | None,
    typer.Option(help="File of more wordings by relation; a configured language model fills it."),
]
Seed = Annotated[int, typer.Option(help="Of the set and of training.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]
Size = Annotated[str, typer.Argument(help="Weights of the base: 1M, 3M, 10M or 20M.")]
DAY = 86_400.0


def semantic(
    memory: Memory,
    base: Base,
    out_folder: Out,
    branch: Branch = "main",
    budget: Budget = 1_000,
    sure: Sure = 0.6,
    settled: Settled = 0.0,
    rank: Rank = 16,
    epochs: Epochs = 6,
    rate: Rate = 4e-3,
    anew: Anew = False,
    four_bit: FourBit = False,
    gguf: Gguf = None,
    lora: Lora = None,
    wordings: Wordings = None,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Teach what a memory holds for sure to an adapter of a language model (docs/weights.md).

    The folder gets the set that is taught (`set.jsonl`), the adapter, and its card with figures.
    The adapter is in use from then on where the settings have `use` of [weights]; `mags rollback`
    takes it back, and `mags forget` deletes it where it held what is forgotten. Stopped, it goes on
    when it is given the same command again.
    """
    if gguf is not None and lora is not None and gguf.resolve() == lora.resolve():
        raise InvalidInput(f"--gguf and --lora both name {gguf}: name another for one of them")
    needs = {"extra": "train", "needed_for": "mags train semantic"}
    nights = import_extra("mags_lab.training.semantic.nights", **needs)
    night = nights.Night(
        base=base,
        choice=nights.Choice(budget=budget, sure=sure, settled=settled * DAY),
        recipe=nights.Recipe(rank=rank, alpha=2 * rank, rate=rate, epochs=epochs, seed=seed),
        anew=anew,
        four_bit=four_bit,
        gguf=gguf,
        lora=lora,
        wordings=wordings,
    )
    chat = None if wordings is None else make_chat(read_settings(os.environ))
    with opened(named(memory), branch) as mem:
        card = nights.train(
            mem, out_folder, night, chat=chat, say=lambda line: None if json else _say(line)
        )
    if json:
        print_json({"version": card.version, "slots": len(card.facts), **card.figures})
        return
    _say(nights.summary(card))
    _say(f"Ask it first with `use = true` under [weights] in the config file: {out_folder}")


def base(
    size: Size, out_folder: Out, seed: Seed = 0, steps: Annotated[int, typer.Option(min=0)] = 0
) -> None:
    """Make a small base of our own, which reads, recites and does not invent.

    For tests and figures: its English is that of the phrasebook alone. `--steps`: how long, 0 for
    as long as its size wants.
    """
    made = import_extra(
        "mags_lab.training.semantic.bases", extra="train", needed_for="mags train base"
    )
    form = made.shape(size)
    form = made.lasting(form, steps) if steps else form

    def watch(step: int, values: dict[str, float]) -> None:
        if step % 100 == 0:
            _say(f"step {step} of {form.steps}: loss {values['loss']:.3f}")

    _say(f"Wrote {made.make(out_folder, form, seed=seed, watch=watch)}.")


def _say(line: str) -> None:
    out.print(line, markup=False, soft_wrap=True)
