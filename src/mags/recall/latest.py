"""What was said last of each of some things, newest first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mags.index.state import State
from mags.index.tokens import terms
from mags.recall.known import Known
from mags.recall.settings import ChainSettings


def latest(
    state: State, things: Iterable[str], *, most: int, moment: float, settings: ChainSettings
) -> tuple[tuple[int, ...], ...]:
    """By thing at most so many episodes that hold all its words in what was said, newest first.

    Those that told nothing but what is over at `moment`, in seconds, are left out.
    """
    known = Known(state, moment, settings)
    return tuple(_of(known, sorted(set(terms(thing))), most) for thing in things)


def _of(known: Known, words: list[str], most: int) -> tuple[int, ...]:
    if not words:
        return ()
    rows = known.holding(words[0])
    for word in words[1:]:
        rows = np.intersect1d(rows, known.holding(word))
    nodes = known.state.graph.nodes
    order = np.lexsort((nodes["id"][rows], nodes["valid_from"][rows]))[::-1]
    found: list[int] = []
    for row in rows[order].tolist():
        if len(found) == most:
            break
        if not known.held([row])[0].over:
            found.append(int(nodes["id"][row]))
    return tuple(found)
