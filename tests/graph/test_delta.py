"""Laws of Delta, Changes, Draft and Graph.apply."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from mags.errors import NotFound
from mags.graph.delta import Changes, Delta, Draft
from mags.graph.graph import FEW, LONG, Graph
from mags.graph.records import ARC, NODE, ArcKind, Content, NodeKind, blank_arc, blank_node
from tests.graph.deltas import ids, play, turns


def grown(count: int = 0) -> Graph:
    """A graph of `count` entities with ids from 1."""
    graph = Graph()
    nodes = [(None, blank_node(id=i, kind=NodeKind.ENTITY)) for i in range(1, count + 1)]
    graph.apply(Delta(kind="edit", nodes=Changes.of(NODE, nodes)))
    return graph


def arcs_delta(*images) -> Delta:
    return Delta(kind="edit", arcs=Changes.of(ARC, images))


@given(turns)
def test_apply_then_inverse_restores_the_digest(history):
    graph = Graph()
    for turn in history:
        before = graph.digest()
        delta = play(graph, turn)
        after = graph.digest()
        graph.apply(delta.inverse())
        assert graph.digest() == before
        graph.apply(delta)
        assert graph.digest() == after


@given(turns, st.integers(0, 5))
def test_a_composed_delta_does_what_its_parts_do(history, start):
    graph = Graph()
    for turn in history[:start]:
        play(graph, turn)
    before, other = graph.digest(), Graph.unpack(graph.packed(), graph.tick)
    parts = [play(graph, turn) for turn in history[start:]]
    if not parts:
        return
    net = Delta.compose(parts, "fold")
    other.apply(net)
    assert other.digest() == graph.digest()
    other.apply(net.inverse())
    assert other.digest() == before


@given(turns)
def test_the_inverse_of_an_inverse_is_the_change_itself(history):
    graph = Graph()
    for turn in history:
        delta = play(graph, turn)
        assert delta.nodes.inverse().inverse() == delta.nodes
        assert delta.arcs.inverse().inverse() == delta.arcs
        assert len(Delta.compose([delta, delta.inverse()], "x").nodes) == 0
        assert len(Delta.compose([delta, delta.inverse()], "x").arcs) == 0


@given(turns)
def test_applying_twice_is_applying_once(history):
    graph = Graph()
    for turn in history:
        delta = play(graph, turn)
        after = graph.digest()
        graph.apply(delta)
        assert graph.digest() == after


@given(turns)
def test_both_ends_of_structure_tell_the_same(history):
    graph = Graph()
    for turn in history:
        play(graph, turn)
    seen = [graph.arcs_to(int(i)) for i in graph.ids()]
    heads = np.sort(np.concatenate([*seen, np.zeros(0, ARC)]))
    tails = graph.arcs(ArcKind.NEXT, ArcKind.MENTIONS)
    assert heads.tobytes() == np.sort(tails).tobytes()


@given(turns)
def test_packing_keeps_the_digest(history):
    graph = Graph()
    for turn in history:
        play(graph, turn)
    assert Graph.unpack(graph.packed(), graph.tick).digest() == graph.digest()


@given(turns)
def test_a_drafted_delta_is_net_and_in_order_of_identity(history):
    graph = Graph()
    for turn in history:
        delta = play(graph, turn)
        assert delta.nodes == Changes.compose([delta.nodes], NODE)
        assert delta.arcs == Changes.compose([delta.arcs], ARC)


@given(turns)
def test_the_kinds_side_by_side_are_those_of_the_nodes(history):
    graph = Graph()
    for turn in history:
        play(graph, turn)
    for held in (graph, Graph.unpack(graph.packed(), graph.tick)):
        rows = held.where()
        assert held.kinds[rows].tolist() == held.nodes["kind"][rows].tolist()
        assert held.where(NodeKind.ENTITY).tolist() == rows.tolist()
        assert held.where(NodeKind.FACT).tolist() == []


@given(turns, st.lists(ids, max_size=3))
def test_a_replay_without_forgotten_nodes_is_the_graph_without_them(history, forgotten):
    graph, replayed = Graph(), Graph()
    gone = np.array(forgotten, np.int64)
    for turn in history:
        replayed.apply(play(graph, turn).forgetting(gone))
    play(graph, [("drop", i, i, ArcKind.NEXT, 0.0) for i in forgotten])
    replayed.tick = graph.tick
    assert replayed.digest() == graph.digest()


@given(turns, st.lists(ids, max_size=3))
def test_forgetting_reaches_who_still_holds_the_node_and_rollback_never_restores_it(
    history, forgotten
):
    graph = Graph()
    for turn in history:
        play(graph, turn)
    live = Graph.unpack(graph.packed(), graph.tick)
    removal = play(graph, [("drop", i, i, ArcKind.NEXT, 0.0) for i in forgotten])
    seen = removal.forgetting(np.array(forgotten, np.int64))
    live.apply(seen)
    assert live.digest() == graph.digest()
    live.apply(seen.inverse())
    assert not set(forgotten) & {int(i) for i in live.ids()}
    assert len(Delta.compose([seen], "x").nodes) == 0


def test_forgetting_drops_the_words_and_keeps_the_rest():
    graph = Graph()
    draft = Draft(graph)
    for i in (1, 2):
        draft.add_node(Content(id=i, node=i, text=f"word {i}"), id=i, kind=NodeKind.NOTE)
    draft.add_arc(1, 2, ArcKind.ASSOCIATION)
    left = draft.delta("edit").forgetting(np.array([1]))
    assert [content.text for content in left.contents] == ["word 2"]
    assert left.nodes.after["id"].tolist() == [2]
    assert len(left.arcs) == 0


def test_a_change_of_the_sign_of_zero_is_a_change():
    old, new = blank_node(id=1, strength=0.0), blank_node(id=1, strength=-0.0)
    assert len(Changes.compose([Changes.of(NODE, [(old, new)])], NODE)) == 1
    assert len(Changes.compose([Changes.of(NODE, [(old, old)])], NODE)) == 0


def test_compose_takes_the_first_before_and_the_last_after():
    records = [blank_node(id=7, uses=uses) for uses in range(3)]
    parts = [
        Changes.of(NODE, [(records[0], records[1])]),
        Changes.of(NODE, [(records[1], records[2])]),
    ]
    net = Changes.compose(parts, NODE)
    assert (net.before["uses"].tolist(), net.after["uses"].tolist()) == ([0], [2])
    assert (net.had.tolist(), net.has.tolist()) == ([True], [True])


def test_what_is_made_and_unmade_leaves_nothing():
    node = blank_node(id=7)
    parts = [Changes.of(NODE, [(None, node)]), Changes.of(NODE, [(node, None)])]
    assert len(Changes.compose(parts, NODE)) == 0


def test_absent_images_hold_their_identity_only():
    changes = Changes.of(ARC, [(None, blank_arc(3, 4, ArcKind.NEXT)), (None, None)])
    assert len(changes) == 1
    assert changes.before.tolist() == [(3, 4, 1, 0, 0, 0.0, 0, 0, 0, 0)]
    assert changes.had.tolist() == [False]


def test_altering_structure_alters_both_its_ends():
    graph = grown(2)
    old, new = blank_arc(1, 2, ArcKind.NEXT), blank_arc(1, 2, ArcKind.NEXT, uses=5, w=0.5)
    graph.apply(arcs_delta((None, old)))
    graph.apply(arcs_delta((old, new)))
    assert graph.arcs_from(1)["uses"].tolist() == [5]
    assert graph.arcs_to(2)["uses"].tolist() == [5]


def test_an_arc_at_an_unknown_node_is_refused():
    graph = grown(1)
    with pytest.raises(NotFound, match="not in this memory"):
        graph.apply(arcs_delta((None, blank_arc(1, 2, ArcKind.NEXT))))


def test_removing_what_is_not_there_changes_nothing():
    graph = grown(2)
    before = graph.digest()
    gone = [(blank_arc(1, 2, ArcKind.NEXT), None), (blank_arc(1, 99, ArcKind.NEXT), None)]
    graph.apply(Delta(kind="edit", nodes=Changes.of(NODE, [(blank_node(id=99), None)])))
    graph.apply(arcs_delta(*gone))
    assert graph.digest() == before
    assert 99 not in graph.row_of


@pytest.mark.parametrize("count", [FEW, FEW + 1, LONG + 1, 3 * LONG])
@pytest.mark.parametrize("kind", [ArcKind.MENTIONS, ArcKind.ASSOCIATION])
def test_a_hub_loses_exactly_the_arcs_that_are_cut(count: int, kind: ArcKind):
    graph = grown(4 * LONG)
    heads = range(2, 4 * LONG)
    graph.apply(arcs_delta(*[(None, blank_arc(1, i, kind, uses=i)) for i in heads]))
    whole = graph.digest()
    cut = list(heads)[::2][:count]
    delta = arcs_delta(*[(blank_arc(1, i, kind, uses=i), None) for i in cut])
    graph.apply(delta)
    left = graph.arcs_from(1)
    assert sorted(left["dst"].tolist()) == sorted(set(heads) - set(cut))
    assert (left["uses"] == left["dst"]).all()
    graph.apply(delta.inverse())
    assert graph.digest() == whole


def test_many_arcs_at_a_hub_are_altered_at_once():
    graph = grown(4 * LONG)
    heads = range(2, 4 * LONG)
    arcs = [blank_arc(1, i, ArcKind.ASSOCIATION) for i in heads]
    graph.apply(arcs_delta(*[(None, arc) for arc in arcs]))
    new = [blank_arc(1, i, ArcKind.ASSOCIATION, uses=i) for i in heads]
    graph.apply(arcs_delta(*zip(arcs, new, strict=True)))
    seen = graph.arcs_from(1)
    assert (seen["uses"] == seen["dst"]).all()
    assert len(seen) == len(heads)


def test_rows_are_found_in_bulk_as_one_by_one():
    count = 5000
    graph = grown(count)
    at = np.arange(1, count, dtype=np.int64)
    arcs = np.zeros(len(at), ARC)
    arcs["src"], arcs["dst"], arcs["kind"] = at, at + 1, ArcKind.NEXT
    none, all_ = np.zeros(len(at), np.bool_), np.ones(len(at), np.bool_)
    graph.apply(Delta(kind="import", arcs=Changes(arcs.copy(), arcs, none, all_)))
    assert graph.targets(1, ArcKind.NEXT) == [2]
    assert graph.origins(count, ArcKind.NEXT) == [count - 1]
    assert len(graph.arcs()) == count - 1


def test_a_draft_reads_its_own_changes():
    draft = Draft(grown(2))
    draft.node(1)["uses"] = 3
    assert int(draft.peek(1)["uses"][0]) == 3
    assert draft.graph.node(1)["uses"][0] == 0
    draft.add_arc(1, 2, ArcKind.ASSOCIATION, w=0.5)
    assert draft.arc(1, 2, ArcKind.ASSOCIATION)["w"][0] == 0.5
    draft.remove_arc(1, 2, ArcKind.ASSOCIATION)
    assert draft.arc(1, 2, ArcKind.ASSOCIATION) is None


def test_a_node_removed_in_a_draft_stays_removed():
    draft = Draft(grown(2))
    draft.remove_node(1)
    for read in (draft.node, draft.peek, draft.remove_node):
        with pytest.raises(NotFound, match="node 1 was removed"):
            read(1)
    assert draft.delta("edit").nodes.removed()["id"].tolist() == [1]


def test_a_node_made_and_removed_in_a_draft_leaves_no_words():
    draft = Draft(grown(0))
    draft.add_node(Content(id=1, node=1, text="a word"), id=1, kind=NodeKind.NOTE)
    draft.remove_node(1)
    delta = draft.delta("edit")
    assert (len(delta.nodes), delta.contents) == (0, ())


def test_removing_a_node_removes_every_arc_at_it_once():
    graph = grown(3)
    for a, b, kind in [
        (1, 2, ArcKind.NEXT),
        (3, 1, ArcKind.MENTIONS),
        (2, 1, ArcKind.ASSOCIATION),
        (1, 1, ArcKind.ASSOCIATION),
    ]:
        graph.apply(arcs_delta((None, blank_arc(a, b, kind))))
    assert len(graph.arcs_at(1)) == 4
    draft = Draft(graph)
    draft.remove_node(1)
    graph.apply(draft.delta("edit"))
    assert len(graph.arcs()) == 0
    assert graph.adjacency.length[: graph.size].sum() == 0
