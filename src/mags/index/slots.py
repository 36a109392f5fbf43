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

    def outdone(
        self, rows: NDArray[np.int64], moment: float, known: float | None = None
    ) -> NDArray[np.bool_]:
        """Which facts, by their rows, are guesses in the place of which something is surely held.

        That is the same fact, or another one where there is room for one, at an event time.
        What was over by then outdoes what was over. `known`: as known at that record time.
        """
        nodes = self._graph.nodes
        out = np.zeros(len(rows), np.bool_)
        # All guesses of one slot are looked at together: an entity may have thousands.
        slots: dict[tuple[int, int], list[int]] = {}
        for i in np.flatnonzero(nodes["flags"][rows] & GUESS).tolist():
            guess = nodes[rows[i]]
            slots.setdefault((int(guess["subject"]), int(guess["slot"])), []).append(i)
        sure: dict[int, NDArray[np.void]] = {}
        for (subject, slot), places in slots.items():
            if subject not in sure:
                others = nodes[self._rows(subject, ArcKind.SUBJECT)]
                others = others[(others["flags"] & GUESS) == 0]
                sure[subject] = others if known is None else others[others["recorded_at"] <= known]
            held = sure[subject][sure[subject]["slot"] == np.uint64(slot)]
            guesses, at = nodes[rows[places]], np.array(places)
            now = (guesses["valid_from"] <= moment) & (moment < guesses["valid_to"])
            holding = (held["valid_from"] <= moment) & (moment < held["valid_to"])
            for which, others in ((~now, held), (now, held[holding])):
                alike = np.isin(guesses["object"][which], others["object"])
                out[at[which]] = alike | bool((others["flags"] & ONE).any())
        return out

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
