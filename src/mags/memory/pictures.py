"""A picture of a memory for the eye: its strongest nodes, the arcs between them, their regions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from mags.graph.charge import node_charge
from mags.graph.records import ArcKind, NodeFlag, NodeKind
from mags.index.state import State
from mags.memory.changes import ArcView
from mags.memory.regions import RegionView
from mags.plasticity.still import Still
from mags.recall.found import moment_of

LABEL = 120
"""Characters of a node's label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What of a memory to picture. Times in seconds; None for now.

    `most`: nodes; `only`: among these ids, where told; `ids`: these come first, whatever they
    weigh.
    """

    most: int = 1_000
    only: Collection[int] | None = None
    first: Collection[int] = ()
    as_of: float | None = None
    recorded_as_of: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DotView:
    """A node of a picture. `region`: its id, 0 for none. `tentative`: it is a guess."""

    id: int
    kind: str
    label: str
    strength: float
    importance: float
    uses: int
    region: int
    current: bool
    tentative: bool
    pinned: bool
    cold: bool
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`nodes`, `arcs`: how many there are in all; `first`, `last`: the bounds of record time."""

    tick: int
    seq: int
    nodes: int
    arcs: int
    dots: tuple[DotView, ...]
    lines: tuple[ArcView, ...]


def picture(state: State, frame: Frame, regions: Mapping[int, int]) -> Picture:
    """The strongest nodes within a frame and every arc between two of them.

    `regions`: from a node's id to its region's.
    """
    still = Still.of(state.graph)
    chosen = _chosen(still, frame)
    inside = np.zeros(len(still.nodes), np.bool_)
    inside[chosen] = True
    kept = np.flatnonzero(inside[still.src] & inside[still.dst])
    charge = still.charge
    lines = tuple(
        ArcView(
            src=int(arc["src"]),
            dst=int(arc["dst"]),
            kind=ArcKind(int(arc["kind"])).name.lower(),
            weight=round(float(charge[at]), 4),
        )
        for at, arc in zip(kept, still.arcs[kept], strict=True)
    )
    return Picture(
        tick=state.graph.tick,
        seq=state.seq,
        nodes=len(still.nodes),
        arcs=len(still.arcs),
        dots=_dots(state, still.nodes[chosen], frame, regions),
        lines=lines,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """How strongly two regions hang together: the charges of the arcs between them, added up."""

    a: int
    b: int
    weight: float
    arcs: int


def links(state: State, regions: Mapping[int, int]) -> tuple[LinkView, ...]:
    """What lies between regions, strongest first. `regions`: from a node's id to its region's."""
    still = Still.of(state.graph)
    of = np.array([regions.get(int(i), 0) for i in still.ids], np.int64)
    a, b = of[still.src], of[still.dst]
    between = (a != b) & (a > 0) & (b > 0)
    pairs = np.sort(np.stack((a[between], b[between]), axis=1), axis=1)
    known, place, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    weight = np.zeros(len(known))
    np.add.at(weight, place.reshape(-1), still.charge[between])
    order = np.argsort(-weight, kind="stable")
    return tuple(
        LinkView(
            a=int(known[i, 0]),
            b=int(known[i, 1]),
            weight=round(float(weight[i]), 4),
            arcs=int(count[i]),
        )
        for i in order
    )


def region_of(views: Collection[RegionView]) -> dict[int, int]:
    """From a node's id to the id of the region it lies in."""
    return {member: view.id for view in views for member in view.members}


def _chosen(still: Still, frame: Frame) -> NDArray[np.int64]:
    """Places of the nodes to show, by id."""
    nodes = still.nodes
    there = np.ones(len(nodes), np.bool_)
    if frame.recorded_as_of is not None:
        there &= nodes["recorded_at"] <= frame.recorded_as_of
    if frame.as_of is not None:
        there &= (nodes["valid_from"] <= frame.as_of) & (_ends(nodes, frame) > frame.as_of)
    if frame.only is not None:
        there &= np.isin(nodes["id"], np.fromiter(frame.only, np.int64))
    degree = np.bincount(still.src, minlength=len(nodes)) + np.bincount(
        still.dst, minlength=len(nodes)
    )
    worth = node_charge(nodes, still.tick) + nodes["importance"] + np.log1p(degree)
    worth[np.isin(nodes["id"], np.fromiter(frame.first, np.int64))] += 1e6
    places = np.flatnonzero(there)
    best = places[np.argsort(-worth[places], kind="stable")][: frame.most]
    return np.sort(best)


def _ends(nodes: NDArray[np.void], frame: Frame) -> NDArray[np.float64]:
    """When nodes cease to be valid, as far as it was known then."""
    ends: NDArray[np.float64] = nodes["valid_to"].copy()
    if frame.recorded_as_of is not None:
        ends[nodes["closed_at"] > frame.recorded_as_of] = np.inf
    return ends


def _dots(
    state: State, nodes: NDArray[np.void], frame: Frame, regions: Mapping[int, int]
) -> tuple[DotView, ...]:
    ids = [int(i) for i in nodes["id"]]
    strengths = node_charge(nodes, state.graph.tick)
    now = np.inf if frame.as_of is None else frame.as_of
    ends = _ends(nodes, frame)
    return tuple(
        DotView(
            id=node_id,
            kind=NodeKind(int(node["kind"])).name.lower(),
            label=content.text[:LABEL],
            strength=round(float(strength), 4),
            importance=round(float(node["importance"]), 4),
            uses=int(node["uses"]),
            region=regions.get(node_id, 0),
            current=bool(end == np.inf if frame.as_of is None else end > now),
            tentative=bool(int(node["flags"]) & NodeFlag.GUESS),
            pinned=bool(int(node["flags"]) & NodeFlag.PINNED),
            cold=bool(int(node["flags"]) & NodeFlag.COLD),
            valid_from=moment_of(float(node["valid_from"])),
            valid_to=moment_of(float(end)),
            recorded_at=moment_of(float(node["recorded_at"])),
        )
        for node_id, node, strength, content, end in zip(
            ids, nodes, strengths, state.words(ids), ends, strict=True
        )
    )
