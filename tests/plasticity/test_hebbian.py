"""Hebb, competition, recharge and credit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import InvalidInput, NotFound
from mags.graph.delta import Draft
from mags.graph.graph import Graph
from mags.graph.records import ArcFlag, ArcKind, NodeFlag, arc_charge, node_charge
from mags.plasticity.hebbian import Credit, Hebb, compete, recharge
from tests.plasticity.worlds import TICK, arc, graphs, world

NOW = {"tick": 100, "day": 7}


def wired(graph: Graph, *args: object, hebb: Hebb | None = None, **kwargs: object) -> Graph:
    draft = Draft(graph)
    (hebb or Hebb())(draft, *args, **{**NOW, **kwargs})
    graph.apply(draft.delta("ask", tick_after=NOW["tick"]))
    return graph


def test_what_was_cited_together_wires_together_from_nothing():
    graph = wired(world(3), {1: 1.0, 2: 0.5})
    forth = arc(graph, 1, 2)
    assert forth["w"][0] == pytest.approx(0.05)
    assert forth[["t0", "uses", "days", "last_day"]].tolist() == [(100, 1, 1, 7)]
    assert arc(graph, 2, 1)["w"][0] == pytest.approx(0.05)
    assert len(graph.arcs()) == 2


def test_a_wired_pair_comes_nearer_to_1_from_its_charge_of_now():
    graph = world(2, [(1, 2, {"w": 0.8, "t0": -900, "uses": 0})], tick=99)
    wired(graph, {1: 1.0, 2: 1.0})
    assert arc(graph, 1, 2)["w"][0] == pytest.approx(0.4 + 0.1 * 0.6)
    assert arc(graph, 1, 2)["t0"][0] == 100


def test_uses_are_counted_and_days_only_when_they_differ():
    graph = world(2)
    for day in (3, 3, 4):
        wired(graph, {1: 1.0, 2: 1.0}, day=day)
    assert arc(graph, 1, 2)[["uses", "days", "last_day"]].tolist() == [(3, 2, 4)]


def test_one_cited_node_wires_with_nothing():
    assert len(wired(world(2), {1: 1.0}).arcs()) == 0


@pytest.mark.parametrize("active", [{1: 1.5, 2: 1.0}, {1: -0.1, 2: 1.0}])
def test_an_activation_outside_0_1_is_refused(active: dict[int, float]):
    with pytest.raises(InvalidInput, match="activation"):
        Hebb()(Draft(world(2)), active, **NOW)


def test_an_unknown_node_is_refused():
    with pytest.raises(NotFound):
        Hebb()(Draft(world(2)), {1: 1.0, 9: 1.0}, **NOW)


def test_the_weakest_associations_pay_for_what_exceeds_the_sum_of_8():
    weights = [1.0] * 7 + [0.9, 0.3, 0.2]
    graph = world(12, [(1, i + 2, {"w": w, "t0": 100}) for i, w in enumerate(weights)], tick=100)
    draft = Draft(graph)
    compete(draft, 1, tick=100)
    graph.apply(draft.delta("ask", tick_after=100))
    left = graph.arcs_from(1)["w"]
    assert left == pytest.approx([1.0] * 7 + [0.9, 0.1, 0.0])


def test_solid_associations_pay_last():
    arcs = [(1, i + 2, {"w": 1.0, "t0": 100}) for i in range(9)]
    arcs[0][2].update(w=0.5, flags=int(ArcFlag.SOLID))
    graph = world(11, arcs, tick=100)
    draft = Draft(graph)
    compete(draft, 1, tick=100)
    graph.apply(draft.delta("ask", tick_after=100))
    assert graph.arcs_from(1)["w"] == pytest.approx([0.5, 0.5] + [1.0] * 7)


def test_associations_that_the_draft_makes_compete_too():
    graph = world(12, [(1, i + 2, {"w": 1.0, "t0": 100}) for i in range(8)], tick=100)
    draft = Draft(graph)
    draft.add_arc(1, 11, ArcKind.ASSOCIATION, w=0.5, t0=100)
    compete(draft, 1, also=[11], tick=100)
    graph.apply(draft.delta("ask", tick_after=100))
    assert arc(graph, 1, 11)["w"][0] == 0.0
    assert graph.arcs_from(1)["w"].sum() == pytest.approx(8.0)


@given(graphs(), st.data())
def test_weights_stay_in_0_1_and_outgoing_sums_within_8(graph, data):
    ids = st.sampled_from(graph.ids().tolist())
    cited = data.draw(st.dictionaries(ids, st.floats(0, 1), max_size=6))
    structure = graph.arcs(*list(ArcKind)[:7])
    wired(graph, cited, tick=TICK, hebb=Hebb(most=2.0))
    graph.tick = TICK
    arcs = graph.arcs()
    assert ((arcs["w"] >= 0) & (arcs["w"] <= 1)).all()
    assert graph.arcs(*list(ArcKind)[:7]).tobytes() == structure.tobytes()
    for node, activation in cited.items():
        others = [a for i, a in cited.items() if i != node]
        if any(0.1 * activation * a > 0 for a in others):
            own = graph.arcs_from(node, ArcKind.ASSOCIATION)
            assert arc_charge(own, TICK).sum() <= 2.0 + 1e-6


# -- recharge ---------------------------------------------------------------------------


def test_a_use_recharges_a_node_and_warms_a_cold_one():
    graph = world({1: {"strength": 1.0, "flags": int(NodeFlag.COLD | NodeFlag.ONE)}}, tick=1000)
    draft = Draft(graph)
    recharge(draft, [1], tick=1000)
    graph.apply(draft.delta("ask", tick_after=1000))
    node = graph.node(1)
    assert node["strength"][0] == pytest.approx(0.75)
    assert node[["strength_tick", "last_used_tick", "uses", "flags"]].tolist() == [
        (1000, 1000, 1, int(NodeFlag.ONE))
    ]
    assert node_charge(node, 3000)[0] == pytest.approx(0.375)


# -- credit -----------------------------------------------------------------------------


def credited(graph: Graph, shares: dict[tuple[int, int], float], reward: float) -> Graph:
    draft = Draft(graph)
    Credit()(draft, shares, reward=reward, tick=graph.tick)
    graph.apply(draft.delta("feedback"))
    return graph


def pair(**fields: object) -> Graph:
    return world(2, [(1, 2, {"w": 0.5, "t0": 10, **fields})], tick=10)


def test_a_reward_brings_its_arcs_nearer_to_1_by_their_share():
    assert arc(credited(pair(), {(1, 2): 0.5}, 1.0), 1, 2)["w"][0] == pytest.approx(0.525)
    assert arc(credited(pair(), {(1, 2): 1.0}, 0.5), 1, 2)["w"][0] == pytest.approx(0.525)


def test_a_penalty_takes_a_part_of_its_arcs():
    assert arc(credited(pair(), {(1, 2): 0.5}, -1.0), 1, 2)["w"][0] == pytest.approx(0.475)


def test_credit_is_no_use_and_moves_no_day():
    graph = credited(pair(uses=3, days=2), {(1, 2): 1.0}, 1.0)
    assert arc(graph, 1, 2)[["t0", "uses", "days"]].tolist() == [(10, 3, 2)]


def test_arcs_that_are_gone_and_structure_are_passed_over():
    graph = world(3, structure=[(1, 2, ArcKind.SOURCE)])
    before = graph.digest()
    assert credited(graph, {(1, 2): 1.0, (2, 3): 1.0, (8, 9): 1.0}, 1.0).digest() == before


def test_no_reward_changes_nothing():
    graph = pair()
    before = graph.digest()
    assert credited(graph, {(1, 2): 1.0}, 0.0).digest() == before


@pytest.mark.parametrize(("share", "reward"), [(1.0, 1.1), (1.0, -2.0), (1.5, 1.0), (-0.5, 1.0)])
def test_credit_outside_its_range_is_refused(share: float, reward: float):
    with pytest.raises(InvalidInput):
        credited(pair(), {(1, 2): share}, reward)


@given(graphs(), st.floats(-1, 1), st.floats(0, 1))
def test_credit_keeps_weights_in_0_1_and_follows_the_sign_of_the_reward(graph, reward, share):
    before = graph.arcs(ArcKind.ASSOCIATION)
    was = arc_charge(before, TICK)
    shares = {(int(a["src"]), int(a["dst"])): share for a in before}
    now = arc_charge(credited(graph, shares, reward).arcs(ArcKind.ASSOCIATION), TICK)
    assert ((now >= 0) & (now <= 1)).all()
    if reward > 0:
        assert (now >= was * (1 - 1e-6)).all()
    else:
        assert (now <= was).all()
