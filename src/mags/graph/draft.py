"""Draft: collects changes against a graph and becomes one Delta."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.edge import ARC, ArcKind, blank_arc
from mags.graph.graph import Graph
from mags.graph.node import NODE, Content, blank_node

ArcKey = tuple[int, int, int]


class Draft:
    """What a turn is about to change.

    Reads fall through to the graph, so rules see their own pending changes;
    nothing touches the graph until the Delta is applied.
    """

    def __init__(self, graph: Graph) -> None:
        """An empty draft over `graph`."""
        self.graph = graph
        self.contents: list[Content] = []
        self.reasons: list[Mapping[str, Any]] = []
        self._nodes: dict[int, NDArray[np.void] | None] = {}
        self._arcs: dict[ArcKey, NDArray[np.void] | None] = {}

    def node(self, node_id: int) -> NDArray[np.void]:
        """A writable NODE record of shape (1,); changes to it are part of the draft."""
        row = self._nodes.get(node_id)
        if row is None:
            row = self._nodes[node_id] = self.graph.node(node_id)
        return row

    def peek(self, node_id: int) -> NDArray[np.void]:
        """The NODE record as it would be, not to be written to."""
        row = self._nodes.get(node_id)
        return self.graph.node(node_id) if row is None else row

    def add_node(self, content: Content | None = None, /, **values: Any) -> NDArray[np.void]:
        """Create a node (`id` and `kind` among the values), with its words."""
        row = blank_node(**values)
        if content is not None:
            row["content"] = content.id
            self.contents.append(content)
        self._nodes[int(row["id"][0])] = row
        return row

    def remove_node(self, node_id: int) -> None:
        """Remove a node and every arc at it."""
        for arcs in (
            self.graph.arcs_from(node_id),
            self.graph.arcs_to(node_id),
            self.graph.associations_to(node_id),
        ):
            for arc in arcs:
                self._arcs[_key(arc)] = None
        for key in [k for k in self._arcs if node_id in k[:2]]:
            self._arcs[key] = None
        self._nodes[node_id] = None

    def arc(self, src: int, dst: int, kind: ArcKind) -> NDArray[np.void] | None:
        """A writable ARC record of shape (1,), or None where there is none."""
        key = (src, dst, int(kind))
        if key in self._arcs:
            return self._arcs[key]
        found = self.graph.find_arc(src, dst, kind)
        if found is not None:
            self._arcs[key] = found
        return found

    def add_arc(self, src: int, dst: int, kind: ArcKind, **values: Any) -> NDArray[np.void]:
        """Create an arc, or return the one that is there, writable."""
        found = self.arc(src, dst, kind)
        if found is None:
            found = self._arcs[(src, dst, int(kind))] = blank_arc(src, dst, kind, **values)
        return found

    def remove_arc(self, src: int, dst: int, kind: ArcKind) -> None:
        """Remove an arc if it is there."""
        self._arcs[(src, dst, int(kind))] = None

    def added(self) -> list[NDArray[np.void]]:
        """NODE records created in this draft, in order."""
        return [r for i, r in self._nodes.items() if r is not None and i not in self.graph]

    def reason(self, rule: str, **facts: Any) -> None:
        """Write down what a rule decided: ids and numbers, never words."""
        self.reasons.append({"rule": rule, **facts})

    def delta(self, kind: str, **fields: Any) -> Delta:
        """The Delta; records that end as they began are left out."""
        nodes = Changes.of(NODE, [(self._before(i), row) for i, row in self._nodes.items()])
        arcs = Changes.of(
            ARC,
            [(self.graph.find_arc(s, d, ArcKind(k)), row) for (s, d, k), row in self._arcs.items()],
        )
        fields.setdefault("tick_before", self.graph.tick)
        fields.setdefault("tick_after", self.graph.tick)
        return Delta(
            kind=kind,
            nodes=Changes.compose([nodes], NODE),
            arcs=Changes.compose([arcs], ARC),
            reasons=tuple(self.reasons),
            contents=tuple(self.contents),
            **fields,
        )

    def _before(self, node_id: int) -> NDArray[np.void] | None:
        return self.graph.node(node_id) if node_id in self.graph else None


def _key(arc: NDArray[np.void]) -> ArcKey:
    return int(arc["src"]), int(arc["dst"]), int(arc["kind"])
