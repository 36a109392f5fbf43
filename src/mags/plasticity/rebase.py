"""Rebase: what a sleep changed, less everything that changed meanwhile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.graph import Graph
from mags.graph.records import ArcKind
from mags.plasticity.still import Still, differ


def rebase(delta: Delta, graph: Graph, *, base: int | None = None) -> Delta:
    """The part of a Delta whose before images still are what `graph` holds.

    What was altered, made or removed since is left alone: changes of it are dropped, and so
    are arcs to nodes that are gone, the members of themes left as they were and the contents of
    nodes whose change was dropped. The
    clock is the graph's. `base`: the sequence `graph` stands at. Hold off writers from here
    until the Delta is applied.
    """
    still = Still.of(graph)
    nodes = _unchanged(delta.nodes, still.nodes, still.places(delta.nodes.before["id"]))
    nodes &= ~_joined_since(delta, still)
    kept = delta.nodes.take(nodes)
    arcs = _unchanged(delta.arcs, still.arcs, still.find(delta.arcs.before))
    arcs &= _has_ends(delta.arcs, kept, still)
    left = delta.nodes.before["id"][~nodes]
    arcs &= ~((delta.arcs.after["kind"] == ArcKind.MEMBER) & np.isin(delta.arcs.after["src"], left))
    if not (nodes.all() and arcs.all()):
        held = {int(i) for i in kept.after["content"][kept.has]}
        delta = replace(
            delta,
            nodes=kept,
            arcs=delta.arcs.take(arcs),
            contents=tuple(content for content in delta.contents if content.id in held),
            reasons=(
                *delta.reasons,
                {
                    "rule": "rebase",
                    "nodes": int(np.count_nonzero(~nodes)),
                    "arcs": int(np.count_nonzero(~arcs)),
                },
            ),
        )
    return replace(
        delta,
        base=delta.base if base is None else base,
        tick_before=graph.tick,
        tick_after=graph.tick,
    )


def _unchanged(
    changes: Changes, records: NDArray[np.void], place: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Where the before image is what `records` hold at `place` (-1: nothing)."""
    matches = np.asarray((place >= 0) == changes.had)
    both = np.flatnonzero(matches & changes.had)
    matches[both] = ~differ(changes.before[both], records[place[both]])
    return matches


def _joined_since(delta: Delta, still: Still) -> NDArray[np.bool_]:
    """Which changes take a node away that something else has an arc to."""
    nodes, arcs = delta.nodes, delta.arcs
    lost = nodes.had & ~nodes.has
    taken = still.find(arcs.removed())
    left = np.ones(len(still.arcs), np.bool_)
    left[taken[taken >= 0]] = False
    ends = np.concatenate([still.arcs["src"][left], still.arcs["dst"][left]])
    return np.asarray(lost & np.isin(nodes.before["id"], ends) if lost.any() else lost)


def _has_ends(arcs: Changes, nodes: Changes, still: Still) -> NDArray[np.bool_]:
    there = np.union1d(still.ids, nodes.created()["id"])
    ends = np.isin(arcs.after["src"], there) & np.isin(arcs.after["dst"], there)
    return np.asarray(ends | ~arcs.has, np.bool_)
