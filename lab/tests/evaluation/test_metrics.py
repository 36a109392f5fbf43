"""The measures against figures worked out by hand, and their laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import InvalidInput
from mags_lab.evaluation.metrics import (
    bootstrap,
    closings,
    comes_before,
    complete_at,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)

rankings = st.lists(st.integers(0, 20), max_size=30)
golds = st.frozensets(st.integers(0, 20), min_size=1, max_size=5)


def test_recall_is_the_share_of_gold_among_the_first_k():
    assert recall_at(["a", "x", "b", "y"], {"a", "b", "c"}, 2) == 1 / 3
    assert recall_at(["a", "x", "b", "y"], {"a", "b", "c"}, 3) == 2 / 3


def test_an_id_found_twice_takes_one_place_only():
    assert recall_at(["a", "a", "a", "b"], {"a", "b"}, 2) == 1.0
    assert reciprocal_rank(["x", "x", "a"], {"a"}) == 1 / 2


def test_a_hit_needs_one_gold_id_and_a_complete_chain_needs_all():
    ranked = ["x", "a", "b"]
    assert [hit_at(ranked, {"a", "b"}, k) for k in (1, 2, 3)] == [0.0, 1.0, 1.0]
    assert [complete_at(ranked, {"a", "b"}, k) for k in (1, 2, 3)] == [0.0, 0.0, 1.0]


def test_ndcg_discounts_by_the_logarithm_of_the_rank():
    expected = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
    assert ndcg_at(["x", "a"], {"a", "b"}, 2) == pytest.approx(expected)
    assert ndcg_at(["b", "a"], {"a", "b"}, 2) == 1.0


def test_the_first_comes_before_the_second_only_when_it_is_found():
    assert comes_before([10, 3], 10, 3) == 1.0
    assert comes_before([3, 10], 10, 3) == 0.0
    assert comes_before([10], 10, 3) == 1.0
    assert comes_before([], 10, 3) == 0.0


def test_wrong_and_missed_closings_are_counted_apart():
    done = closings({1, 7}, due={1, 2}, keep={6, 7, 8, 9})
    assert (done.wrong, done.missed) == (0.25, 0.5)
    never = closings(set(), due={1}, keep={2})
    assert (never.wrong, never.missed) == (0.0, 1.0)


def test_a_question_without_gold_is_refused():
    with pytest.raises(InvalidInput):
        recall_at(["a"], set(), 5)
    with pytest.raises(InvalidInput):
        recall_at(["a"], {"a"}, 0)


@given(rankings, golds, st.integers(1, 15))
def test_a_deeper_cut_never_lowers_recall_and_every_measure_stays_in_the_unit_interval(
    ranked, gold, k
):
    for measure in (recall_at, hit_at, complete_at):
        assert 0 <= measure(ranked, gold, k) <= measure(ranked, gold, k + 1) <= 1
    assert 0 <= ndcg_at(ranked, gold, k) <= 1.0 + 1e-12
    assert complete_at(ranked, gold, k) <= recall_at(ranked, gold, k) <= hit_at(ranked, gold, k)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_bootstrap_interval_holds_between_the_extremes_and_repeats_itself(values):
    found = bootstrap(values, draws=200)
    assert found == bootstrap(values, draws=200)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.mean == pytest.approx(sum(values) / len(values))


def test_the_bootstrap_of_a_fair_coin_has_the_width_that_theory_gives():
    found = bootstrap([0.0, 1.0] * 50)
    assert found.mean == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.05, abs=0.02)


def test_no_case_at_all_is_refused():
    with pytest.raises(InvalidInput):
        bootstrap([])
