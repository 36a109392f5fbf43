"""The real sets by name, and their passages as samples: what is there is read, the rest is named.

Nothing of them is kept in the repository. Every set cuts itself into halves by a hash of its own
words: a document (KnowledgeNet, Re-DocRED), a sentence (TekGen), a room (TextWorld).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from mags.errors import NotFound
from mags.models.grammar import LIMITS
from mags_lab.training.chains.schema import Sample
from mags_lab.training.real import knowledgenet, redocred, tekgen, textworld
from mags_lab.training.real.passage import Passage, sample


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSet:
    """A set: how it is read (from the data folder), its licence and what its halves hang on."""

    source: str
    licence: str
    halves: str
    passages: Callable[[Path], Iterator[Passage]]


SETS: Mapping[str, RealSet] = MappingProxyType(
    {
        "knowledgenet": RealSet(
            source=knowledgenet.SOURCE,
            licence="CC BY-SA 4.0 (diffbot/knowledge-net)",
            halves="documents; of held-out ones only the sentences of odd hash",
            passages=knowledgenet.passages,
        ),
        "redocred": RealSet(
            source=redocred.SOURCE,
            licence="MIT (tonytan48/Re-DocRED)",
            halves="documents",
            passages=redocred.passages,
        ),
        "tekgen": RealSet(
            source=tekgen.SOURCE,
            licence="CC BY-SA 4.0 (Text2KGBench, after TekGen)",
            halves="sentences",
            passages=tekgen.passages,
        ),
        "textworld": RealSet(
            source=textworld.SOURCE,
            licence="MIT (AIRI-Institute/AriGraph)",
            halves="rooms of a game",
            passages=textworld.passages,
        ),
    }
)
LICENCES = {one.source: one.licence for one in SETS.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """What was read. `absent`: a line for each set that is not there, with what to set."""

    samples: tuple[Sample, ...]
    absent: tuple[str, ...]


def read(folder: Path, names: Iterable[str] = tuple(SETS)) -> Real:
    """The samples of the sets under `folder`: split `real` (held out) and `train`.

    Passages with more facts than a reply may hold are left out. `folder`: see
    `mags_lab.training.real.passage.data_folder`.
    """
    samples: list[Sample] = []
    absent: list[str] = []
    for name in names:
        try:
            found = [sample(one) for one in SETS[name].passages(folder) if fits(one)]
        except NotFound as missing:
            absent.append(f"{SETS[name].source} is left out. {missing}")
            continue
        samples.extend(found)
    return Real(samples=tuple(samples), absent=tuple(absent))


def fits(passage: Passage) -> bool:
    """Whether a reply may hold every fact of a passage."""
    return len(passage.wanted) <= LIMITS.operations


def halves() -> str:
    """A line of the card: what decides which half of a set a text is in."""
    told = "; ".join(f"{one.source}: {one.halves}" for one in SETS.values())
    return f"Halves of the real sets (by SHA-256, odd is held out) hang on - {told}."
