"""From a course to a file: train, find the thresholds on `dev`, write.

`dev` has turns generated, of conversation and by hand.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from mags.errors import NotFound
from mags.models.embed.onnx import Arrays
from mags.models.policy.heads.weights import HeadsFile, Thresholds, Trained
from mags.models.policy.rules import RulePolicy
from mags_lab.training.chains.schema import Sample
from mags_lab.training.heads.course import Place, Watch, attend, held_back
from mags_lab.training.heads.decide import best_fact, worths
from mags_lab.training.heads.export import save, thresholds, trained
from mags_lab.training.heads.labels import taught
from mags_lab.training.heads.material import Material, passages
from mags_lab.training.heads.model import Heads
from mags_lab.training.heads.recipes import Course
from mags_lab.training.heads.states import Shown, states_of
from mags_lab.training.heads.whole import tuned
from mags_lab.training.real.passage import data_folder
from mags_lab.training.runs import Logbook, peak_mb


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Files of a training: `out`, the heads; `folder`, of what lets a stopped one go on.

    `start`: heads to begin as; else from nothing, and with the encoder's layers as what ships.
    """

    out: Path
    folder: Path
    start: HeadsFile | None = None

    @property
    def states(self) -> Path:
        """Where the encoder's states of what is held back lie."""
        return self.folder / "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Heads that were trained, their file, and the samples that were held back from them."""

    trained: Trained
    file: HeadsFile
    held: Material


def make(course: Course, files: Files, console: Console) -> Made:
    """Heads by a course, the encoder's layers with them where it says so, written to their file."""
    held = held_back(course)
    place = Place(
        folder=files.folder / ("rounds" if course.tuning is None else "layers"),
        held=held,
        start=files.start,
        real=read_passages(console) if course.real else (),
    )
    began = time.process_time()
    with Logbook(
        files.folder / "log", title="heads", steps=course.rounds, console=console
    ) as watch:
        model, layers = learned(course, place, watch)
    spent = time.process_time() - began
    console.print(f"trained in {spent:.0f} CPU-s, at most {peak_mb():.0f} MB")
    made = trained(model, taught(), tuned=layers)
    least = found_on(made, states_of(held.dev, files.states, tuned=layers))
    made = replace(made, about=replace(made.about, thresholds=least))
    return Made(trained=made, file=save(model, made.about, files.out, layers), held=held)


def learned(course: Course, place: Place, watch: Watch) -> tuple[Heads, Arrays | None]:
    """Heads after a course, with constants of the encoder's layers if they were trained too."""
    if course.tuning is None:
        return attend(course, place, watch), None
    encoder, model = tuned(course, place, watch)
    return model, encoder.constants()


def read_passages(console: Console) -> tuple[Sample, ...]:
    """The real passages; none, and it says so, where the sets are not there."""
    try:
        return tuple(passages(data_folder(os.environ), taught()))
    except NotFound as missing:
        console.print(f"Real text is left out, on which the heads will read less. {missing}")
        return ()


def found_on(made: Trained, shown: Sequence[Shown]) -> Thresholds:
    """The thresholds by which heads and rules are worth most together on samples of `dev`."""
    rules = RulePolicy()
    least = thresholds(worths(made, rules, shown))
    return replace(least, fact=best_fact(made, rules, shown, least))
