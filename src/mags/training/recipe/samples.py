"""What a recipe trains on: made from its seed, a part of the sentence frames kept for GRPO."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from mags.training.chains import hand
from mags.training.chains.schema import Sample, Split, read_samples, write_samples
from mags.training.chains.splits import TESTS, Shelf, fraction, part, shelf
from mags.training.chains.variety import Known
from mags.training.generate.samples import of_shelf, of_split
from mags.training.recipe.presets import Data

TAUGHT, KEPT_BACK = "taught", "kept-back"
"""Files of what SFT sees, and of what only GRPO sees."""
SHARE = 0.2
"""Share of a given training file that is kept back, by a hash of each sample's id."""


def make(folder: Path, data: Data, seed: int) -> Mapping[str, int]:
    """Write the files of a recipe; how many samples each holds."""
    known = Known()
    written: dict[str, Iterable[Sample]] = dict(_hand())
    train = shelf(Split.TRAIN)
    taught = of_shelf(
        frames_of(train, back=False), data.train - data.kept_back, f"{seed} taught", known,
        name=TAUGHT,
    )  # fmt: skip
    written[TAUGHT] = chain(written.pop(Split.TRAIN.value, []), taught)
    back = of_shelf(
        frames_of(train, back=True), data.kept_back, f"{seed} kept back", known, name=KEPT_BACK
    )
    written[KEPT_BACK] = back
    for split in (Split.DEV, *TESTS):
        more = of_split(split, data.test, seed, known)
        written[split.value] = chain(written.pop(split.value, []), more)
    return {name: write_samples(file(folder, name), some) for name, some in written.items()}


def take(folder: Path, source: Path) -> Mapping[str, int]:
    """Write the files of a recipe from those of `mags train data`; how many each holds.

    `train.jsonl` is parted by a hash: such files do not say which frame a sample was told in.
    """
    written: dict[str, list[Sample]] = {TAUGHT: [], KEPT_BACK: []}
    for sample in read_samples(source / f"{Split.TRAIN}.jsonl"):
        kept = fraction(f"kept back\n{sample.id}") < SHARE
        written[KEPT_BACK if kept else TAUGHT].append(sample)
    for path in sorted(source.glob("*.jsonl")):
        if path.stem != Split.TRAIN:
            written[path.stem] = list(read_samples(path))
    return {name: write_samples(file(folder, name), some) for name, some in written.items()}


def frames_of(whole: Shelf, *, back: bool) -> Shelf:
    """A shelf with only the sentence frames that are kept back, or only the others."""
    kept = {
        name: part(lines, kind=f"kept back {name}", held=back, least=1) or lines
        for name, lines in whole.frames.items()
    }
    return replace(whole, frames=MappingProxyType(kept))


def file(folder: Path, name: str) -> Path:
    """Where samples of a name lie in a folder."""
    return folder / f"{name}.jsonl"


def tests(folder: Path) -> Iterator[Sample]:
    """The samples of every split that nothing was trained on, dev too."""
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem not in (TAUGHT, KEPT_BACK, Split.TRAIN):
            yield from read_samples(path)


def _hand() -> Mapping[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in hand.samples(list(hand.chains())):
        found.setdefault(sample.split.value, []).append(sample)
    return found
