"""The objective and its terms, and what a memory of MAGS costs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from benchmarks.report import KeepingFactory, objective_chapter
from benchmarks.results import Result
from mags.errors import InvalidInput
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.recall.found import FactView
from mags.settings import Settings
from mags_lab.evaluation.objective import (
    Cost,
    GraphCounts,
    Load,
    Quality,
    SettingTrial,
    Terms,
    TermWeights,
    affordable,
    conflicts,
    cost_of,
    graph_cost,
    memory_reward,
    objective,
    prediction_error,
    regularisation,
    terms_of,
)

shares = st.floats(0, 1)
counts = st.integers(0, 10**6)


def test_the_objective_is_the_weighted_sum_of_its_terms():
    terms = Terms(prediction=0.4, reward=0.5, graph=0.2, regularisation=0.3)
    assert objective(terms) == pytest.approx(0.4 - 0.5 + 0.02 + 0.003)
    heavy = TermWeights(reward=0.5, graph=2.0, regularisation=1.0)
    assert objective(terms, heavy) == pytest.approx(0.4 - 0.25 + 0.4 + 0.3)


@given(shares, shares, shares, shares)
def test_the_objective_is_bounded_and_rises_with_every_cost(prediction, reward, graph, load):
    terms = Terms(prediction=prediction, reward=reward, graph=graph, regularisation=load)
    assert -1 <= objective(terms) <= 1.11 + 1e-9
    worse = Terms(prediction=1.0, reward=reward, graph=1.0, regularisation=1.0)
    assert objective(worse) >= objective(terms)


@pytest.mark.parametrize("term", ["prediction", "reward", "graph", "regularisation"])
@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan])
def test_a_term_outside_0_1_is_refused(term: str, value: float):
    terms = {"prediction": 0.5, "reward": 0.5, "graph": 0.5, "regularisation": 0.5, term: value}
    with pytest.raises(InvalidInput, match=term):
        Terms(**terms)


def test_prediction_is_the_share_of_wrong_answers_or_made_of_the_cross_entropy():
    assert prediction_error(wrong=0.25) == 0.25
    assert prediction_error(wrong=0.25, cross_entropy_nats=0.0) == 0.0
    assert prediction_error(wrong=0.25, cross_entropy_nats=math.log(4)) == pytest.approx(0.75)


def test_reward_is_the_mean_of_adherence_f1_and_carried():
    assert memory_reward(adherence=1.0, f1=0.5, carried=0.6) == pytest.approx(0.7)


def test_what_an_evaluation_cannot_see_is_left_out_of_the_reward():
    assert memory_reward(carried=0.6) == 0.6
    assert memory_reward(f1=0.5, carried=0.6) == pytest.approx(0.55)


def test_the_terms_of_an_evaluation_average_its_memories():
    thin = Cost(counts=GraphCounts(nodes=10, arcs=0), load=Load())
    dense = Cost(counts=GraphCounts(nodes=1, arcs=24), load=Load(changed_per_turn=0.5))
    terms = terms_of(Quality(wrong=0.25, carried=0.5, f1=1.0), [thin, dense])
    assert (terms.prediction, terms.reward) == (0.25, 0.75)
    assert terms.graph == pytest.approx((0.0 + 1 / 5) / 2)
    assert terms.regularisation == pytest.approx((0.0 + 0.5 / 5) / 2)


def test_an_evaluation_without_a_memory_has_no_terms():
    with pytest.raises(InvalidInput, match="no memory"):
        terms_of(Quality(wrong=0.0, carried=1.0), [])


def test_graph_cost_is_the_mean_of_five_shares():
    graph = GraphCounts(
        nodes=100,
        arcs=1200,  # 12 a node: 0.5
        facts=50,
        conflicts=10,  # 0.2
        pruned=300,  # of 1,500 made: 0.2
        recalls=10,
        recalls_needed=7,  # 0.3
        engrams=5,
        engrams_needed=8,  # fewer than needed is no excess: 0
    )
    assert graph_cost(graph) == pytest.approx((0.5 + 0.2 + 0.2 + 0.3 + 0.0) / 5)


def test_an_empty_graph_costs_nothing():
    assert graph_cost(GraphCounts(nodes=0, arcs=0)) == 0.0


@given(counts, counts, counts, counts, counts)
def test_graph_cost_lies_in_0_1(nodes, arcs, facts, conflicts, pruned):
    cost = graph_cost(
        GraphCounts(nodes=nodes, arcs=arcs, facts=facts, conflicts=conflicts, pruned=pruned)
    )
    assert 0.0 <= cost <= 1.0


def test_regularisation_is_the_mean_of_five_shares():
    load = Load(
        nodes=50,
        max_nodes=100,  # 0.5
        edges=300,
        max_edges=200,  # full: 1
        size_bytes=10,  # no limit: 0
        changed_per_turn=0.25,
        adapter_l2=3.0,  # 0.75
    )
    assert regularisation(load) == pytest.approx((0.5 + 1.0 + 0.0 + 0.25 + 0.75) / 5)
    assert regularisation(Load(nodes=1, max_nodes=0)) == pytest.approx(0.2)
    assert regularisation(Load()) == 0.0


@pytest.mark.parametrize("field", ["nodes", "edges", "size_bytes", "adapter_l2"])
def test_negative_loads_are_refused(field: str):
    with pytest.raises(InvalidInput, match=field):
        regularisation(Load(**{field: -1}))


def trial(name: str, quality: float, graph: float) -> SettingTrial:
    terms = Terms(prediction=1 - quality / 100, reward=0.5, graph=graph, regularisation=0.0)
    return SettingTrial(name=name, quality=quality, terms=terms)


def test_the_cheapest_setting_within_a_point_of_the_best_is_chosen():
    trials = [trial("best", 80.0, 0.9), trial("lean", 79.1, 0.2), trial("empty", 20.0, 0.0)]
    assert affordable(trials).name == "lean"
    assert affordable(trials, within=0.5).name == "best"


def test_without_that_bound_the_objective_would_store_nothing():
    full = Terms(prediction=0.5, reward=0.0, graph=1.0, regularisation=1.0)
    empty = Terms(prediction=0.55, reward=0.0, graph=0.0, regularisation=0.0)
    assert objective(empty) < objective(full)


def test_choosing_among_nothing_is_refused():
    with pytest.raises(InvalidInput):
        affordable([])


SHOWN = {"prediction": 0.25, "reward": 0.5, "graph": 0.1, "regularisation": 0.0, "L": -0.24}


def fact(relation: str, obj: str, **qualifiers: str) -> FactView:
    return FactView(
        id=1,
        subject="Ana",
        relation=relation,
        object=obj,
        valid_from=None,
        valid_to=None,
        qualifiers=tuple(qualifiers.items()),
    )


def test_open_facts_of_one_slot_conflict_where_it_takes_one_value():
    assert conflicts([fact("lives in", "Oslo"), fact("lives in", "Rome")]) == 2
    assert conflicts([fact("likes", "tea"), fact("likes", "coffee")]) == 0
    assert conflicts([fact("lives in", "Oslo")]) == 0


def remembering() -> Memory:
    return mags.open(None, embedder=HashEmbedder(32), settings=Settings(), clock=lambda: 1.0)


def test_a_recall_beyond_one_a_question_is_counted_and_what_a_turn_changes():
    with remembering() as memory:
        memory.observe("I live in Oslo.", speaker="Ana")
        cost = cost_of(memory, recalls=3, questions=2, turns=1)
        stats = memory.stats()
    assert (cost.counts.recalls, cost.counts.recalls_needed) == (3, 2)
    assert cost.counts.nodes == sum(stats.nodes.values())
    assert cost.counts.facts == 1
    assert cost.counts.conflicts == 0
    assert cost.load.changed_per_turn == 1.0  # the first turn makes all there is


def test_a_system_that_cannot_be_weighed_has_no_objective():
    made = KeepingFactory(object)
    made()
    assert made.objective(Quality(wrong=0.0, carried=1.0)) == {}


def test_the_chapter_has_a_line_for_each_weighed_suite():
    one = Result(
        suite="letta", system="MAGS", note="", groups={}, facts={}, made={}, objective=SHOWN
    )
    other = Result(suite="letta", system="BM25", note="", groups={}, facts={}, made={})
    page = objective_chapter([one, other]).splitlines()
    assert page[-1] == "| letta | 0.250 | 0.500 | 0.100 | 0.000 | -0.240 |"
    assert page[-2] == "|---|---|---|---|---|---|"
    assert page[-3] == "| suite | prediction | reward | graph | regularisation | L |"
    assert objective_chapter([other]) == ""
