"""The training loop of the heads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import torch

from mags.models.policy.heads.choices import Vocabulary
from mags.models.policy.heads.weights import HeadsFile
from mags_lab.training.heads.batches import drawn, padded
from mags_lab.training.heads.growth import grow
from mags_lab.training.heads.labels import Gold, gold
from mags_lab.training.heads.loss import loss_of
from mags_lab.training.heads.model import Heads, Shape
from mags_lab.training.heads.states import Shown
from mags_lab.training.optimisers import optimisers, schedule, take_step


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """How the heads are trained. `rows`: words of a batch; `threads`: of torch; `start`: heads to
    go on from, in place of chance; `most`: samples to draw by chance of those given, 0 for all.
    """

    epochs: int = 8
    rows: int = 1000
    rate: float = 3e-3
    decay: float = 0.05
    norm: float = 1.0
    seed: int = 0
    threads: int = 1
    start: HeadsFile | None = None
    most: int = 0


def labelled(shown: Sequence[Shown], known: Vocabulary) -> list[tuple[Shown, Gold]]:
    """The samples whose targets the heads can say, with their labels."""
    found = ((one, gold(one.sample, one.layout, known)) for one in shown)
    return [(one, labels) for one, labels in found if labels is not None]


def fit(
    shown: Sequence[Shown],
    known: Vocabulary,
    shape: Shape,
    fitting: Fitting,
    watch: Callable[[int, dict[str, float]], None] | None = None,
) -> Heads:
    """Heads trained on samples; the same ones for the same seed and number of threads."""
    torch.set_num_threads(fitting.threads)
    torch.manual_seed(fitting.seed)
    rng = Random(fitting.seed)
    samples = labelled(shown, known)
    if fitting.most:
        samples = rng.sample(samples, min(fitting.most, len(samples)))
    model = Heads(shape)
    if fitting.start is not None:
        grow(model, fitting.start, known)
    model.train()
    chosen = optimisers(model, rate=fitting.rate, decay=fitting.decay)
    steps = fitting.epochs * len(list(drawn(samples, Random(0), rows=fitting.rows)))
    step, mean = 0, 0.0
    for _ in range(fitting.epochs):
        for some in drawn(samples, rng, rows=fitting.rows):
            batch = padded(some, known, rng)
            loss = loss_of(model, batch, known)
            loss.backward()
            rate = fitting.rate * schedule(step, steps)
            take_step(chosen, model.parameters(), rate=rate, norm=fitting.norm)
            step += 1
            mean = 0.98 * mean + 0.02 * loss.item() if step > 1 else loss.item()
            if watch is not None:
                watch(step, {"loss": mean})
    model.eval()
    return model
