"""Each rule of sleep, by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcFlag, ArcKind, NodeFlag, NodeKind, arc_charge
from mags.plasticity.cycle import Rule
from mags.plasticity.frozen import FrozenGraph
from mags.plasticity.life import Birth, Crowding
from mags.plasticity.rules import (
    Capacity,
    Decay,
    LowDegree,
    Prune,
    Solidify,
    coldest_first,
    graph_bytes,
)
from tests.plasticity.worlds import arc, both_ways, clique, graphs, world

SQUARE = ((1, 2), (2, 3), (3, 4), (4, 1))


def apply(rule: Rule, graph: Graph, seed: int = 0) -> Graph:
    graph.apply(rule(FrozenGraph.of(graph), np.random.default_rng(seed)))
    return graph


# -- decay ------------------------------------------------------------------------------


def test_support_is_the_number_of_live_triangles_counted_up_to_four():
    graph = apply(Decay(), world(7, clique(range(1, 8), w=0.5)))
    assert set(graph.arcs()["support"].tolist()) == {4}
    graph = apply(Decay(), world(5, clique(range(1, 6), w=0.5)))
    assert set(graph.arcs()["support"].tolist()) == {3}


def test_one_triangle_is_lonely_and_two_are_not():
    triangle = world(3, clique([1, 2, 3], w=0.5))
    assert set(apply(Decay(), triangle).arcs()["support"].tolist()) == {0}
    assert set(apply(Decay(lonely_under=0), triangle).arcs()["support"].tolist()) == {1}
    four = world(4, clique([1, 2, 3, 4], w=0.5))
    assert set(apply(Decay(), four).arcs()["support"].tolist()) == {2}


def test_without_fading_sleep_brings_back_what_faded():
    graph = world(3, clique([1, 2, 3], w=0.5))
    graph.tick = 3_000
    assert (arc_charge(graph.arcs(), graph.tick) < 0.1).all()
    graph = apply(Decay(fades=False), graph)
    assert (arc_charge(graph.arcs(), graph.tick) == 0.5).all()


def test_only_live_edges_lend_support():
    arcs = [*clique([1, 2, 3, 4], w=0.5)]
    arcs = [(a, b, {"w": 0.1} if {a, b} == {1, 2} else fields) for a, b, fields in arcs]
    graph = apply(Decay(lonely_under=0), world(4, arcs))
    assert arc(graph, 1, 2)["support"] == 2
    assert arc(graph, 3, 4)["support"] == 2
    assert arc(graph, 1, 3)["support"] == 1


def test_an_association_is_stored_anew_only_when_its_half_life_changes():
    graph = world(5, [*clique([1, 2, 3, 4], w=0.8), *both_ways((4, 5), w=0.8)], tick=1000)
    apply(Decay(), graph)
    assert arc(graph, 4, 5)[["w", "t0", "support"]].tolist() == [(np.float32(0.8), 0, 0)]
    held = arc(graph, 1, 2)
    assert held["w"][0] == pytest.approx(0.4)
    assert held["t0"][0] == 1000
    assert arc_charge(held, 4000)[0] == pytest.approx(0.2)  # half-life 1,000 x 3


# -- life -------------------------------------------------------------------------------


def star(n: int, **fields: object) -> Graph:
    """Node 1 with n associations of rising weight, the strongest to the highest id."""
    arcs = [(1, i + 2, {"w": 0.3 + 0.02 * i, **fields}) for i in range(n)]
    return world(n + 1, arcs, tick=50)


def test_crowding_keeps_the_24_strongest():
    graph = star(27)
    now = arc_charge(graph.arcs(), 50)
    apply(Crowding(), graph)
    then = arc_charge(graph.arcs(), 50)
    assert then[:3] == pytest.approx(0.8 * now[:3])
    assert then[3:].tolist() == now[3:].tolist()


def test_24_live_associations_are_no_crowd():
    graph = star(24)
    assert len(Crowding()(FrozenGraph.of(graph), np.random.default_rng(0)).arcs) == 0


def test_crowding_spares_what_was_used_lately_and_what_is_solid():
    assert len(Crowding()(FrozenGraph.of(star(27, t0=1)), np.random.default_rng(0)).arcs) == 0
    solid = star(27, flags=int(ArcFlag.SOLID))
    assert len(Crowding()(FrozenGraph.of(solid), np.random.default_rng(0)).arcs) == 0


def test_two_nodes_with_three_live_neighbours_in_common_become_associated():
    around = both_ways(*[(a, b) for a in (1, 2) for b in (3, 4, 5)], w=0.5)
    graph = world(5, around, tick=7)
    apply(Birth(share=1.0), graph)
    born = arc(graph, 1, 2)
    assert born[["w", "t0", "support", "uses"]].tolist() == [(0.25, 7, 3, 0)]
    assert len(graph.find_arc(2, 1, ArcKind.ASSOCIATION)) == 1
    assert graph.find_arc(3, 4, ArcKind.ASSOCIATION) is None  # only two in common


def test_what_is_linked_by_structure_is_not_born():
    around = both_ways(*[(a, b) for a in (1, 2) for b in (3, 4, 5)], w=0.5)
    graph = world(5, around, structure=[(2, 1, ArcKind.SOURCE)], tick=7)
    assert len(Birth()(FrozenGraph.of(graph), np.random.default_rng(0)).arcs) == 0


def test_a_hub_is_no_common_neighbour():
    around = both_ways(*[(a, b) for a in (1, 2) for b in (3, 4, 5)], w=0.5)
    graph = world(7, [*around, *both_ways((3, 6), (3, 7), w=0.5)], tick=7)
    assert len(Birth(hub=4)(FrozenGraph.of(graph), np.random.default_rng(0)).arcs) == 2
    assert len(Birth(hub=3)(FrozenGraph.of(graph), np.random.default_rng(0)).arcs) == 0


def test_births_stay_within_their_share_of_the_live_edges():
    left, right = range(1, 21), range(21, 31)
    graph = world(30, both_ways(*[(a, b) for a in left for b in right], w=0.5), tick=7)
    rng = np.random.default_rng(0)
    assert len(Birth(share=0.05)(FrozenGraph.of(graph), rng).arcs) == 2 * 10  # of 200 live edges
    assert len(Birth(share=0.001)(FrozenGraph.of(graph), rng).arcs) == 2  # one pair at least


def test_chance_chooses_between_equally_supported_births():
    left, right = range(1, 21), range(21, 31)
    arcs = both_ways(*[(a, b) for a in left for b in right], w=0.5)
    frozen = FrozenGraph.of(world(30, arcs, tick=7))
    born = [Birth()(frozen, np.random.default_rng(seed)).arcs for seed in (1, 1, 2)]
    assert born[0] == born[1]
    assert born[0] != born[2]


# -- prune, solidify --------------------------------------------------------------------


def test_prune_takes_what_is_under_its_floor():
    graph = world(3, [(1, 2, {"w": 0.0199}), (2, 3, {"w": 0.0201}), (3, 1, {"w": 0.5})])
    apply(Prune(), graph)
    assert [(int(a["src"]), int(a["dst"])) for a in graph.arcs()] == [(2, 3), (3, 1)]


def test_prune_reads_the_charge_and_not_the_stored_weight():
    graph = world(2, both_ways((1, 2), w=0.5), tick=5000)  # five half-lives: 0.0156
    assert len(apply(Prune(), graph).arcs()) == 0


def test_prune_spares_solid_arcs_and_those_of_a_dense_core():
    solid = world(2, [(1, 2, {"w": 0.001, "flags": int(ArcFlag.SOLID)})])
    assert len(apply(Prune(), solid).arcs()) == 1
    core = [(a, b, f) for a, b, f in clique([1, 2, 3, 4, 5], w=0.9) if {a, b} != {1, 2}]
    graph = world(6, [*core, (1, 2, {"w": 0.001}), (1, 6, {"w": 0.001})])
    apply(Prune(), graph)
    assert graph.find_arc(1, 2, ArcKind.ASSOCIATION) is not None
    assert graph.find_arc(1, 6, ArcKind.ASSOCIATION) is None


PROVEN = {"w": 0.6, "uses": 12, "days": 6}


@pytest.mark.parametrize(
    ("short", "solid"),
    [({}, True), ({"w": 0.59}, False), ({"uses": 11}, False), ({"days": 5}, False)],
)
def test_strong_and_often_used_on_many_days_turns_solid(short: dict[str, float], solid: bool):
    graph = apply(Solidify(), world(2, [(1, 2, {**PROVEN, **short})]))
    assert bool(arc(graph, 1, 2)["flags"][0] & ArcFlag.SOLID) is solid


def test_a_solid_association_keeps_its_charge_of_then():
    graph = world(2, [(1, 2, {**PROVEN, "w": 1.0})], tick=1000)
    charge = arc_charge(graph.arcs(), 1000)[0]
    apply(Solidify(), graph)
    assert charge < 1.0
    assert arc_charge(graph.arcs(), 10**6)[0] == pytest.approx(charge, rel=1e-6)


# -- cold -------------------------------------------------------------------------------


def test_the_tick_since_which_a_node_hangs_on_by_one_live_edge_is_kept():
    graph = world(4, [*both_ways(*pairwise([1, 2, 3]), w=0.5)], tick=9)
    apply(LowDegree(), graph)
    assert graph.nodes["low_degree_since_tick"][:4].tolist() == [9, -1, 9, 9]
    draft = Draft(graph)
    draft.add_arc(1, 3, ArcKind.ASSOCIATION, w=0.5, t0=9)
    graph.apply(draft.delta("edit"))
    apply(LowDegree(), graph)
    assert graph.nodes["low_degree_since_tick"][:4].tolist() == [-1, -1, -1, 9]


def cooled(graph: Graph) -> list[int]:
    return [int(n["id"]) for n in graph.nodes[graph.where()] if n["flags"] & NodeFlag.COLD]


def test_nodes_go_cold_only_over_capacity():
    graph = world(4, both_ways(*SQUARE, w=0.5))
    assert cooled(apply(Capacity(), graph)) == []
    assert cooled(apply(Capacity(max_nodes=4), graph)) == []
    assert len(cooled(apply(Capacity(max_nodes=3), graph))) == 1
    assert len(graph) == 4


def test_isolated_then_long_lonely_then_unused_then_unimportant_nodes_go_first():
    nodes = {
        1: {"low_degree_since_tick": 100},  # isolated
        2: {"low_degree_since_tick": 100},
        3: {"low_degree_since_tick": 4000},
        4: {"strength": 0.1},
        5: {"importance": 0.1},
        6: {"importance": 0.2},
    }
    edges = both_ways((2, 3), (4, 5), (5, 6), (6, 4), w=1.0, uses=10_000)
    frozen = FrozenGraph.of(world(nodes, edges, tick=5000))
    assert frozen.ids[coldest_first(frozen)].tolist() == [1, 2, 3, 4, 5, 6]


def test_members_of_a_dense_core_go_last_and_pinned_nodes_never():
    nodes = {i: {} for i in range(1, 7)}
    nodes[6] = {"flags": int(NodeFlag.PINNED)}
    graph = world(nodes, [*clique([1, 2, 3, 4], w=0.5), *both_ways((4, 5), w=0.5)])
    frozen = FrozenGraph.of(graph)
    assert frozen.ids[coldest_first(frozen)].tolist() == [5, 1, 2, 3, 4]
    assert cooled(apply(Capacity(max_nodes=0), graph)) == [1, 2, 3, 4, 5]


def test_over_the_limit_of_edges_the_weakest_associations_go():
    arcs = [
        (1, 2, {"w": 0.5}),
        (2, 3, {"w": 0.3}),
        (3, 1, {"w": 0.4}),
        (2, 1, {"w": 0.1, "flags": 1}),
    ]
    graph = world(3, arcs, structure=[(1, 2, ArcKind.SOURCE), (2, 3, ArcKind.NEXT)])
    apply(Capacity(max_edges=4), graph)
    left = {(int(a["src"]), int(a["dst"])) for a in graph.arcs(ArcKind.ASSOCIATION)}
    assert left == {(1, 2), (2, 1)}
    assert len(graph.arcs()) == 4
    apply(Capacity(max_edges=0), graph)
    assert len(graph.arcs(ArcKind.ASSOCIATION)) == 1  # the solid one
    assert len(graph.arcs(ArcKind.SOURCE, ArcKind.NEXT)) == 2


def test_bytes_over_the_limit_are_freed_by_the_weakest_associations():
    graph = world(3, both_ways((1, 2), (2, 3), w=0.5))
    size = graph_bytes(FrozenGraph.of(graph))
    apply(Capacity(max_bytes=size - 1), graph)
    assert len(graph.arcs()) == 3
    assert graph_bytes(FrozenGraph.of(graph)) == size - 34


def test_cold_nodes_have_left_sleep():
    nodes = {i: {"kind": NodeKind.FACT} for i in range(1, 5)}
    nodes[1] = {"flags": int(NodeFlag.COLD)}
    graph = world(nodes, [*clique([1, 2, 3, 4], w=0.5), (1, 2, {"w": 0.001})])
    apply(Prune(), graph)
    assert graph.find_arc(1, 2, ArcKind.ASSOCIATION) is not None
    apply(Decay(lonely_under=0), graph)
    assert arc(graph, 2, 3)["support"] == 1
    assert arc(graph, 1, 3)["support"] == 0


# -- the picture ------------------------------------------------------------------------


@given(graphs(), st.data())
def test_a_part_of_the_net_is_the_net_between_its_nodes(graph, data):
    net = FrozenGraph.of(graph).net
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, net.n - 1), min_size=1))))
    whole = csr_array((net.weights, net.indices, net.indptr), (net.n, net.n)).toarray()
    indptr, indices, weights = net.part(chosen)
    part = csr_array((weights, indices, indptr), (len(chosen), len(chosen))).toarray()
    assert part.tolist() == whole[np.ix_(chosen, chosen)].tolist()
