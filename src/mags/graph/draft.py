"""Draft: collects changes against a graph and becomes one Delta."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.errors import NotFound
from mags.graph.delta import Changes, Delta
from mags.graph.edge import ARC, ArcKind, blank_arc
from mags.graph.graph import Graph
from mags.graph.node import NODE, Content, blank_node

ArcKey = tuple[int, int, int]
Image = NDArray[np.void] | None
"""A record of shape (1,), or None for absence."""


_FRESH_NODE = dict(zip(NODE.names or (), blank_node()[0].tolist(), strict=True))
_FRESH_ARC = dict(zip(ARC.names or (), blank_arc(0, 0, ArcKind.NEXT)[0].tolist(), strict=True))


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
        """A writable NODE record of shape (1,); changes to it are part of the draft.

        Raises NotFound for a node that is not there or was removed in this draft.
        """
        row = self._nodes[node_id] = self._pending(node_id)
        return row

    def peek(self, node_id: int) -> NDArray[np.void]:
        """The NODE record as it would be, not to be written to; raises NotFound."""
        if node_id not in self._nodes:
            return self.graph.view(node_id)
        return self._pending(node_id)

    def _pending(self, node_id: int) -> NDArray[np.void]:
        if node_id not in self._nodes:
            return self.graph.node(node_id)
        row = self._nodes[node_id]
        if row is None:
            raise NotFound(f"node {node_id} was removed in this draft", node_id=node_id)
        return row

    def add_node(self, content: Content | None = None, /, **values: Any) -> NDArray[np.void]:
        """Create a node (`id` and `kind` among the values), with its words."""
        if content is not None:
            values["content"] = content.id
            self.contents.append(content)
        row = _record(NODE, {**_FRESH_NODE, **values})
        self._nodes[int(row["id"][0])] = row
        return row

    def remove_node(self, node_id: int) -> None:
        """Remove a node, every arc at it, and what was drafted of it; raises NotFound."""
        self._pending(node_id)
        for arc in self.graph.arcs_at(node_id) if node_id in self.graph else ():
            self._arcs[_key(arc)] = None
        for key in [k for k in self._arcs if node_id in k[:2]]:
            self._arcs[key] = None
        self._nodes[node_id] = None
        self.contents = [content for content in self.contents if content.node != node_id]

    def arc(self, src: int, dst: int, kind: ArcKind) -> NDArray[np.void] | None:
        """A writable ARC record of shape (1,), or None where there is none."""
        key = (src, dst, int(kind))
        if key in self._arcs:
            return self._arcs[key]
        if src not in self.graph or dst not in self.graph:
            return None
        found = self.graph.find_arc(src, dst, kind)
        if found is not None:
            self._arcs[key] = found
        return found

    def add_arc(self, src: int, dst: int, kind: ArcKind, **values: Any) -> NDArray[np.void]:
        """Create an arc, or return the one that is there, writable."""
        found = self.arc(src, dst, kind)
        if found is None:
            ends = {"src": src, "dst": dst, "kind": int(kind)}
            found = _record(ARC, {**_FRESH_ARC, **ends, **values})
            self._arcs[(src, dst, int(kind))] = found
        return found

    def add_arcs(self, records: NDArray[np.void]) -> None:
        """Put arcs as they are given, ARC records of shape (n,), new or in place of old ones."""
        names = ("src", "dst", "kind")
        for i, key in enumerate(zip(*(records[name].tolist() for name in names), strict=True)):
            self._arcs[key] = records[i : i + 1]

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
        nodes = [(self._before(i), self._nodes[i]) for i in sorted(self._nodes)]
        keys = sorted(self._arcs)
        arcs = zip(self.graph.find_arcs(keys), map(self._arcs.__getitem__, keys), strict=True)
        fields.setdefault("tick_before", self.graph.tick)
        fields.setdefault("tick_after", self.graph.tick)
        return Delta(
            kind=kind,
            nodes=Changes.of(NODE, filter(_differs, nodes)),
            arcs=Changes.of(ARC, filter(_differs, arcs)),
            reasons=tuple(self.reasons),
            contents=tuple(self.contents),
            **fields,
        )

    def _before(self, node_id: int) -> Image:
        return self.graph.view(node_id) if node_id in self.graph else None


def _record(dtype: np.dtype[np.void], values: Mapping[str, Any]) -> NDArray[np.void]:
    """A record of shape (1,) from all its fields in order: one call, not one a field."""
    return np.array([tuple(values.values())], dtype)


def _differs(images: tuple[Image, Image]) -> bool:
    before, after = images
    if before is None or after is None:
        return before is not after
    return before.tobytes() != after.tobytes()


def _key(arc: NDArray[np.void]) -> ArcKey:
    return int(arc["src"]), int(arc["dst"]), int(arc["kind"])
