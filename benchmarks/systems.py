"""Every system that is measured, by name, with a factory for each kind of suite it can run.

A factory makes an empty memory. MAGS and the peers register here as the
baselines do, so that all of them run the same suites.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.baselines.graphwalk import GraphWalk
from benchmarks.baselines.handmade import HandMade
from benchmarks.baselines.plain import Kind, PlainFacts, PlainTurns, PlainUpdates
from mags.ports.embedder import Embedder
from mags_lab.evaluation.protocol import FactMemory, GraphRetriever, Retriever, UpdateMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """What a system can be asked to do; None where it has no such memory.

    `note` says in the tables what it is, or what it was given; `suites` names
    those it is meant for, where it is not meant for all.
    """

    name: str
    note: str = ""
    suites: frozenset[str] | None = None
    turns: Callable[[], Retriever] | None = None
    graph: Callable[[], GraphRetriever] | None = None
    facts: Callable[[], FactMemory] | None = None
    updates: Callable[[], UpdateMemory] | None = None


_PLAIN: Mapping[str, tuple[Kind, str]] = {
    "BM25": ("bm25", "stemmed, stop words out, date and speaker in the text"),
    "dense": ("dense", "plain cosine"),
    "BM25 + dense, z-scores": ("zsum", "sum of standardised scores"),
    "BM25 + dense, RRF": ("rrf", "reciprocal ranks, 60"),
}


def baselines(embedder: Embedder) -> list[System]:
    """Our own plain systems, all with the same embedder."""
    found: list[System] = []
    for name, (kind, note) in _PLAIN.items():
        found.append(
            System(
                name=name,
                note=note,
                turns=partial(PlainTurns, kind, embedder),
                graph=partial(PlainTurns, kind, embedder),
                facts=partial(PlainFacts, kind, embedder),
                updates=partial(PlainUpdates, kind, embedder),
            )
        )
    hand: Callable[[], Any] = partial(HandMade, embedder)
    found.append(
        System(
            name="hand-made fusion",
            note="weights chosen on LoCoMo",
            suites=frozenset({"locomo", "locomo-together"}),
            turns=hand,
        )
    )
    found.append(
        System(
            name="hand-made graph walk",
            note="names shared by passages, PageRank; nothing fitted",
            graph=partial(GraphWalk, embedder),
        )
    )
    return found
