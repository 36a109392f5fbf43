"""Random memories: sequences of Deltas, each drafted against what the ones before it left."""

from collections.abc import Sequence

from hypothesis import strategies as st

from mags.graph.delta import Delta, Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeKind

Step = tuple[str, int, int, ArcKind, float]

ids = st.integers(1, 9)
steps = st.tuples(
    st.sampled_from(["node", "touch", "drop", "arc", "arc", "arc", "weigh", "cut"]),
    ids,
    ids,
    st.sampled_from([ArcKind.NEXT, ArcKind.MENTIONS, ArcKind.ASSOCIATION]),
    st.sampled_from([0.0, -0.0, 0.25, 1.0]),
)
turns = st.lists(st.lists(steps, max_size=12), max_size=6)


def draft_step(draft: Draft, alive: set[int], step: Step) -> None:
    """Do one step where it makes sense; `alive` follows which nodes there are."""
    what, a, b, kind, weight = step
    if what == "node" and a not in alive:
        draft.add_node(id=a, kind=NodeKind.ENTITY, strength=weight)
        alive.add(a)
    elif what == "touch" and a in alive:
        draft.node(a)["strength"] = weight
    elif what == "drop" and a in alive:
        draft.remove_node(a)
        alive.discard(a)
    elif what == "arc" and a in alive and b in alive:
        draft.add_arc(a, b, kind, w=weight)["uses"] += 1
    elif what == "weigh" and a in alive and b in alive:
        arc = draft.arc(a, b, kind)
        if arc is not None:
            arc["w"] = weight
    elif what == "cut":
        draft.remove_arc(a, b, kind)


def play(graph: Graph, turn: Sequence[Step], key: str | None = None) -> Delta:
    """Draft a turn's steps against a graph and apply the Delta."""
    draft = Draft(graph)
    alive = {int(i) for i in graph.ids()}
    for step in turn:
        draft_step(draft, alive, step)
    delta = draft.delta("edit", tick_after=graph.tick + 1, key=key)
    graph.apply(delta)
    return delta
