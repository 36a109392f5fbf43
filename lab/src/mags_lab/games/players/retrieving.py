"""Retrieval without a memory: over the rulebook told at the start, or over everything seen."""

from __future__ import annotations

import time
from collections.abc import Callable

from mags.ports.embedder import Embedder
from mags_lab.games.players.notes import PRESENT, Note, in_order, moved, noted, shown
from mags_lab.games.players.shelf import Fusion, Shelf
from mags_lab.games.turns import Choice, Move, Reader, Scene

PLAIN = Fusion(again=4)
"""For a rulebook, where nothing is newer than anything else."""

TUNED = Fusion(recency=2.0, half_life_turns=200.0, again=4)
"""For everything seen; chosen on the tuning bank (docs/log.md)."""


class Retrieving:
    """A player that shows its reader the k best lines of a shelf, oldest first, and the turn.

    `growing`: everything said goes on the shelf; else only what was said in the first scene.
    """

    def __init__(
        self,
        reader: Reader,
        embedder: Embedder,
        *,
        growing: bool,
        fusion: Fusion | None = None,
        k: int = 12,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        self.name = "growing" if growing else "static"
        self._reader = reader
        self._shelf = Shelf(embedder, fusion or (TUNED if growing else PLAIN))
        self._growing = growing
        self._k = k
        self._clock = clock

    def begin(self, scene: Scene) -> None:
        """Clear the shelf; a rulebook told in the first scene goes on it when that is played."""
        self._shelf.clear()

    def choose(self, scene: Scene) -> Move:
        """By the best lines for the question and those of the turn itself."""
        began = self._clock()
        present = noted(scene)
        if self._growing or not self._shelf.notes:
            self._shelf.add(present)
        written = self._clock()
        found = self._shelf.search(scene.question, self._k, scene.turn, scene.actions)
        notes = in_order([*found, *present[-PRESENT:]])
        recalled = self._clock()
        choice, notes = self._chosen(scene, notes)
        return moved(choice, notes, engram_s=written - began, recall_s=recalled - written)

    def _chosen(self, scene: Scene, notes: list[Note]) -> tuple[Choice, list[Note]]:
        """What the reader makes of what was found, and what of that it was shown."""
        return self._reader.choose(shown(notes), scene.question, scene.actions), notes
