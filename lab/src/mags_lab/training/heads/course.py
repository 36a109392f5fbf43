"""A whole training of the heads: round after round of fresh samples, resumable, at a set cost.

Each round makes samples that no round had before and has the encoder read them; every sample stays
for some rounds, among newer ones. So memory and disk hold few of them, however long the course.
The rate rises over the first round, stays, and falls in the last `cool` of them: a course that is
told to be longer or shorter before it cools goes on as if it had been told so at once.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from torch.optim import Optimizer

from mags.errors import InvalidInput
from mags.models.policy.heads.weights import HeadsFile, opened
from mags_lab.training.chains import hand
from mags_lab.training.chains.schema import Sample, Split
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.heads.batches import drawn, padded
from mags_lab.training.heads.fit import labelled
from mags_lab.training.heads.growth import grow
from mags_lab.training.heads.labels import Gold, taught
from mags_lab.training.heads.loss import loss_of
from mags_lab.training.heads.material import Material, material, plain, talked
from mags_lab.training.heads.model import Heads, Shape
from mags_lab.training.heads.recipes import Course
from mags_lab.training.heads.states import Shown, states_of
from mags_lab.training.optimisers import (
    latest,
    load_checkpoint,
    optimisers,
    save_checkpoint,
    take_step,
)

Labelled = Sequence[tuple[Shown, Gold]]
Watch = Callable[[int, dict[str, float]], None]
FLOOR = 0.02
"""Share of the full rate at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a course lies: `folder` of checkpoints and states. `held`: samples to keep from.

    `start`: heads to begin as, in place of chance. `real`: passages that people wrote.
    """

    folder: Path
    held: Material
    start: HeadsFile | None = None
    real: Sequence[Sample] = ()


def attend(course: Course, place: Place, watch: Watch | None = None) -> Heads:
    """Heads of all that is `taught`; a course that was stopped goes on from its last round."""
    known = taught()
    torch.set_num_threads(course.threads)
    torch.manual_seed(course.seed)
    model = Heads(Shape(relations=len(known.relations), width=course.width, blocks=course.blocks))
    chosen = optimisers(model, rate=course.rate, decay=course.decay)
    if place.start is not None:
        if opened(place.start).tuned:
            raise InvalidInput(
                f"{place.start.path} was trained together with the encoder: go on from it by "
                "mags train heads --recipe whole",
                path=place.start.path,
            )
        grow(model, place.start, known)
    begun = latest(place.folder)
    done = load_checkpoint(begun, model, chosen) if begun else 0
    kept: deque[Labelled] = deque(maxlen=course.passes)
    for number in range(max(0, done - course.passes + 1), done):
        kept.append(_round(course, place, number))
    model.train()
    for number in range(done, course.rounds):
        kept.append(_round(course, place, number))
        loss = _learn(model, chosen, course, [one for some in kept for one in some], number)
        if watch is not None:
            watch(number + 1, {"loss": loss})
        save_checkpoint(place.folder, number + 1, model, chosen)
        shutil.rmtree(_states(place, number - course.passes + 1), ignore_errors=True)
    model.eval()
    return model


def held_back(course: Course) -> Material:
    """The samples of `dev`, as many in phrases that training never has, and of the tests.

    On phrases that it has, heads are surer, and right more often, than on what people will say.
    """
    return material(
        train=0,
        dev=course.dev,
        tests=course.tests,
        seed=course.seed,
        talk=1,
        unheard=course.dev,
    )


def samples_of(course: Course, number: int, held: Material) -> Iterator[Sample]:
    """The samples of a round, none near to one of `dev`; those by hand every few rounds.

    The tests are told in names and words that training never has.
    """
    seen = SeenTurns()
    for sample in held.dev:
        seen.take(sample)
    seed = f"{course.seed} round {number}"
    yield from plain(Split.TRAIN, course.fresh, seed, seen, scatter=course.scatter)
    yield from talked(Split.TRAIN, course.talk, seed, seen)
    if course.by_hand and number % course.by_hand == 0:
        written = hand.samples(tuple(hand.chains()))
        yield from (sample for sample in written if sample.split is Split.TRAIN)


def real_of(course: Course, number: int, passages: Sequence[Sample]) -> list[Sample]:
    """The passages of a round."""
    rng = Random(f"{course.seed} real {number}")
    return rng.sample(passages, min(course.real, len(passages)))


def pace(course: Course, at: float) -> float:
    """The share of the full rate after `at` rounds, whole and begun ones."""
    if at < 1.0:
        return max(FLOOR, at)
    left = (course.rounds - at) / course.cool if course.cool else 1.0
    return FLOOR + (1.0 - FLOOR) * min(1.0, max(0.0, left))


def _round(course: Course, place: Place, number: int) -> Labelled:
    samples = [*samples_of(course, number, place.held), *real_of(course, number, place.real)]
    return labelled(states_of(samples, _states(place, number)), taught())


def _states(place: Place, number: int) -> Path:
    return place.folder / f"states-{number}"


def _learn(
    model: Heads,
    chosen: Sequence[Optimizer],
    course: Course,
    samples: Labelled,
    number: int,
) -> float:
    """One round; the mean loss of its batches."""
    known = taught()
    rng = Random(f"{course.seed} order {number}")
    batches = list(drawn(samples, rng, rows=course.rows))
    total = 0.0
    for step, some in enumerate(batches):
        loss = loss_of(model, padded(some, known, rng), known)
        loss.backward()
        rate = course.rate * pace(course, number + (step + 1) / len(batches))
        take_step(chosen, model.parameters(), rate=rate, norm=course.norm)
        total += loss.item()
    return total / max(1, len(batches))
