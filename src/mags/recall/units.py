"""Units: what belongs together comes out together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mags.graph.charge import charge
from mags.graph.edge import ArcKind
from mags.graph.graph import REVERSE, Graph
from mags.graph.node import NodeKind
from mags.recall.found import Hit, Unit
from mags.recall.spread import peers

LIVE = 0.2
"""Charge above which an association ties hits into a cluster."""


DECAYING = ("w", "t0", "uses", "support", "flags")
"""Columns of an arc that its charge is read from."""


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
    for i in np.argsort(-scores, kind="stable"):
        row = int(rows[i])
        partners = _partners(graph, row)
        owner = next((taken[p] for p in partners if p in taken), None)
        if owner is not None and row not in apart:
            if owner < len(out):
                out[owner][1].append(row)
            continue
        if len(out) >= k:
            break
        taken[row] = len(out)
        if graph.nodes["kind"][row] != NodeKind.EPISODE:
            taken.update(dict.fromkeys(partners, len(out)))
        out.append((row, []))
    return out


def _partners(graph: Graph, row: int) -> list[int]:
    kind = int(graph.nodes["kind"][row])
    if kind == NodeKind.EPISODE:
        return [int(r) for r in peers(graph, row, int(ArcKind.SOURCE) | REVERSE)]
    if kind in (NodeKind.FACT, NodeKind.NOTE):
        return [int(r) for r in peers(graph, row, int(ArcKind.SOURCE))]
    return []


def group(graph: Graph, hits: Sequence[Hit]) -> tuple[Unit, ...]:
    """Runs of adjacent episodes (gap at most 1) become one unit, in time order.

    A unit counts by its best member; units come best first.
    """
    by_id = {hit.id: hit for hit in hits}
    owner = {hit.id: hit.id for hit in hits}

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    for hit in hits:
        if hit.kind != "episode":
            continue
        row = graph.row(hit.id)
        near = peers(graph, row, int(ArcKind.NEXT)).tolist()
        near += [j for i in near for j in peers(graph, i, int(ArcKind.NEXT)).tolist()]
        for other in graph.nodes["id"][near].tolist() if near else ():
            if other in by_id and by_id[other].kind == "episode":
                owner[root(other)] = root(hit.id)
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


def clusters(graph: Graph, ids: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Strongly connected components of two hits or more over live directed associations."""
    tails: list[int] = []
    heads: list[int] = []
    rows = np.array([graph.row(i) for i in ids], np.int64)
    columns = graph.adjacency.columns
    for tail, row in enumerate(rows.tolist()):
        block = graph.adjacency.block(row)
        hit = columns["peer"][block][:, None] == rows
        ties = hit.any(axis=1) & (columns["kind"][block] == ArcKind.ASSOCIATION)
        slots = np.flatnonzero(ties) + block.start
        w, t0, uses, support, flags = (columns[n][slots] for n in DECAYING)
        live = charge(w, t0, uses, support, flags, graph.tick) > LIVE
        found_heads = hit[ties].argmax(axis=1)[live].tolist()
        heads.extend(found_heads)
        tails.extend([tail] * len(found_heads))
    if not tails:
        return ()
    n = len(ids)
    matrix = coo_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    count, labels = connected_components(matrix, directed=True, connection="strong")
    found = [tuple(ids[i] for i in np.flatnonzero(labels == c).tolist()) for c in range(count)]
    return tuple(c for c in found if len(c) > 1)
