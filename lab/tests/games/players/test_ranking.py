"""Which sort of line answers which sort of question is learned from what acts brought."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.index.tokens import terms
from mags.recall.chains import Chain
from mags_lab.games.players.deciding import RANKING_STEP, STEADY, WORTH, LineRanking
from mags_lab.games.players.notes import Note, named
from mags_lab.games.turns import GameLine

ACTIONS = ("Give salt", "Give silk", "Give wool")
LINES = (
    "At the feast of Zoamnul one gives salt.",
    "Nobody enters Grunsol without silk.",
    "Vrumyan talked of wool all day.",
    "At the feast of Peitra one gives silk.",
    "Nobody enters Krirpo without salt.",
)
ASKED = "Which gift does Grunsol want?"
ELSEWHERE = "Which gift does Krirpo want?"


def line(step: int) -> Note | None:
    if step >= len(LINES):
        return None
    return Note(said=(step, 0), line=GameLine(speaker="Bo", text=LINES[step], at=float(step)))


def chain(option: int, value: float, *steps: int) -> Chain:
    return Chain(option=option, value=value, steps=steps)


FEAST, GATE, TALK = chain(0, 0.3, 0), chain(1, 0.4, 1), chain(2, 0.2, 2)


def options(found: list[Chain]) -> list[int]:
    return [one.option for one in found]


def taught(times: int, *, option: int, won: bool) -> LineRanking:
    ranking = LineRanking()
    for _ in range(times):
        ranking.ranked((GATE, FEAST, TALK), ASKED, ACTIONS, line)
        ranking.learn(option, won=won)
    return ranking


def test_who_has_learned_nothing_ranks_by_worth_alone():
    found = LineRanking().ranked((TALK, FEAST, GATE), ASKED, ACTIONS, line)
    assert options(found) == [1, 0, 2]
    assert [one.value for one in found] == pytest.approx([0.4, 0.3, 0.2])


def test_a_sort_of_line_that_misled_goes_behind_for_other_names_too():
    ranking = taught(4, option=1, won=False)
    gate, feast = chain(0, 0.4, 4), chain(1, 0.3, 3)
    assert options(ranking.ranked((gate, feast), ELSEWHERE, ACTIONS, line)) == [1, 0]


def test_a_sort_of_line_that_led_well_comes_first_for_other_names_too():
    ranking = taught(4, option=0, won=True)
    gate, feast = chain(0, 0.4, 4), chain(1, 0.3, 3)
    assert options(ranking.ranked((gate, feast), ELSEWHERE, ACTIONS, line)) == [1, 0]


def test_a_question_of_another_sort_is_hardly_moved():
    ranking = taught(4, option=1, won=False)
    gate, feast = chain(0, 0.4, 4), chain(1, 0.2, 3)
    found = ranking.ranked((gate, feast), "What opens the door of Krirpo?", ACTIONS, line)
    assert options(found) == [0, 1]


def test_one_step_is_what_the_slope_of_the_likelihood_says():
    ranking = LineRanking()
    ranking.ranked((chain(0, 0.5, 2), chain(1, 0.5)), "Salgo", ACTIONS, line)
    ranking.learn(0, won=True)
    # Both have a chance of a half. The first has the words of its line, and its length; the second
    # has no line, and its length. One word is asked: the one that stands for any.
    (first, second) = ranking.ranked((chain(0, 0.5, 2), chain(1, 0.5)), "Salgo", ACTIONS, line)
    words = len(frozenset(terms(LINES[2])) - named(LINES[2]))
    share = 1.0 / math.sqrt(words)
    slope = 0.5 * share
    rise = words * share * RANKING_STEP * slope / math.sqrt(slope**2 + STEADY)
    long = 0.5 * RANKING_STEP * 0.25 / math.sqrt(0.25**2 + STEADY)
    assert first.value == pytest.approx(0.5 * math.exp((rise + long) / WORTH))
    assert second.value == pytest.approx(0.5 * math.exp(-long / WORTH))


def test_an_act_that_no_chain_led_to_teaches_nothing():
    ranking = taught(4, option=5, won=True)
    found = ranking.ranked((GATE, FEAST, TALK), ASKED, ACTIONS, line)
    assert [one.value for one in found] == pytest.approx([0.4, 0.3, 0.2])


def test_what_came_of_an_act_is_taken_in_once():
    once, twice = taught(1, option=1, won=False), taught(1, option=1, won=False)
    twice.learn(1, won=False)
    rest = (GATE, FEAST, TALK), ASKED, ACTIONS, line
    assert once.ranked(*rest) == twice.ranked(*rest)


steps = st.lists(st.integers(0, len(LINES)), max_size=4).map(tuple)
found = st.lists(
    st.builds(Chain, option=st.integers(0, 2), value=st.floats(0.0, 1.0), steps=steps),
    max_size=3,
    unique_by=lambda one: one.option,
)


@given(st.lists(st.tuples(found, st.integers(0, 2), st.booleans()), max_size=12))
def test_chains_are_ranked_never_made_nor_lost_and_their_worth_stays_in_bounds(turns):
    ranking = LineRanking()
    for chains, option, won in turns:
        ranked = ranking.ranked(chains, ASKED, ACTIONS, line)
        assert sorted((c.option, c.steps) for c in ranked) == sorted(
            (c.option, c.steps) for c in chains
        )
        assert all(0.0 <= one.value <= 1.0 for one in ranked)
        assert [c.value for c in ranked] == sorted((c.value for c in ranked), reverse=True)
        ranking.learn(option, won=won)
