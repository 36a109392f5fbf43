"""Renewal: what is said anew comes before what it says otherwise.

A ranking step over the best candidates; nothing is taken out. Of two turns the newer is put
right before the older, and before what came from that, where a fact of the older was
superseded by the newer, or where both say the same of the same: by one speaker, alike, and
the newer holding most words of the question that the older holds. A question about the past,
or one that names a time, is left as it is. Documents, which nobody said, are too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mags.graph.records import NOBODY, NodeKind
from mags.index.state import State
from mags.recall.anew.kernels import promote
from mags.recall.candidates import Candidates
from mags.recall.query import Reading
from mags.recall.settings import RenewalSettings

EPISODE = int(NodeKind.EPISODE)
FIELDS = ("flags", "subject", "valid_from", "valid_to")


def renewed(
    state: State,
    reading: Reading,
    found: Candidates,
    scores: NDArray[np.float32],
    settings: RenewalSettings,
) -> NDArray[np.float32]:
    """What is added to each score so that the newer comes first, shape (n,)."""
    added = np.zeros(len(scores), np.float32)
    plan = reading.query.plan
    timed = plan.since is not None or plan.until is not None
    if not settings.on or plan.past or timed or not len(scores):
        return added
    graph = state.graph
    nodes, pool = graph.nodes[: graph.size], graph.adjacency
    best = _best_said(nodes, found.rows, scores, settings.looked)
    if len(best) < 2:
        return added
    order = np.lexsort((found.rows[best], nodes["valid_from"][found.rows[best]]))
    best = best[order]
    vectors = state.vectors.get(found.rows[best])
    held, idf = _held(found, best)
    promote(
        (found.rows, best, vectors @ vectors.T, held, idf),
        (graph.alive, *(nodes[name] for name in FIELDS)),
        (pool.start, pool.length, pool.columns["peer"], pool.columns["kind"]),
        reading.now_s if reading.as_of is None else reading.as_of,
        (settings.alike, settings.lost, settings.margin),
        scores,
        added,
    )
    return added


def _best_said(
    nodes: NDArray[np.void], rows: NDArray[np.int64], scores: NDArray[np.float32], most: int
) -> NDArray[np.int64]:
    """Places of the episodes of greatest score that somebody said, in no order.

    Documents are as old as their import, which says nothing of what they tell.
    """
    said = (nodes["kind"][rows] == EPISODE) & (nodes["subject"][rows] != NOBODY)
    places = np.flatnonzero(said)
    if len(places) <= most:
        return places
    return places[np.argpartition(-scores[places], most)[:most]]


def _held(
    found: Candidates, best: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Which words of the question each holds, as bits, and each word's share of their idf."""
    if not found.matches:
        return np.zeros(len(best), np.uint64), np.zeros(0, np.float32)
    match = found.matches[0]
    rows = found.rows[best]
    bits = np.zeros(len(best), np.uint64)
    known = rows < len(match.bits)
    bits[known] = match.bits[rows[known]]
    return bits, np.asarray(match.idf[:64] / max(match.mass, 1e-9), np.float32)
