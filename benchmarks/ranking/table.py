"""Features with labels, a table a question, so that a fit needs no memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.ranking.sets import RankingMemory
from benchmarks.ranking.world import GrowingState
from mags.graph.records import NodeKind
from mags.recall.candidates import standardised
from mags.recall.ranking import RAW
from mags.recall.recall import sources
from mags_lab.evaluation.protocol import Probe

DEPTH = 20
BY_DOCUMENT = ("similarity", "cover", "cover_near", "entity", "spread")
"""Features that get a second weight for texts nobody said."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CandidateTable:
    """One question's candidates: features (n, f) as the score weighs them, and their turns.

    `turn`: number of the turn a candidate stands for (its episode, its fact's first source,
    or the fact itself), -1 for none; `gold`: numbers of the turns that answer, negative
    where they are no candidates; `total`: how many answer.
    """

    suite: str
    half: str
    kind: str
    names: tuple[str, ...]
    values: NDArray[np.float32]
    turn: NDArray[np.int64]
    gold: frozenset[int]
    total: int

    def scores(self, weights: Mapping[str, float]) -> NDArray[np.float32]:
        """The score of each candidate, shape (n,)."""
        row = np.array([weights.get(name, 0.0) for name in self.names], np.float32)
        return np.asarray(self.values @ row, np.float32)

    def recall(self, scores: NDArray[np.float32], k: int) -> float:
        """Share of the gold turns among the first k different ones."""
        found: dict[int, None] = {}
        for i in np.argsort(-scores, kind="stable"):
            turn = int(self.turn[i])
            if turn >= 0:
                found.setdefault(turn)
            if len(found) == k:
                break
        return len(self.gold & found.keys()) / self.total

    def columns(self, names: tuple[str, ...]) -> NDArray[np.float64]:
        """The named features, shape (n, len(names)); zeros for one that is not there."""
        out = np.zeros((len(self.values), len(names)))
        for j, name in enumerate(names):
            if name in self.names:
                out[:, j] = self.values[:, self.names.index(name)]
        return out


def tables(memory: RankingMemory, world: GrowingState) -> Iterator[CandidateTable]:
    """A table a question of a memory."""
    for probe in memory.probes:
        yield table(memory, world, probe)


def table(memory: RankingMemory, world: GrowingState, probe: Probe) -> CandidateTable:
    """The features of one question's candidates."""
    ranking = world.ranked(probe.text, DEPTH)
    values = {n: v if n in RAW else standardised(v) for n, v in ranking.values.items()}
    for name in BY_DOCUMENT:
        values[f"{name}@document"] = values[name] * values["document"]
    number: dict[str, int] = {}
    turns = []
    for row in ranking.found.rows.tolist():
        name = turn_of(world, row)
        turns.append(-1 if name is None else number.setdefault(name, len(number)))
    gold = frozenset(number.get(g, -2 - i) for i, g in enumerate(sorted(probe.gold)))
    return CandidateTable(
        suite=memory.suite,
        half=memory.half(probe),
        kind=probe.kind,
        names=tuple(values),
        values=np.stack(list(values.values()), axis=1).astype(np.float32),
        turn=np.array(turns, np.int64),
        gold=gold,
        total=len(probe.gold),
    )


def turn_of(world: GrowingState, row: int) -> str | None:
    """The turn that a candidate stands for: its own, or its fact's first source."""
    graph = world.state.graph
    node = int(graph.nodes["id"][row])
    if graph.nodes["kind"][row] == NodeKind.EPISODE:
        return world.turn_of.get(node)
    return world.turn_of.get(next(iter(sources(graph, node)), node))
