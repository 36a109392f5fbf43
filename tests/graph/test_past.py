"""All that a memory ever was, gathered from Deltas."""

import pytest

from mags.graph import delta as module
from mags.graph.delta import Changes, Delta, PastGraph
from mags.graph.records import ARC, NODE, ArcKind, NodeFlag, NodeKind, blank_arc, blank_node


def delta(kind: str, nodes: list, arcs: list) -> Delta:
    return Delta(kind=kind, nodes=Changes.of(NODE, nodes), arcs=Changes.of(ARC, arcs))


DELTAS = [
    delta(
        "observe",
        [(None, blank_node(id=i, kind=NodeKind.EPISODE)) for i in (4, 2)],
        [(None, blank_arc(4, 2, ArcKind.NEXT)), (None, blank_arc(4, 2, ArcKind.ASSOCIATION))],
    ),
    delta(
        "pin",
        [
            (
                blank_node(id=2, kind=NodeKind.EPISODE),
                blank_node(id=2, kind=NodeKind.EPISODE, flags=int(NodeFlag.PINNED)),
            )
        ],
        [],
    ),
    delta(
        "assert",
        [(None, blank_node(id=9, kind=NodeKind.FACT, flags=int(NodeFlag.GIVEN)))],
        [],
    ),
    delta(
        "rollback",
        [
            (blank_node(id=4, kind=NodeKind.EPISODE), None),
            (
                blank_node(id=9, kind=NodeKind.FACT, flags=int(NodeFlag.GIVEN)),
                blank_node(id=9, kind=NodeKind.FACT),
            ),
        ],
        [(blank_arc(4, 2, ArcKind.NEXT), None)],
    ),
]


@pytest.mark.parametrize("at_once", [1, 2, 1_000])
def test_every_node_is_there_once_as_it_was_last_and_every_link_once(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    found = PastGraph.of(iter(DELTAS))
    assert found.nodes["id"].tolist() == [2, 4, 9]
    assert found.nodes["flags"].tolist() == [int(NodeFlag.PINNED), 0, 0]
    assert found.given.tolist() == [9], "though it was taken back"
    assert found.links.tolist() == [(4, 2, int(ArcKind.NEXT))]


def test_nothing_was_where_nothing_was_written() -> None:
    found = PastGraph.of([])
    assert (len(found.nodes), len(found.links), len(found.given)) == (0, 0, 0)
