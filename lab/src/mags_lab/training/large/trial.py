"""A training that is measured as it goes: its samples, its curves, what it cost and reached."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from mags_lab.training.chains.schema import Sample, Split, read_samples
from mags_lab.training.evaluate.deciders import Decider
from mags_lab.training.evaluate.evaluation import EvaluationConfig, evaluate
from mags_lab.training.evaluate.trained import SampledDecider
from mags_lab.training.experience import SamplingPolicy
from mags_lab.training.generate.samples import Amount, generate
from mags_lab.training.large.adapters import Adapted
from mags_lab.training.rollout import Sampling
from mags_lab.training.runs import Logbook, begin_peak, check_same, peak_mb, read_run, write_run

SPLITS = ("seen", "frames", "phrasings", "independent", "relations")
RESULTS = "results.json"
CLAIM = "trial.json"
MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """What one model cost and reached.

    `exact`: adherence in % by "role split". `peak_mb`: of the GPU, or else of the process.
    """

    name: str
    weights: int
    trained: int
    minutes: float
    peak_mb: float
    exact: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What every training of models side by side is told.

    `folder`: of the run. `grpo`: steps of GRPO after fine-tuning. `made`: training samples to make;
    `more`: files of others (JSONL). `most`: samples evaluated of each role and split, 0 for none.
    `keep`: leave the weights, too. `console`: where progress is shown; None keeps silent.
    """

    folder: Path
    grpo: int = 0
    made: int = 20_000
    more: Sequence[Path] = ()
    most: int = 200
    seed: int = 0
    keep: bool = True
    console: Console | None = None

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that models are measured on."""
        return SPLITS

    def material(self) -> tuple[list[Sample], list[Sample]]:
        """Samples to train on, and those of the splits to evaluate on."""
        amount = Amount(train=self.made, share=0.0, least=3 * self.most)
        every = list(generate(amount, self.seed))
        for path in self.more:
            every += read_samples(path)
        train = [one for one in every if one.split is Split.TRAIN]
        return train, [one for one in every if one.split.value in SPLITS]

    def check(self, told: Mapping[str, Any]) -> None:
        """Raise ConfigurationError where the folder is of another run than `told` says.

        Its checkpoints would be taken up; where there are none, nothing is.
        """
        path = self.folder / CLAIM
        if path.is_file() and any(self.folder.glob("*/step-*.pt")):
            check_same(read_run(path), self._claimed(told), self.folder)

    def claim(self, told: Mapping[str, Any]) -> None:
        """Note in the folder what is trained there, and on what."""
        write_run(self.folder / CLAIM, self._claimed(told))

    def _claimed(self, told: Mapping[str, Any]) -> dict[str, Any]:
        more = [str(path.resolve()) for path in self.more]
        return {**told, "made": self.made, "samples": more, "seed": self.seed}

    def checkpoints(self, name: str) -> Path | None:
        """Where one part of the run leaves its checkpoints; None where nothing is kept."""
        return self.folder / name if self.keep else None

    def log(self, name: str, steps: int) -> Logbook:
        """Curves of one part of the run, in a folder of its own."""
        return Logbook(self.folder / name, title=name, steps=steps, console=self.console)

    def row(
        self,
        decider: Decider,
        model: torch.nn.Module,
        tests: Sequence[Sample],
        clock: Stopwatch,
    ) -> TrialRow:
        """What a clock has counted until now, then exact adherence on every split."""
        minutes, peak = clock.minutes, clock.peak_mb
        config = EvaluationConfig(most=self.most, probed=0, repeated=0)
        found = evaluate(decider, tests, config)
        return TrialRow(
            name=decider.name,
            weights=sum(p.numel() for p in model.parameters()),
            trained=sum(p.numel() for p in model.parameters() if p.requires_grad),
            minutes=minutes,
            peak_mb=peak,
            exact={f"{c.role} {c.split}": 100 * c.measures["exact"].mean for c in found.cells},
        )

    def write(self, rows: Sequence[TrialRow], told: Mapping[str, Any]) -> Path:
        """Write the rows, and how they were made, as JSON into the folder."""
        how = {"grpo": self.grpo, "made": self.made, "most": self.most, "seed": self.seed}
        found = {**told, **how, "rows": [asdict(row) for row in rows]}
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / RESULTS
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        return path


class Stopwatch:
    """Counts time and the peak of memory from when it is made."""

    def __init__(self) -> None:
        begin_peak()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        self._begun_s = time.perf_counter()

    @property
    def minutes(self) -> float:
        """Minutes by the clock."""
        return (time.perf_counter() - self._begun_s) / 60

    @property
    def peak_mb(self) -> float:
        """The most memory since then: of the GPU, or else of the whole process."""
        if torch.cuda.is_available():
            return float(torch.cuda.max_memory_allocated()) / MEGABYTE
        return peak_mb()


class AdaptedDecider(SampledDecider):
    """Decides by an adapted model, asked through its chat template."""

    def __init__(self, adapted: Adapted, *, name: str, batch: int = 32, timed: int = 20) -> None:
        speech = adapted.loaded.speech
        pad = int(adapted.loaded.tokenizer.pad_token_id)
        how = Sampling(pad=pad, end=speech.end, limit=speech.limit)
        policy = SamplingPolicy(model=adapted.model, tokenizer=speech.tokenizer, sampling=how)
        super().__init__(policy, name=name, batch=batch, timed=timed)
        self._speech = speech

    def _ids(self, sample: Sample) -> tuple[int, ...]:
        return self._speech.ids(self._speech.messages(sample))
