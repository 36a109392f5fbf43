"""The memory as a NetworkX graph."""

from __future__ import annotations

import networkx as nx

from mags.graph.charge import arc_charge
from mags.graph.records import ArcKind, NodeKind
from mags.index.state import State


def to_networkx(state: State) -> nx.MultiDiGraph:
    """Every living node (kind, text, strength ...) and arc (kind, weight now, uses)."""
    graph: nx.MultiDiGraph = nx.MultiDiGraph(tick=state.graph.tick)
    ids = [int(i) for i in state.graph.ids()]
    for start in range(0, len(ids), 5_000):
        part = ids[start : start + 5_000]
        for node_id, content in zip(part, state.words(part), strict=True):
            node = state.graph.node(node_id)[0]
            graph.add_node(
                node_id,
                kind=NodeKind(int(node["kind"])).name.lower(),
                text=content.text,
                strength=float(node["strength"]),
                importance=float(node["importance"]),
                confidence=float(node["confidence"]),
                valid_from=float(node["valid_from"]),
                valid_to=float(node["valid_to"]),
            )
    arcs = state.graph.arcs()
    for arc, weight in zip(arcs, arc_charge(arcs, state.graph.tick), strict=True):
        kind = ArcKind(int(arc["kind"])).name.lower()
        graph.add_edge(
            int(arc["src"]), int(arc["dst"]), key=kind, kind=kind, weight=float(weight),
            uses=int(arc["uses"]),
        )  # fmt: skip
    return graph
