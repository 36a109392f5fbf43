"""The laws of sleep, on memories of every shape."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mags.graph.delta import Delta, Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcFlag, ArcKind, NodeFlag, arc_charge
from mags.plasticity.cycle import RULES, Sleep, SleepSettings, Slept, rebase
from mags.plasticity.frozen import FrozenGraph
from mags.plasticity.importance import Importance
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.rules import Capacity, Decay, Prune
from tests.plasticity.worlds import TICK, Words, clique, graphs, world

SMALL = SleepSettings(
    crowding=Crowding(keeps=3),
    birth=Birth(share=0.5),
    importance=Importance(),
    capacity=Capacity(max_nodes=6, max_edges=60),
)
"""Numbers at which every rule has something to do in a memory of twelve nodes."""

seeds = st.integers(0, 2**32 - 1)


def sleep(graph: Graph, seed: int = 0, sleeping: SleepSettings = SMALL) -> Slept:
    rng = np.random.default_rng(seed)
    return Sleep(sleeping)(graph, rng=rng, now_s=1.0, scribe=Words().scribe())


def keyed(arcs: NDArray[np.void]) -> dict[tuple[int, int, int], NDArray[np.void]]:
    return {(int(a["src"]), int(a["dst"]), int(a["kind"])): a for a in arcs}


@given(graphs(), st.integers(1, 3000))
def test_decay_alone_makes_every_unsolid_association_fall_without_use(graph, ticks):
    before = graph.arcs(ArcKind.ASSOCIATION)
    was = arc_charge(before, TICK)
    graph.apply(Decay()(FrozenGraph.of(graph), np.random.default_rng(0)))
    after = graph.arcs(ArcKind.ASSOCIATION)
    assert list(keyed(after)) == list(keyed(before))
    now = arc_charge(after, TICK)
    assert (now <= was).all()
    later = arc_charge(after, TICK + ticks)
    solid = (after["flags"] & ArcFlag.SOLID) != 0
    assert (later[solid] == was[solid]).all()
    assert ((later < was) | (was < 1e-30))[~solid].all()


@given(graphs())
def test_prune_alone_takes_no_solid_and_no_core_arc_and_no_structure(graph):
    frozen = FrozenGraph.of(graph)
    spared = frozen.solid | frozen.core_arcs | (frozen.arcs["kind"] != ArcKind.ASSOCIATION)
    graph.apply(Prune(floor=0.5)(frozen, np.random.default_rng(0)))
    left = keyed(graph.arcs())
    assert set(keyed(frozen.arcs[spared])) <= set(left)
    assert all(left[key] == arc for key, arc in keyed(frozen.arcs).items() if key in left)


@given(
    st.integers(2, 12), st.integers(1, 900), st.sampled_from([0.25, 0.6, 1.0]), st.integers(0, 9)
)
def test_an_isolated_clique_never_dies_faster_than_a_lone_edge(size, every, weight, uses):
    edge, whole = world(2, clique([1, 2])), world(size, clique(range(1, size + 1)))
    for graph in (edge, whole):
        arcs = graph.arcs()
        arcs["w"], arcs["uses"] = weight, uses
        _overwrite(graph, arcs)
    rules = SleepSettings().without("crowding", "birth", "solidify", "regions", "consolidate")
    for _ in range(12):
        for graph in (edge, whole):
            _pass_ticks(graph, every)
            graph.apply(sleep(graph, sleeping=rules).delta)
        lone = arc_charge(edge.arcs(), edge.tick)
        held = arc_charge(whole.arcs(), whole.tick)
        if len(lone):
            assert len(held) == size * (size - 1)
            assert held.min() >= lone.max() * (1 - 1e-6)


def _overwrite(graph: Graph, arcs: NDArray[np.void]) -> None:
    draft = Draft(graph)
    for row in arcs:
        draft.arc(int(row["src"]), int(row["dst"]), ArcKind.ASSOCIATION)[:] = row
    graph.apply(draft.delta("edit"))


def _pass_ticks(graph: Graph, ticks: int) -> None:
    graph.apply(Delta(kind="ask", tick_before=graph.tick, tick_after=graph.tick + ticks))


@given(graphs(), seeds)
def test_sleep_is_deterministic_for_a_seed(graph, seed):
    first, second = sleep(graph, seed), sleep(graph, seed)
    assert first.delta.nodes == second.delta.nodes
    assert first.delta.arcs == second.delta.arcs
    assert [c.text for c in first.delta.contents] == [c.text for c in second.delta.contents]
    assert first.report == second.report


@given(graphs(), seeds)
def test_sleep_does_not_depend_on_the_order_of_rows(graph, seed):
    other = Graph()
    ids = graph.ids()[::-1].tolist()
    draft = Draft(other)
    for node_id in ids:
        draft.add_node(id=node_id)[:] = graph.node(node_id)
    for arc in graph.arcs()[::-1]:
        draft.add_arc(int(arc["src"]), int(arc["dst"]), ArcKind(int(arc["kind"])))[:] = arc
    other.apply(draft.delta("import", tick_after=graph.tick))
    assert other.digest() == graph.digest()
    here, there = sleep(graph, seed).delta, sleep(other, seed).delta
    assert (here.nodes, here.arcs) == (there.nodes, there.arcs)


@given(graphs(), seeds)
def test_weights_stay_in_0_1_structure_stays_and_nothing_disappears(graph, seed):
    nodes, structure = set(graph.ids().tolist()), keyed(graph.arcs(*list(ArcKind)[:7]))
    slept = sleep(graph, seed)
    graph.apply(slept.delta)
    arcs = graph.arcs()
    assert ((arcs["w"] >= 0) & (arcs["w"] <= 1)).all()
    assert nodes <= set(graph.ids().tolist())
    left = keyed(arcs)
    assert all(left[key] == arc for key, arc in structure.items())
    fresh = {key for key in left if key[2] != ArcKind.ASSOCIATION} - set(structure)
    assert {kind for _, _, kind in fresh} <= {int(ArcKind.MEMBER)}
    assert graph.tick == TICK


@given(graphs(), seeds)
def test_a_sleep_is_undone_by_its_inverse(graph, seed):
    before = graph.digest()
    delta = sleep(graph, seed).delta
    graph.apply(delta)
    graph.apply(delta.inverse())
    assert graph.digest() == before


@given(graphs(), seeds)
def test_what_the_rules_saw_step_by_step_is_what_the_delta_makes(graph, seed):
    frozen = FrozenGraph.of(graph)
    rng = np.random.default_rng(seed)
    deltas = []
    for name in RULES:
        deltas.append(getattr(SMALL, name)(frozen, rng))
        frozen = frozen.after(deltas[-1])
    graph.apply(Delta.compose(deltas, "sleep"))
    again = FrozenGraph.of(graph)
    assert again.nodes.tobytes() == frozen.nodes.tobytes()
    assert again.arcs.tobytes() == frozen.arcs.tobytes()
    assert again.charge.tobytes() == frozen.charge.tobytes()
    assert again.net.indices.tolist() == frozen.net.indices.tolist()


@given(graphs(), st.integers(1, 6))
def test_crowding_keeps_the_strongest(graph, keeps):
    frozen = FrozenGraph.of(graph)
    delta = Crowding(keeps=keeps)(frozen, np.random.default_rng(0))
    weakened = set(keyed(delta.arcs.before))
    for node in frozen.ids.tolist():
        own = [i for i in np.flatnonzero(frozen.live) if frozen.arcs["src"][i] == node]
        own.sort(key=lambda i: -frozen.charge[i])
        assert not weakened & set(keyed(frozen.arcs[own[:keeps]]))
    worth = arc_charge(delta.arcs.after, TICK)
    assert worth == pytest.approx(0.8 * arc_charge(delta.arcs.before, TICK), rel=1e-6)


@given(graphs(), seeds, st.sampled_from([0.01, 0.1, 1.0]))
def test_births_are_bounded_and_join_the_best_supported_strangers(graph, seed, share):
    frozen = FrozenGraph.of(graph)
    delta = Birth(share=share)(frozen, np.random.default_rng(seed))
    edges = {frozenset(key[:2]) for key in keyed(frozen.arcs[frozen.live])}
    friends = {i: set() for i in frozen.ids.tolist()}
    for a, b in map(tuple, edges):
        friends[a].add(b)
        friends[b].add(a)
    linked = {frozenset(key[:2]) for key in keyed(frozen.arcs)}
    common = {
        frozenset(pair): len(friends[pair[0]] & friends[pair[1]])
        for pair in permutations(friends, 2)
        if frozenset(pair) not in linked
    }
    may = sorted((n for n in common.values() if n >= 3), reverse=True)
    born = {frozenset(key[:2]) for key in keyed(delta.arcs.after)}
    assert len(born) == min(len(may), max(1, int(share * len(edges))))
    assert len(delta.arcs) == 2 * len(born)
    assert sorted((common[pair] for pair in born), reverse=True) == may[: len(born)]
    assert not (delta.arcs.after["w"] != 0.25).any()


@given(graphs(), st.sampled_from([0.05, 0.3]))
def test_births_are_bounded_by_the_tick_and_not_by_how_often_it_sleeps(graph, share):
    born = 0
    for seed in range(4):
        delta = Birth(share=share)(FrozenGraph.of(graph), np.random.default_rng(seed))
        graph.apply(delta)
        born += len(delta.arcs) // 2
        edges = len(FrozenGraph.of(graph).net.indices) // 2
        assert born <= max(1, int(share * edges))


@given(graphs(), seeds)
def test_an_unchanged_graph_takes_the_whole_sleep(graph, seed):
    delta = sleep(graph, seed).delta
    rebased = rebase(delta, graph)
    assert (rebased.nodes, rebased.arcs) == (delta.nodes, delta.arcs)
    assert rebased.contents == delta.contents


@given(graphs(), seeds, st.data())
def test_what_changed_meanwhile_is_left_alone(graph, seed, data):
    delta = sleep(graph, seed).delta
    arcs = graph.arcs(ArcKind.ASSOCIATION)
    draft = Draft(graph)
    touched: list[NDArray[np.void]] = []
    if len(arcs):
        for i in data.draw(st.lists(st.integers(0, len(arcs) - 1), unique=True, max_size=5)):
            arc = draft.arc(int(arcs["src"][i]), int(arcs["dst"][i]), ArcKind.ASSOCIATION)
            arc["uses"] += 1
            touched.append(arc)
    gone = int(data.draw(st.sampled_from(graph.ids().tolist())))
    draft.remove_node(gone)
    graph.apply(draft.delta("edit", tick_after=TICK + 1))
    rebased = rebase(delta, graph)
    graph.apply(rebased)
    assert gone not in graph
    assert graph.tick == TICK + 1
    left = keyed(graph.arcs())
    assert all(gone not in key[:2] for key in left)
    for arc in touched:
        key = (int(arc["src"][0]), int(arc["dst"][0]), int(ArcKind.ASSOCIATION))
        if gone not in key[:2]:
            assert left[key] == arc[0]
    assert len(rebased.arcs) + len(rebased.nodes) <= len(delta.arcs) + len(delta.nodes)


@given(graphs(), seeds)
def test_capacity_is_kept_and_pinned_nodes_stay_warm(graph, seed):
    pinned = [int(n["id"]) for n in graph.nodes[graph.where()] if n["flags"] & NodeFlag.PINNED]
    warm_before = {
        int(n["id"]) for n in graph.nodes[graph.where()] if not n["flags"] & NodeFlag.COLD
    }
    graph.apply(Capacity(max_nodes=3)(FrozenGraph.of(graph), np.random.default_rng(seed)))
    nodes = graph.nodes[graph.where()]
    warm = {int(n["id"]) for n in nodes if not n["flags"] & NodeFlag.COLD}
    assert warm <= warm_before
    assert set(pinned) <= warm | (set(pinned) - warm_before)
    assert len(warm) == min(len(warm_before), max(3, len(set(pinned) & warm_before)))
