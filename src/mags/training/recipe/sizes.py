"""Nanos of several sizes, one after the other on the same samples, from nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from mags.training.batches import encode
from mags.training.chains.schema import Sample
from mags.training.evaluate.voices import VoiceDecider
from mags.training.experience import Voice
from mags.training.export.gguf import export_gguf
from mags.training.grpo import GrpoConfig, reinforce
from mags.training.large.devices import find_device
from mags.training.nano.model import NanoSize, new_nano
from mags.training.nano.tokens import train_tokenizer
from mags.training.pairs import pair_of
from mags.training.recipe.presets import Size
from mags.training.recipe.steps import tasks_of
from mags.training.reward import GoldJudge
from mags.training.rollout import Sampling
from mags.training.sft import SftConfig, fine_tune
from mags.training.trial import Row, Stopwatch, Trial

SPELLED = 20_000
"""Samples that a tokenizer is learned from."""
REINFORCED = 3_000
SAVED = 200
"""Steps between checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schooling:
    """How long each size is taught. `tokens`: of a batch."""

    steps: int = 4_000
    tokens: int = 16_384


def compare(sizes: Mapping[str, Size], schooling: Schooling, trial: Trial) -> list[Row]:
    """Train a nano of each size; a row for each, `results.json`, curves and GGUF in the folder.

    A folder in which this was stopped is taken up where it was; the minutes are those since then.
    Raises ConfigurationError where the folder is of another run.
    """
    told = {**asdict(schooling), "grpo": trial.grpo}
    trial.check(told)
    trial.claim(told)
    torch.set_float32_matmul_precision("high")
    device = find_device()
    train, tests = trial.material()
    rows = []
    for name, size in sizes.items():
        clock = Stopwatch()
        voice = _taught(name, size, schooling, trial, train)
        if trial.grpo:
            _reinforced(name, voice, size, trial, train[-REINFORCED:])
        decider = VoiceDecider(voice, name=name, timed=0)
        rows.append(trial.row(decider, voice.model, tests, clock))
        if trial.keep:
            _write(name, voice.model, voice.tokenizer, trial)
    trial.write(rows, {"device": device.kind, **asdict(schooling)})
    return rows


def _taught(
    name: str, size: Size, schooling: Schooling, trial: Trial, train: Sequence[Sample]
) -> Voice:
    pairs = [pair_of(one) for one in train]
    spelled = (f"{pair.prompt}{pair.target}" for pair in pairs[:SPELLED])
    words = train_tokenizer(spelled, size=size.widths.pieces)
    widths = NanoSize(**asdict(replace(size.widths, pieces=len(words))))
    model = new_nano(words, widths, seed=trial.seed).to(find_device().kind)
    config = SftConfig(
        steps=schooling.steps,
        rate=size.rate,
        tokens=schooling.tokens,
        seed=trial.seed,
        save_every=SAVED,
    )
    part = f"{name}-sft"
    encoded, folder = encode(words, pairs, longest=widths.context), trial.checkpoints(part)
    with trial.log(part, schooling.steps) as watch:
        fine_tune(model, encoded, config, watch=watch, folder=folder)
    how = Sampling(pad=words.pad_token_id, end=words.eos_token_id)
    return Voice(model=model, tokenizer=words, sampling=how)


def _reinforced(
    name: str, voice: Voice, size: Size, trial: Trial, chosen: Sequence[Sample]
) -> None:
    longest = size.widths.context - voice.sampling.limit
    tasks = tasks_of(voice.tokenizer, chosen, longest)
    config = GrpoConfig(steps=trial.grpo, rate=1e-4, rows=256, seed=trial.seed, save_every=10)
    part = f"{name}-grpo"
    folder = trial.checkpoints(part)
    with trial.log(part, trial.grpo) as watch:
        reinforce(voice, tasks, GoldJudge(), config, watch=watch, folder=folder)


def _write(
    name: str, model: LlamaForCausalLM, words: PreTrainedTokenizerFast, trial: Trial
) -> None:
    export_gguf(model.cpu(), words, trial.folder / f"nano-{name}.gguf", name=f"nano {name}")
