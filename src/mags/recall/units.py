"""Units: what belongs together comes out together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from mags.graph.graph import REVERSE, Graph
from mags.graph.records import ArcKind, NodeKind
from mags.recall.found import Hit, Unit
from mags.recall.kernels import live_ties
from mags.recall.spread import peers_each, pool_of

LIVE = 0.2
"""Charge above which an association ties hits into a cluster."""


EPISODE = int(NodeKind.EPISODE)


def merge(
    graph: Graph,
    rows: NDArray[np.int64],
    scores: NDArray[np.float32],
    k: int,
    apart: frozenset[int] = frozenset(),
) -> list[tuple[int, list[int]]]:
    """The k best rows, best first, each with the rows that come out as one with it.

    A fact, the episodes it came from and their other facts are one, counted by the best.
    Rows in `apart` (the steps of a chain) have a place each, though one turn may have told
    them all.
    """
    out: list[tuple[int, list[int]]] = []
    taken: dict[int, int] = {}
    for row, kind, partners in _partnered(graph, rows[np.argsort(-scores, kind="stable")]):
        owner = next((taken[p] for p in partners if p in taken), None)
        if owner is not None and row not in apart:
            if owner < len(out):
                out[owner][1].append(row)
            continue
        if len(out) >= k:
            break
        taken[row] = len(out)
        if kind != EPISODE:
            taken.update(dict.fromkeys(partners, len(out)))
        out.append((row, []))
    return out


def _partnered(graph: Graph, rows: NDArray[np.int64]) -> Iterator[tuple[int, int, list[int]]]:
    """Rows with their kind and the rows they come out as one with, some at a time."""
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        kinds = graph.nodes["kind"][some].tolist()
        codes = np.array([PARTNERED.get(kind, -1) for kind in kinds], np.int64)
        yield from zip(some.tolist(), kinds, peers_each(graph, some, codes), strict=True)


AT_ONCE = 32
"""Rows whose partners are looked up together: hits are seldom more."""

PARTNERED = {
    int(NodeKind.EPISODE): int(ArcKind.SOURCE) | REVERSE,
    int(NodeKind.FACT): int(ArcKind.SOURCE),
    int(NodeKind.NOTE): int(ArcKind.SOURCE),
}
"""Kinds that come out as one with what a SOURCE arc joins them to, and how that is stored."""


def group(graph: Graph, hits: Sequence[Hit]) -> tuple[Unit, ...]:
    """Runs of adjacent episodes (gap at most 1) become one unit, in time order.

    A unit counts by its best member; units come best first.
    """
    owner = {hit.id: hit.id for hit in hits}

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    said = {graph.row_of[hit.id]: hit.id for hit in hits if hit.kind == "episode"}
    after = _next(graph, list(said))
    further = iter(_next(graph, [row for rows in after for row in rows]))
    for (row, hit_id), near in zip(said.items(), after, strict=True):
        for other in (*near, *chain.from_iterable(islice(further, len(near)))):
            if other in said and other != row:
                owner[root(said[other])] = root(hit_id)
    groups: dict[int, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(root(hit.id), []).append(hit)
    units = [
        Unit(
            hits=tuple(sorted(members, key=lambda h: (h.at, h.id))),
            score=max(h.score for h in members),
        )
        for members in groups.values()
    ]
    return tuple(sorted(units, key=lambda unit: -unit.score))


def _next(graph: Graph, rows: list[int]) -> list[list[int]]:
    """The episodes right after each of some rows."""
    return peers_each(graph, np.array(rows, np.int64), np.full(len(rows), int(ArcKind.NEXT)))


def clusters(graph: Graph, ids: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Strongly connected components of two hits or more over live directed associations."""
    ties = live_ties(graph.rows(ids), pool_of(graph), graph.tick, LIVE)
    tied = nx.DiGraph(ties.tolist())
    found = sorted(sorted(one) for one in nx.strongly_connected_components(tied) if len(one) > 1)
    return tuple(tuple(ids[place] for place in one) for one in found)
