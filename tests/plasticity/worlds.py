"""Small memories to sleep over, and words for them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcFlag, ArcKind, Content, NodeFlag, NodeKind
from mags.plasticity.themes import ThemeWriter

Arc = tuple[int, int, dict[str, Any]]


def world(
    nodes: int | Mapping[int, dict[str, Any]],
    arcs: Iterable[Arc] = (),
    structure: Iterable[tuple[int, int, ArcKind]] = (),
    tick: int = 0,
) -> Graph:
    """A graph of nodes 1..n (or as given), associations (src, dst, fields) and structure."""
    graph = Graph()
    draft = Draft(graph)
    given = nodes if isinstance(nodes, Mapping) else {i: {} for i in range(1, nodes + 1)}
    for node_id, fields in given.items():
        draft.add_node(id=node_id, **{"kind": NodeKind.FACT, **fields})
    for src, dst, kind in structure:
        draft.add_arc(src, dst, kind)
    for src, dst, fields in arcs:
        draft.add_arc(src, dst, ArcKind.ASSOCIATION, **fields)
    graph.apply(draft.delta("import", tick_after=tick))
    return graph


def clique(ids: Sequence[int], **fields: Any) -> list[Arc]:
    """Associations between all of them, both ways."""
    return [(a, b, dict(fields)) for a, b in permutations(ids, 2)]


def both_ways(*pairs: tuple[int, int], **fields: Any) -> list[Arc]:
    """Associations of those pairs, both ways."""
    return [(a, b, dict(fields)) for pair in pairs for a, b in (pair, pair[::-1])]


def arc(graph: Graph, src: int, dst: int) -> NDArray[np.void]:
    """An association that must be there."""
    found = graph.find_arc(src, dst, ArcKind.ASSOCIATION)
    assert found is not None
    return found


class Words:
    """Contents, vectors and ids for a small memory; every text embeds by its length."""

    def __init__(self, texts: Mapping[int, str] | None = None, first_id: int = 1000):
        self.texts = dict(texts or {})
        self.next = first_id

    def take(self, n: int = 1) -> int:
        first = self.next
        self.next += n
        return first

    def words(self, ids: Sequence[int]) -> list[Content]:
        return [Content(id=i, node=i, text=self.texts.get(i, f"Text {i}.")) for i in ids]

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        angle = np.asarray(ids, np.float32) / 100
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.vectors([len(text) for text in texts])

    def scribe(self) -> ThemeWriter:
        return ThemeWriter(words=self.words, vectors=self.vectors, embed=self.embed, ids=self)


TICK = 5_000


@st.composite
def graphs(draw: st.DrawFn, *, most_nodes: int = 12) -> Graph:
    """A memory at tick 5,000: dense or thin, with solid arcs, structure, cold and pinned nodes."""
    n = draw(st.integers(2, most_nodes))
    share = draw(st.sampled_from([0.1, 0.3, 0.6, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    flags = [0, 0, 0, int(NodeFlag.COLD), int(NodeFlag.PINNED)]
    kinds = [NodeKind.EPISODE, NodeKind.ENTITY, NodeKind.FACT]
    nodes = {
        i: {
            "kind": rng.choice(kinds),
            "flags": int(rng.choice(flags)),
            "importance": rng.random(),
            "strength_tick": int(rng.integers(TICK)),
        }
        for i in range(1, n + 1)
    }
    arcs = [
        (a, b, _fields(rng)) for a, b in permutations(range(1, n + 1), 2) if rng.random() < share
    ]
    structure = [
        (a, b, ArcKind(int(rng.integers(1, 8))))
        for a, b in permutations(range(1, n + 1), 2)
        if rng.random() < 0.2
    ]
    return world(nodes, arcs, structure, tick=TICK)


def _fields(rng: np.random.Generator) -> dict[str, Any]:
    uses = int(rng.integers(0, 20))
    return {
        "w": rng.random(),
        "t0": int(rng.integers(0, TICK + 1)),
        "uses": uses,
        "days": int(rng.integers(0, uses + 1)),
        "support": int(rng.integers(0, 5)),
        "flags": int(ArcFlag.SOLID) if rng.random() < 0.1 else 0,
    }
