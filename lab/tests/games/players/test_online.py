"""A log-linear model learns as it goes from what came of the one thing it took."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.online import STEADY, SUREST, Features, LogLinear, chances

RED: Features = {("red",): 1.0}
BLUE: Features = {("blue",): 1.0}


def gap(model: LogLinear) -> float:
    red, blue = model.logs((0.0, 0.0), (RED, BLUE))
    return red - blue


def test_who_has_learned_nothing_goes_by_the_priors():
    assert LogLinear(0.2).logs((0.5, -1.0), (RED, BLUE)) == [0.5, -1.0]


def test_one_step_after_a_win_is_the_slope_of_the_likelihood():
    model = LogLinear(0.2)
    gap(model)
    model.learn(0, won=True)  # both had a half, so the slope is +-1/2
    size = 0.2 * 0.5 / math.sqrt(0.5**2 + STEADY)
    assert gap(model) == pytest.approx(2 * size)


def test_one_step_after_a_failure_is_the_slope_of_one_less_the_likelihood():
    model = LogLinear(0.2)
    model.logs((math.log(3.0), 0.0), (RED, BLUE))
    model.learn(0, won=False)  # chances 3/4, 1/4; odds of 3 are held to 1: slopes -1/4 and +1/4
    size = 0.2 * 0.25 / math.sqrt(0.25**2 + STEADY)
    assert gap(model) == pytest.approx(-2 * size)


def test_what_was_sure_and_went_wrong_is_a_step_of_finite_size():
    model = LogLinear(0.2)
    model.logs((100.0, 0.0), (RED, BLUE))
    model.learn(0, won=False)
    assert -2 * 0.2 / math.sqrt(STEADY) * (1.0 - SUREST) < gap(model) <= 0.0


def test_what_came_of_a_thing_is_taken_in_once_and_never_after_forgetting():
    once, never = LogLinear(0.2), LogLinear(0.2)
    gap(once)
    once.learn(0, won=True)
    before = gap(once)
    once.forget()
    once.learn(0, won=True)
    never.learn(0, won=True)
    assert gap(once) == before
    assert gap(never) == 0.0


def test_chances_of_nothing_and_of_what_cannot_be():
    assert chances([]) == []
    assert chances([-math.inf, -math.inf]) == [0.0, 0.0]
    assert chances([-math.inf, 3.0]) == [0.0, 1.0]


@given(st.lists(st.floats(-300.0, 300.0), min_size=1))
def test_chances_sum_to_one_in_the_order_of_their_logarithms(logs: list[float]):
    found = chances(logs)
    assert sum(found) == pytest.approx(1.0)
    assert found.index(max(found)) == logs.index(max(logs)) or max(found) == pytest.approx(
        found[logs.index(max(logs))]
    )
