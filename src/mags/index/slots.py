"""Facts by subject, object and slot, read from the graph's arcs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE, Graph
from mags.graph.node import NEVER


class Slots:
    """A view: it holds nothing of its own."""

    def __init__(self, graph: Graph) -> None:
        """Facts of that graph."""
        self._graph = graph

    def of(self, subject: int) -> list[int]:
        """Ids of all facts about a subject, open and closed."""
        return self._ids(self._rows(subject, ArcKind.SUBJECT))

    def about(self, entity: int) -> list[int]:
        """Ids of all facts whose object is that entity."""
        return self._ids(self._rows(entity, ArcKind.OBJECT))

    def all(self, subject: int, slot: int) -> list[int]:
        """Ids of the facts of a slot, open and closed."""
        rows = self._rows(subject, ArcKind.SUBJECT)
        return self._ids(rows[self._graph.nodes["slot"][rows] == np.uint64(slot)])

    def open(self, subject: int, slot: int) -> list[int]:
        """Ids of the open facts of a slot."""
        rows = self._rows(subject, ArcKind.SUBJECT)
        nodes = self._graph.nodes
        mask = (nodes["slot"][rows] == np.uint64(slot)) & (nodes["valid_to"][rows] == NEVER)
        return self._ids(rows[mask])

    def _rows(self, entity: int, kind: ArcKind) -> NDArray[np.int64]:
        row = self._graph.row_of.get(entity)
        if row is None:
            return np.zeros(0, np.int64)
        adjacency = self._graph.adjacency
        block = adjacency.block(row)
        peers = adjacency.columns["peer"][block]
        kinds = adjacency.columns["kind"][block]
        rows = peers[kinds == (int(kind) | REVERSE)].astype(np.int64)
        return np.asarray(rows[self._graph.alive[rows]], np.int64)

    def _ids(self, rows: NDArray[np.int64]) -> list[int]:
        ids: list[int] = self._graph.nodes["id"][rows].tolist()
        return ids
