"""What lies around a turn: the nodes most like it and the episodes before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.engram.view import View
from mags.graph.records import ArcKind

ALIKE = 0.6
"""Cosine with its turn from which on a text of that turn looks among what is near the turn."""

WIDE = 4
"""A turn looks for this many times as many neighbours as a text keeps."""

Near = tuple[list[int], NDArray[np.float32]]


class Surroundings:
    """Finds what is like the texts of a turn with one search, where it can."""

    def __init__(self, view: View, k: int) -> None:
        """`k`: how many neighbours a text gets."""
        self._view = view
        self._k = k
        self._ids: list[int] = []
        self._vectors = np.zeros((0, 0), np.float32)
        self._centre: NDArray[np.float32] | None = None

    def centre(self, vector: NDArray[np.float16] | None) -> None:
        """Look around a turn's own vector."""
        if vector is None:
            return
        self._centre = vector.astype(np.float32)
        self._ids, self._vectors = self._view.neighbours(self._centre, WIDE * self._k)

    def look(self, vector: NDArray[np.float16] | None) -> Near:
        """Ids and cosines of the k nodes most like a text, best first.

        A text like its turn is compared with what is near the turn, any other with all.
        """
        if vector is None:
            return [], np.zeros(0, np.float32)
        query = vector.astype(np.float32)
        if self._centre is None or float(self._centre @ query) < ALIKE:
            return self._view.nearest(vector, self._k)
        if not self._ids:
            return [], np.zeros(0, np.float32)
        cosines = self._vectors @ query
        order = np.argsort(-cosines, kind="stable")[: self._k]
        return [self._ids[i] for i in order.tolist()], cosines[order]

    def before(self, previous: int | None, count: int) -> list[int]:
        """At most `count` episodes of the session, the last first."""
        out: list[int] = []
        while previous is not None and previous in self._view.draft.graph and len(out) < count:
            out.append(previous)
            earlier = self._view.ends(previous, ArcKind.NEXT, back=True)
            previous = earlier[0] if earlier else None
        return out
