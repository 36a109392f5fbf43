"""Improvement over another player."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.errors import InvalidInput
from mags_lab.evaluation.proving.tables import difference, improvement

scores = st.lists(st.floats(0.1, 1.0), min_size=1, max_size=20)


def test_twice_as_good_is_a_hundred_percent():
    found = improvement([0.8, 0.6], [0.4, 0.3])
    assert found.mean == pytest.approx(100.0)
    assert (found.low, found.high) == (pytest.approx(100.0), pytest.approx(100.0))
    assert found.n == 2


def test_seeds_are_drawn_in_pairs():
    assert difference([0.5, 0.9], [0.4, 0.8]).low == pytest.approx(0.1)


@given(scores)
def test_nobody_improves_on_themselves(values: list[float]):
    found = improvement(values, values)
    assert found.low == pytest.approx(0.0, abs=1e-9)
    assert found.high == pytest.approx(0.0, abs=1e-9)


@given(scores)
def test_the_mean_lies_within_what_single_seeds_gain(values: list[float]):
    found = improvement(values, [0.5] * len(values))
    assert 200 * min(values) - 100 - 1e-6 <= found.mean <= 200 * max(values) - 100 + 1e-6


@pytest.mark.parametrize(("ours", "theirs"), [([], []), ([0.5], [0.5, 0.5]), ([0.5], [0.0])])
def test_what_cannot_be_compared_is_refused(ours: list[float], theirs: list[float]):
    with pytest.raises(InvalidInput):
        improvement(ours, theirs)
