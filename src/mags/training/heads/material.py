"""The samples that heads are trained and held to: made by the generator, and written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from mags.training.chains import hand
from mags.training.chains.schema import Role, Sample, Split
from mags.training.chains.splits import TESTS, shelf
from mags.training.chains.variety import Known
from mags.training.generate.dialogues import Talks
from mags.training.generate.samples import SCATTER, of_shelf, of_split

ROUTES = 0.25
"""Share of the turns of conversation that the router is shown; the write policy the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Samples to train by, to find thresholds on, and to be tested on."""

    train: tuple[Sample, ...]
    dev: tuple[Sample, ...]
    tests: tuple[Sample, ...] = ()


def material(*, train: int, dev: int, tests: int, seed: int, talk: int = 0) -> Material:
    """`train`, `dev`, and `tests` samples of each test split; those by hand besides.

    `talk`: turns of conversation besides, for `dev` half as many as it has of others.
    """
    known = Known()
    written = tuple(hand.samples(tuple(hand.chains())))
    generated = {
        split: tuple(plain(split, count, seed, known))
        for split, count in ((Split.TRAIN, train), (Split.DEV, dev))
    }
    made = {split: tuple(of_split(split, tests, seed, known)) for split in TESTS if tests}
    talks = {
        split: tuple(talked(split, count, seed, known))
        for split, count in ((Split.TRAIN, talk), (Split.DEV, dev // 2 if talk else 0))
    }
    return Material(
        train=(*generated[Split.TRAIN], *talks[Split.TRAIN], *_of(written, Split.TRAIN)),
        dev=(*generated[Split.DEV], *talks[Split.DEV], *_of(written, Split.DEV)),
        tests=tuple(sample for split in TESTS for sample in made.get(split, ())),
    )


def unlike(sample: Sample) -> bool:
    """Whether a sample is not the generator's: conversation, or written by hand."""
    return sample.source == "hand" or "dialogue" in sample.tags


def talked(split: Split, count: int, seed: int | str, known: Known) -> Iterator[Sample]:
    """Turns of conversation of a split, none a near duplicate of one in `known`."""
    rng = Random(f"{seed} talk {split}")
    talks = Talks(shelf(split), rng)
    place = tries = 0
    while place < count and tries < 4 * count:
        tries += 1
        role = Role.ROUTER if rng.random() < ROUTES else Role.WRITE
        sample = talks.draft(role).sample(role, id=f"{split}-talk-{place:06}", split=split)
        if known.take(sample):
            place += 1
            yield sample


def plain(
    split: Split, count: int, seed: int | str, known: Known, *, scatter: float = SCATTER
) -> Iterator[Sample]:
    """What the generator makes without turns of conversation."""
    shelved = replace(shelf(split), dialogues=())
    yield from of_shelf(shelved, count, f"{seed} {split}", known, name=split, scatter=scatter)


def _of(samples: Sequence[Sample], split: Split) -> tuple[Sample, ...]:
    return tuple(sample for sample in samples if sample.split is split)
