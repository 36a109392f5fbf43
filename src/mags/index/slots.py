"""Facts by subject, object and slot, read from the graph's arcs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE, Graph
from mags.graph.node import NEVER, NodeFlag

GUESS, ONE = int(NodeFlag.GUESS), int(NodeFlag.ONE)


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

    def outdone(self, row: int, moment: float, known: float | None = None) -> bool:
        """Whether a fact, by its row, is a guess in the place of which something is surely held.

        That is the same fact, or another one where there is room for one, at an event time.
        What was over by then outdoes what was over. `known`: as known at that record time.
        """
        nodes = self._graph.nodes
        guess = nodes[row]
        if not int(guess["flags"]) & GUESS:
            return False
        rows = self._rows(int(guess["subject"]), ArcKind.SUBJECT)
        others = nodes[rows[nodes["slot"][rows] == guess["slot"]]]
        others = others[(others["flags"] & GUESS) == 0]
        if known is not None:
            others = others[others["recorded_at"] <= known]
        if guess["valid_from"] <= moment < guess["valid_to"]:
            holding = (others["valid_from"] <= moment) & (moment < others["valid_to"])
            others = others[holding]
        alike = (others["object"] == guess["object"]) | ((others["flags"] & ONE) != 0)
        return bool(alike.any())

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
