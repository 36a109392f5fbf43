"""The samples that heads are trained and held to: made by the generator, and written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mags.training.chains import hand
from mags.training.chains.schema import Sample, Split
from mags.training.chains.splits import TESTS
from mags.training.chains.variety import Known
from mags.training.generate.samples import of_split


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Samples to train by, to find thresholds on, and to be tested on."""

    train: tuple[Sample, ...]
    dev: tuple[Sample, ...]
    tests: tuple[Sample, ...] = ()


def material(*, train: int, dev: int, tests: int, seed: int) -> Material:
    """`train`, `dev`, and `tests` samples of each test split; those by hand besides."""
    known = Known()
    written = tuple(hand.samples(tuple(hand.chains())))
    counts = {Split.TRAIN: train, Split.DEV: dev, **dict.fromkeys(TESTS, tests)}
    made = {split: tuple(of_split(split, n, seed, known)) for split, n in counts.items() if n}
    return Material(
        train=(*made.get(Split.TRAIN, ()), *_of(written, Split.TRAIN)),
        dev=(*made.get(Split.DEV, ()), *_of(written, Split.DEV)),
        tests=tuple(sample for split in TESTS for sample in made.get(split, ())),
    )


def _of(samples: Sequence[Sample], split: Split) -> tuple[Sample, ...]:
    return tuple(sample for sample in samples if sample.split is split)
