"""The rows that come out of a recall, with the episodes that they came from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import Graph
from mags.graph.records import ArcKind
from mags.recall.kernels import EPISODE, places_of
from mags.recall.spread import peers_each


class Told:
    """Rows in their order, each with those that came out as one with it (`joined`).

    `records`: NODE records of the rows. What all of them came from is looked up together.
    """

    def __init__(self, graph: Graph, merged: Sequence[tuple[int, list[int]]]) -> None:
        """`merged`: as `units.merge` gives it."""
        self.joined = [joined for _, joined in merged]
        self.records = graph.nodes[[row for row, _ in merged]]
        rows = np.array([r for row, joined in merged for r in (row, *joined)], np.int64)
        codes = np.where(graph.nodes["kind"][rows] == EPISODE, -1, int(ArcKind.SOURCE))
        told = zip(rows.tolist(), codes.tolist(), peers_each(graph, rows, codes), strict=True)
        self._sources: list[list[int]] = []
        self._episodes: list[set[int]] = []
        for joined in self.joined:
            for i, (row, code, came_from) in enumerate(islice(told, 1 + len(joined))):
                if i == 0:
                    self._sources.append(came_from)
                    self._episodes.append(set())
                self._episodes[-1].update(came_from if code >= 0 else (row,))
        self._rows = np.array(sorted(set().union(*self._episodes)), np.int64)
        ids = graph.nodes["id"][self._rows].tolist()
        self._ids: dict[int, int] = dict(zip(self._rows.tolist(), ids, strict=True))

    def sources(self) -> list[tuple[int, ...]]:
        """Of each row the ids of its own episodes, the oldest first; none of an episode."""
        return [tuple(sorted(self._ids[row] for row in rows)) for rows in self._sources]

    def episodes(
        self, candidates: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> list[tuple[int, ...]]:
        """Of each row, and of those joined to it, the ids of their episodes, the best first.

        candidates, scores: shape (n,). What is no candidate comes last, the oldest first.
        """
        place = places_of(candidates, self._rows)
        worth = np.where(place < 0, -np.inf, scores[place])
        order = np.argsort(-worth, kind="stable")  # rows ascend: of equals the oldest is first
        best = self._rows[order].tolist()
        rank = {row: i for i, row in enumerate(best)}
        ids = [self._ids[row] for row in best]
        return [
            tuple([ids[i] for i in sorted([rank[row] for row in rows])]) for rows in self._episodes
        ]
