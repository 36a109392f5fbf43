"""Importance from a node's place in the graph: exact numbers, and the laws of the rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.graph import Graph
from mags.graph.records import ArcKind, NodeFlag
from mags.plasticity.frozen import FrozenGraph
from mags.plasticity.importance import Importance, standing
from mags.recall.settings import WEIGHTS
from tests.plasticity.worlds import graphs, world


def raised(graph: Graph, rule: Importance) -> Graph:
    graph.apply(rule(FrozenGraph.of(graph), np.random.default_rng(0)))
    return graph


def star() -> Graph:
    """1 with two live associations of 0.5 going out, one of 0.1 too faint, and a source."""
    loose = [(1, 2, {"w": 0.5}), (1, 3, {"w": 0.5}), (1, 4, {"w": 0.1})]
    return world(4, loose, [(2, 3, ArcKind.SOURCE)])


def test_standing_is_weighted_degree_times_out_degree_on_a_logarithmic_scale():
    # 1: degree 0.5 + 0.5, two arcs out. 2: degree 1 + 0.5, one arc out. 3 and 4: none out.
    expected = [1.0, np.log1p(1.5) / np.log1p(2.0), 0.0, 0.0]
    assert standing(FrozenGraph.of(star())) == pytest.approx(expected)


def test_importance_becomes_the_weighted_standing_where_that_is_more():
    graph = raised(star(), Importance(weight=0.4))
    assert graph.node(1)["importance"][0] == np.float32(0.4)
    assert graph.node(3)["importance"][0] == 0.0


def test_what_was_written_as_more_important_stays_as_it_was():
    graph = world({1: {"importance": 0.9}, 2: {}}, [(1, 2, {"w": 0.5})])
    assert raised(graph, Importance()).node(1)["importance"][0] == np.float32(0.9)


def test_a_cold_node_is_left_alone():
    graph = world({1: {"flags": int(NodeFlag.COLD)}, 2: {}}, [], [(1, 2, ArcKind.SOURCE)])
    assert raised(graph, Importance()).node(1)["importance"][0] == 0.0


def test_a_raise_of_less_than_the_step_waits():
    graph = world({1: {"importance": 0.29}, 2: {}}, [(1, 2, {"w": 0.5})])
    rule = Importance(weight=0.3, step=0.02)
    assert len(rule(FrozenGraph.of(graph), np.random.default_rng(0)).nodes) == 0


@given(graph=graphs(), weight=st.floats(0.0, 1.0))
def test_importance_never_falls_and_rises_to_the_weight_at_most(graph: Graph, weight: float):
    before = FrozenGraph.of(graph).nodes.copy()
    after = FrozenGraph.of(raised(graph, Importance(weight=weight))).nodes
    assert (after["importance"] >= before["importance"]).all()
    most = np.maximum(before["importance"], np.float32(weight))
    assert (after["importance"] <= most).all()
    after = after.copy()
    after["importance"] = before["importance"]
    assert (after == before).all()


@given(graph=graphs())
def test_a_second_sleep_over_the_same_graph_raises_nothing(graph: Graph):
    graph = raised(graph, Importance())
    assert len(Importance()(FrozenGraph.of(graph), np.random.default_rng(0)).nodes) == 0


def test_importance_counts_a_quarter_at_most_in_the_ranking():
    assert 0.0 <= WEIGHTS["importance"] <= 0.25
