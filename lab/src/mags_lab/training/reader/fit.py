"""Training of the reader: tasks never repeat, so there is no epoch and nothing to overfit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.optim.swa_utils import AveragedModel

from mags_lab.games.reader.network import by_length
from mags_lab.training.optimisers import optimisers, take_step
from mags_lab.training.reader.batches import Batch
from mags_lab.training.reader.model import Fed, ReaderNet


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """`steps`: in all; `rate`: at its height, `cool`: steps over which it falls at the end;
    `lines`: weight of the loss on lines; `again`: how often a batch is met again, at random among
    the last `held`; `mean`: share of the steps, the last ones, whose weights are averaged (Izmailov
    et al. 2018, arXiv:1803.05407), none for 0.
    """

    steps: int
    rate: float = 3e-3
    warm: int = 60
    cool: int = 1200
    lines: float = 1.0
    again: int = 1
    held: int = 400
    mean: float = 0.0
    every: int = 50


def fed(batch: Batch) -> Fed:
    """The batch as tensors."""
    tables, flat = by_length(batch.pieces, batch.piece, batch.place)
    return Fed(
        vectors=torch.from_numpy(batch.vectors).float(),
        ids=torch.from_numpy(batch.ids),
        features=torch.from_numpy(batch.features),
        flat=torch.from_numpy(flat),
        tables=tuple(torch.from_numpy(table) for table in tables),
        asked=torch.from_numpy(batch.asked),
        left=torch.from_numpy(batch.left),
        to=torch.from_numpy(batch.right_),
        tie=torch.from_numpy(batch.tie),
        shared=torch.from_numpy(batch.shared),
        like=torch.from_numpy(batch.like),
        acts=torch.from_numpy(batch.acts),
        told=torch.from_numpy(batch.told),
    )


def losses(scores: Tensor, needed: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Cross-entropy over actions a task, over lines, and the share of tasks that come out right."""
    task, right = torch.from_numpy(batch.task), torch.from_numpy(batch.right)
    count = int(task[-1]) + 1
    top = torch.full((count,), -1e9).scatter_reduce(0, task, scores.detach(), "amax")
    total = torch.zeros(count).index_add(0, task, (scores - top[task]).exp())
    logs = scores - top[task] - total.log()[task]
    hit = ((scores.detach() >= top[task]) & (right > 0)).float().sum() / count
    lines = torch.tensor(0.0)
    if len(needed):
        lines = binary_cross_entropy_with_logits(needed, torch.from_numpy(batch.needed))
    return -(right * logs).sum() / count, lines, hit


def fit(
    model: ReaderNet,
    batches: Iterable[Batch],
    fitting: Fitting,
    rng: Random,
    report: Callable[[int, float, float, float], None],
) -> None:
    """`steps` steps of Muon and AdamW: warmed up, at full rate, then down in a line.

    `report` gets the step and the means since the last one: loss, loss of lines, right. The model
    has the mean of the last weights in the end, where `fitting` asks for it.
    """
    chosen = optimisers(model, rate=fitting.rate)
    averaged = AveragedModel(model) if fitting.mean else None
    first = fitting.steps * (1.0 - fitting.mean)
    sums = torch.zeros(3)
    for step, batch in enumerate(_met(batches, fitting, rng)):
        scores, needed = model(fed(batch))
        choice, lines, hit = losses(scores, needed, batch)
        (choice + fitting.lines * lines).backward()
        take_step(chosen, model.parameters(), rate=fitting.rate * schedule(step, fitting), norm=1.0)
        if averaged is not None and step >= first:
            averaged.update_parameters(model)
        sums += torch.tensor((choice.item(), lines.item(), hit.item()))
        if (step + 1) % fitting.every == 0:
            report(step + 1, *(sums / fitting.every).tolist())
            sums.zero_()
    if averaged is not None:
        model.load_state_dict(averaged.module.state_dict())


def _met(batches: Iterable[Batch], fitting: Fitting, rng: Random) -> Iterator[Batch]:
    """Each new batch, and after it old ones."""
    held: list[Batch] = []
    step = 0
    for batch in batches:
        held = [*held[-fitting.held :], batch]
        for one in (batch, *rng.choices(held, k=fitting.again)):
            if step == fitting.steps:
                return
            yield one
            step += 1


def schedule(step: int, fitting: Fitting) -> float:
    """The share of the rate at a step."""
    if step < fitting.warm:
        return (step + 1) / fitting.warm
    return max(0.01, min(1.0, (fitting.steps - step) / max(1, fitting.cool)))
