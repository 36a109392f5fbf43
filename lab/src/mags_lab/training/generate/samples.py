"""Whole sets of samples: each split from its own shelf and seed, nothing in it twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.splits import FAMILIAR, TESTS, Shelf, shelf
from mags_lab.training.chains.variety import Known
from mags_lab.training.generate.dialogues import Talks
from mags_lab.training.generate.turns import Turns

SHARES = {Role.WRITE: 0.45, Role.ASK: 0.35, Role.ROUTER: 0.20}
TALK = 0.25
"""Share of the write and router samples of `train` and `dev` that are conversation by hand."""
SCATTER = 0.5
"""Share of training sentences put among random words: what made copying learnable in trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """How many samples: `train`, and of each test split and `dev` a share, at least `least`."""

    train: int = 20_000
    share: float = 0.04
    least: int = 200

    def of(self, split: Split) -> int:
        """The samples of a split."""
        return (
            self.train if split is Split.TRAIN else max(self.least, round(self.train * self.share))
        )


def generate(amount: Amount, seed: int) -> Iterator[Sample]:
    """Samples of every split that has material: train first; always the same for a seed."""
    known = Known()
    for split in (Split.TRAIN, Split.DEV, *TESTS):
        yield from of_split(split, amount.of(split), seed, known)


def of_split(split: Split, count: int, seed: int, known: Known) -> Iterator[Sample]:
    """Samples of one split, none a near duplicate of one in `known`, which grows with them."""
    yield from of_shelf(shelf(split), count, f"{seed} {split}", known, name=split)


def of_shelf(
    material: Shelf, count: int, seed: str, known: Known, *, name: str, scatter: float = SCATTER
) -> Iterator[Sample]:
    """Samples of this material; their ids begin with `name`. `scatter`: see `SCATTER`."""
    if not (material.dialogues if material.split is Split.TALK else material.entries):
        return
    rng = Random(seed)
    trains = material.split in FAMILIAR
    turns = Turns(material, rng, scatter=scatter if trains else 0.0)
    made = {Role.WRITE: turns.to_write, Role.ASK: turns.to_ask, Role.ROUTER: turns.to_route}
    talks = Talks(material, rng)
    only = material.split is Split.TALK
    shares = {role: w for role, w in SHARES.items() if not only or role is not Role.ASK}
    place = tries = 0
    while place < count and tries < 4 * count:
        tries += 1
        role = rng.choices(list(shares), weights=list(shares.values()))[0]
        talk = talks.any and role is not Role.ASK and (only or rng.random() < TALK)
        draft = talks.draft(role) if talk else made[role]()
        sample = draft.sample(role, id=f"{name}-{place:06}", split=material.split)
        if known.take(sample):
            place += 1
            yield sample
