"""The samples that heads are trained and held to: made by the generator, and written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from mags.errors import InvalidInput
from mags.models.policy.heads.choices import Vocabulary
from mags_lab.training.chains import hand
from mags_lab.training.chains.schema import Role, Sample, Split
from mags_lab.training.chains.splits import TESTS, split_material
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.dialogues import Talks
from mags_lab.training.generate.samples import SCATTER, of_material, of_split
from mags_lab.training.heads.labels import gold
from mags_lab.training.heads.states import layout_of
from mags_lab.training.real.passage import sample as of_passage
from mags_lab.training.real.sets import SETS

ROUTES = 0.25
"""Share of the turns of conversation that the router is shown; the write policy the others."""

REAL = ("knowledgenet", "redocred", "tekgen")
LONGEST = 45
"""Words of a real passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Samples to train by, to find thresholds on, and to be tested on."""

    train: tuple[Sample, ...]
    dev: tuple[Sample, ...]
    tests: tuple[Sample, ...] = ()


def material(
    *, train: int, dev: int, tests: int, seed: int, talk: int = 0, unheard: int = 0
) -> Material:
    """`train`, `dev`, and `tests` samples of each test split; those by hand besides.

    `talk`: turns of conversation besides, for `dev` half as many as it has of others. `unheard`:
    for `dev` besides, in phrases that training never has.
    """
    known = SeenTurns()
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
        dev=(
            *generated[Split.DEV],
            *plain(Split.DEV_PHRASINGS, unheard, seed, known),
            *talks[Split.DEV],
            *_of(written, Split.DEV),
        ),
        tests=tuple(sample for split in TESTS for sample in made.get(split, ())),
    )


def talked(split: Split, count: int, seed: int | str, known: SeenTurns) -> Iterator[Sample]:
    """Turns of conversation of a split, none a near duplicate of one in `known`."""
    rng = Random(f"{seed} talk {split}")
    talks = Talks(split_material(split), rng)
    place = tries = 0
    while place < count and tries < 4 * count:
        tries += 1
        role = Role.ROUTER if rng.random() < ROUTES else Role.WRITE
        sample = talks.draft(role).sample(role, id=f"{split}-talk-{place:06}", split=split)
        if known.take(sample):
            place += 1
            yield sample


def passages(folder: Path, known: Vocabulary) -> Iterator[Sample]:
    """Short passages of the training halves of the real sets that tell only what heads can say.

    Few do, and most leave told facts unmarked. TextWorld's are told in a game's words: left out.
    """
    for name in REAL:
        for one in SETS[name].passages(folder):
            if one.held or len(one.text.split()) > LONGEST:
                continue
            try:
                made = of_passage(one)
            except InvalidInput:
                continue
            labels = gold(made, layout_of(made), known)
            if labels is not None and labels.told:
                yield made


def plain(
    split: Split, count: int, seed: int | str, known: SeenTurns, *, scatter: float = SCATTER
) -> Iterator[Sample]:
    """What the generator makes without turns of conversation."""
    narrowed = replace(split_material(split), dialogues=())
    yield from of_material(narrowed, count, f"{seed} {split}", known, name=split, scatter=scatter)


def _of(samples: Sequence[Sample], split: Split) -> tuple[Sample, ...]:
    return tuple(sample for sample in samples if sample.split is split)
