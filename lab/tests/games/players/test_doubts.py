"""Which lines are doubted: those that acts went wrong by, and that were not right since."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.recall.chains import Chain
from mags_lab.games.players.doubts import DOUBT, MOST, Doubts, Ground, Grounds, Link, links

OPTIONS = ("Go to Tronte", "Go to Yoamjun")
YOAMJUN, TRONTE = frozenset({"yoamjun"}), frozenset({"tront"})
ANA, BO, LEADS, LED = (1, 3), (2, 3), (3, YOAMJUN), (4, TRONTE)
"""Who is of the clan, twice; who leads the clan, and who led it."""


def by(*found: Link) -> frozenset[Link]:
    return frozenset(found)


def test_without_acts_everything_is_trusted():
    assert Doubts().trust(by(ANA, LEADS)) == 1.0


def test_an_act_that_goes_wrong_is_shared_out_among_the_links_that_led_to_it():
    doubts = Doubts()
    doubts.learn(by(ANA, LEADS), won=False)
    assert doubts.trust(by(ANA, LEADS)) == pytest.approx(math.exp(-DOUBT))
    assert doubts.trust(by(BO, LEADS)) == pytest.approx(math.exp(-DOUBT / 2))
    assert doubts.trust(by(BO)) == 1.0


def test_what_was_right_before_takes_less_of_the_blame():
    doubts = Doubts()
    for _ in range(3):
        doubts.learn(by(ANA), won=True)
    doubts.learn(by(ANA, LEADS), won=False)
    assert doubts.trust(by(ANA)) == pytest.approx(math.exp(-DOUBT * 0.25 / 1.25))
    assert doubts.trust(by(LEADS)) == pytest.approx(math.exp(-DOUBT / 1.25))


def test_what_is_right_after_it_is_cleared_and_the_others_take_its_share():
    doubts = Doubts()
    doubts.learn(by(ANA, LEADS), won=False)
    doubts.learn(by(ANA, LED), won=True)
    assert doubts.trust(by(ANA)) == 1.0
    assert doubts.trust(by(LEADS)) == pytest.approx(math.exp(-DOUBT))


def test_a_change_that_nobody_told_of_comes_down_to_the_line_that_goes_wrong_again():
    doubts = Doubts()
    for _ in range(5):
        doubts.learn(by(ANA, LEADS), won=True)
        doubts.learn(by(BO, LEADS), won=True)
    doubts.learn(by(ANA, LEADS), won=False)
    doubts.learn(by(BO, LEADS), won=False)
    assert doubts.trust(by(LEADS)) < min(doubts.trust(by(ANA)), doubts.trust(by(BO)))


link = st.sampled_from([ANA, BO, LEADS, LED, (5, 4)])


@given(st.lists(st.tuples(st.frozensets(link, max_size=4), st.booleans()), max_size=12))
def test_all_blame_of_an_act_is_shared_out_unless_every_link_was_right_since(
    acts: list[tuple[frozenset[Link], bool]],
):
    doubts = Doubts()
    for grounds, won in acts:
        doubts.learn(grounds, won=won)
    every = (ANA, BO, LEADS, LED, (5, 4))
    last_right = {
        one: max((i for i, (g, won) in enumerate(acts) if won and one in g), default=-1)
        for one in every
    }
    open_ = sum(
        not won and any(last_right[one] < i for one in grounds)
        for i, (grounds, won) in enumerate(acts)
    )
    assert doubts.trust(every) == pytest.approx(math.exp(-DOUBT * open_))


def test_a_link_that_is_wrong_for_ever_is_still_worth_something():
    doubts = Doubts()
    for _ in range(3 * MOST):
        doubts.learn(by(LEADS), won=False)
    assert doubts.trust(by(LEADS)) == pytest.approx(math.exp(-DOUBT * MOST))


def chain(*steps: int, option: int = 1) -> Chain:
    return Chain(option=option, value=0.5, steps=steps)


def test_links_join_each_line_with_the_next_and_the_last_with_the_words_of_the_action():
    found = links([chain(2, 3), chain(3, option=0)], OPTIONS, frozenset({"left"}))
    assert found == [{(2, 3), (3, YOAMJUN | {"left"})}, {(3, TRONTE | {"left"})}]


def test_a_line_that_tells_of_two_is_doubted_for_the_one_it_led_to_wrongly():
    doubts, apart = Doubts(), frozenset[str]()
    doubts.learn(links([chain(1, 3)], OPTIONS, apart)[0], won=False)
    wrong, other = doubts.weighed([chain(2, 3), chain(2, 3, option=0)], OPTIONS, apart)
    assert wrong.value == pytest.approx(0.5 * math.exp(-DOUBT / 2))
    assert other.value == 0.5


def test_what_does_not_hold_of_the_left_one_may_hold_of_the_right_one():
    doubts, left = Doubts(), frozenset({"left"})
    doubts.learn(links([chain(3)], OPTIONS, left)[0], won=False)
    assert doubts.weighed([chain(3)], OPTIONS, frozenset({"right"}))[0].value == 0.5
    assert doubts.weighed([chain(3)], OPTIONS, left)[0].value < 0.5


def acted(grounds: Grounds, *steps: int, report: int) -> Ground:
    """An act that one chain led to, and that went well, as an episode reports."""
    grounds.lead([chain(*steps)], OPTIONS, frozenset())
    found = grounds.did(OPTIONS[1])
    grounds.report(report)
    return found


def test_an_act_by_a_report_rests_on_what_led_to_the_act_that_it_reports():
    grounds = Grounds()
    first = acted(grounds, 1, 3, report=7)
    assert first == Ground(frozenset({1, 3}), by(ANA, LEADS))
    again = acted(grounds, 7, report=8)
    assert again == Ground(frozenset({1, 3, 7}), by(ANA, LEADS, (7, YOAMJUN)))
    assert grounds.did(OPTIONS[0]) == Ground()


def test_a_report_of_an_act_by_a_report_rests_on_no_more_than_the_first():
    grounds = Grounds()
    acted(grounds, 1, 3, report=7)
    for one in range(7, 50):
        last = acted(grounds, one, report=one + 1)
    assert last.lines == {1, 3, 49}
