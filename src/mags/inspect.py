"""What a page, a game or a server needs of a memory, beyond what `Memory` itself offers.

from mags import inspect

inspect.picture(memory)

Every function takes the memory first; errors are those of `Memory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta
from mags.graph.records import ArcKind, NodeFlag, NodeKind, node_charge
from mags.index.state import State
from mags.memory import history, lookup
from mags.memory.inputs import known_id, several, whole
from mags.memory.views import (
    ArcView,
    ChangeView,
    DotView,
    Frame,
    LinkView,
    MomentView,
    Picture,
    RegionView,
)
from mags.plasticity.frozen import FrozenGraph
from mags.recall.chains import Chain, Ends
from mags.recall.chains import chains as best_chains
from mags.recall.chains import latest as said_last
from mags.recall.connect import ways as ways_to
from mags.recall.found import moment_of

if TYPE_CHECKING:
    from mags.memory.memory import Memory
    from mags.ports.store import Catalog

__all__ = [
    "associate",
    "catch_up",
    "chains",
    "changes",
    "held_bytes",
    "latest",
    "life",
    "near",
    "picture",
    "read_waiting",
    "region_links",
    "regions",
    "ways",
]

NEAREST = 16
"""Memories that are opened for a recall over all that there are."""
LABEL = 120
"""Characters of a node's label."""


def catch_up(memory: Memory) -> None:
    """Take over now what other processes wrote and erased, as every reading call does first."""
    with memory._live.reading():
        pass


def held_bytes(memory: Memory) -> int:
    """Bytes of RAM that its graph, vectors and words take now; waits for no writer."""
    return lookup.held_bytes(memory._live.state)


def near(
    memory: Memory,
    query: str,
    catalog: Catalog,
    patterns: Sequence[str] = ("*",),
    most: int = NEAREST,
) -> list[str]:
    """Names of memories of a catalogue that hold what lies nearest to a query.

    They have the embedder of `memory`; see `Catalog.nearest`.
    """
    embedder = memory._live.embedder
    return catalog.nearest(embedder.embed([query])[0], embedder.name, patterns, most)


def read_waiting(memory: Memory) -> tuple[str, ...]:
    """Read the turns that were kept to be read later; returns what there is to warn of."""
    return memory._read_waiting()


def chains(
    memory: Memory,
    question: str,
    options: Sequence[str],
    *,
    after: Mapping[int, float] | None = None,
) -> tuple[Chain, ...]:
    """Chains of what was said that lead from a question to each option, the best first.

    `after`: seconds of event time by option; what was said before does not count for it.
    """
    ends = Ends(question, tuple(several(options, "options")), after or {})
    live, settings = memory._live, memory._parts.settings.recall.chains
    with live.reading() as state:
        return best_chains(state, ends, moment=live.present(), settings=settings)


def ways(memory: Memory, question: str, ids: Sequence[int]) -> tuple[tuple[int, ...] | None, ...]:
    """For each id the fewest facts that lead to it from what a question names, or None."""
    wanted = [known_id(one) for one in ids]
    with memory._live.reading() as state:
        return ways_to(state, question, wanted, moment=memory._live.present())


def latest(memory: Memory, things: Iterable[str], *, most: int = 4) -> tuple[tuple[int, ...], ...]:
    """For each thing the episodes that have all its words, newest first, none that is over."""
    things, most = several(things, "things"), whole(most, "most", 1)
    live, settings = memory._live, memory._parts.settings.recall.chains
    with live.reading() as state:
        return said_last(state, things, most=most, moment=live.present(), settings=settings)


def changes(memory: Memory, after: int, limit: int = 100, *, named: int = 0) -> list[ChangeView]:
    """What changed after a journal sequence, oldest first; raises NotFound if folded away."""
    return history.changes(
        memory._live,
        whole(after, "after is the sequence of a change"),
        limit=whole(limit, "limit is how many changes", 1),
        named=whole(named, "named counts nodes"),
    )


def life(memory: Memory, node_id: int) -> list[MomentView]:
    """What each change left of a node's strength, oldest first; raises NotFound."""
    return history.life(memory._live, known_id(node_id))


def regions(memory: Memory) -> list[RegionView]:
    """Communities of associated nodes, largest first, each named by its best connected members.

    Found by the last sleep, or anew where the memory has grown by a tenth since.
    """
    return memory._sleeper.regions()


def region_links(memory: Memory) -> tuple[LinkView, ...]:
    """The weight between any two regions, strongest first."""
    region = _region_of(regions(memory))
    with memory._live.reading() as state:
        frozen = FrozenGraph.of(state.graph)
    of = np.array([region.get(int(i), 0) for i in frozen.ids], np.int64)
    a, b = of[frozen.src], of[frozen.dst]
    between = (a != b) & (a > 0) & (b > 0)
    pairs = np.sort(np.stack((a[between], b[between]), axis=1), axis=1)
    known, place, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    weight = np.zeros(len(known))
    np.add.at(weight, place.reshape(-1), frozen.charge[between])
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


def picture(memory: Memory, frame: Frame | None = None) -> Picture:
    """The strongest nodes and the arcs between them, to be drawn."""
    region = _region_of(regions(memory))
    with memory._live.reading() as state:
        return _drawn(state, frame or Frame(), region)


def associate(memory: Memory, src: int, dst: int, weight: float | None) -> Delta:
    """Set the association from one node to another, in [0, 1]; None removes it."""
    return memory._editor.associate(known_id(src), known_id(dst), weight)


def _region_of(found: Iterable[RegionView]) -> dict[int, int]:
    """From a node's id to the id of the region it lies in."""
    return {member: view.id for view in found for member in view.members}


def _drawn(state: State, frame: Frame, regions: Mapping[int, int]) -> Picture:
    frozen = FrozenGraph.of(state.graph)
    chosen = _chosen(frozen, frame)
    inside = np.zeros(len(frozen.nodes), np.bool_)
    inside[chosen] = True
    kept = np.flatnonzero(inside[frozen.src] & inside[frozen.dst])
    charge = frozen.charge
    lines = tuple(
        ArcView(
            src=int(arc["src"]),
            dst=int(arc["dst"]),
            kind=ArcKind(int(arc["kind"])).name.lower(),
            weight=round(float(charge[at]), 4),
        )
        for at, arc in zip(kept, frozen.arcs[kept], strict=True)
    )
    return Picture(
        tick=state.graph.tick,
        seq=state.seq,
        nodes=len(frozen.nodes),
        arcs=len(frozen.arcs),
        dots=_dots(state, frozen.nodes[chosen], frame, regions),
        lines=lines,
    )


def _chosen(frozen: FrozenGraph, frame: Frame) -> NDArray[np.int64]:
    """Places of the nodes to show, by id."""
    nodes = frozen.nodes
    there = np.ones(len(nodes), np.bool_)
    if frame.recorded_as_of is not None:
        there &= nodes["recorded_at"] <= frame.recorded_as_of
    if frame.as_of is not None:
        there &= (nodes["valid_from"] <= frame.as_of) & (_ends(nodes, frame) > frame.as_of)
    if frame.only is not None:
        there &= np.isin(nodes["id"], np.fromiter(frame.only, np.int64))
    degree = np.bincount(np.concatenate((frozen.src, frozen.dst)), minlength=len(nodes))
    worth = node_charge(nodes, frozen.tick) + nodes["importance"] + np.log1p(degree)
    # More than any sum of strength, importance and the logarithm of a degree.
    worth[np.isin(nodes["id"], np.fromiter(frame.first, np.int64))] += 1e6
    places = np.flatnonzero(there)
    best = places[np.argsort(-worth[places], kind="stable")][: frame.most]
    return np.sort(best)


def _ends(nodes: NDArray[np.void], frame: Frame) -> NDArray[np.float64]:
    """When nodes cease to be valid, as far as was known at `frame.recorded_as_of`."""
    ends: NDArray[np.float64] = nodes["valid_to"].copy()
    if frame.recorded_as_of is not None:
        ends[nodes["closed_at"] > frame.recorded_as_of] = np.inf
    return ends


def _disputed(state: State, node: np.void, frame: Frame) -> bool:
    if not int(node["flags"]) & NodeFlag.DISPUTED:
        return False
    moment = frame.as_of
    if moment is None:
        moment = max(float(node["valid_from"]), state.latest_s)
    return bool(state.slots.outranked(int(node["id"]), moment, frame.recorded_as_of))


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
            disputed=_disputed(state, node, frame),
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
