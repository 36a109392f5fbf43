"""Which of the actions offered declines to answer, in whatever words."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mags_lab.games.players.evidence import ALIKE, LEAST, Options
from mags_lab.games.registry import make

WORK = ("At the mill", "At the inn", "At the pier", "At the bank")
HOME = ("In Oslo", "In Bergen", "In Turku", "In Lund")
PASS = "Hm"


def met(*questions: tuple[str, ...]) -> Options:
    options = Options()
    for actions in questions:
        options.meet(actions)
    return options


def test_what_stands_beside_values_of_two_things_declines_to_answer():
    works = [(*WORK[i : i + 2], PASS) for i in range(3)]
    homes = [(*HOME[i : i + 2], PASS) for i in range(3)]
    options = met(*works, *homes)
    assert options.declining == {PASS}
    assert options.decline((*HOME, PASS))
    assert not options.decline(HOME)


def test_a_value_stands_beside_values_of_its_own_thing_however_often():
    assert met(*[WORK] * 50).declining == set()
    assert met(*[(*WORK, PASS)] * 50).declining == set()


def test_one_question_of_another_sort_tells_nothing_yet():
    assert met(*[(*WORK, PASS)] * LEAST, (*HOME, PASS)).declining == set()
    assert met(*[(*WORK, PASS)] * LEAST, *[(*HOME, PASS)] * ALIKE).declining == {PASS}


def test_what_is_offered_seldom_is_no_way_to_decline():
    others = [(f"Feed it {i}", f"Feed it {i + 1}") for i in range(40)]
    assert met(*others, *[(*WORK, PASS)] * 3, *[(*HOME, PASS)] * 3).declining == set()


@given(st.lists(st.sets(st.sampled_from(range(6)), min_size=4, max_size=6), max_size=40))
def test_of_values_of_which_most_stand_at_each_question_none_declines(questions: list[set[int]]):
    assert met(*[tuple(f"Say {i}" for i in one) for one in questions]).declining == set()


def offered(name: str, turns: int) -> Options:
    """What a game offers, one action in four by chance."""
    game, rng, options = make(name), Random(0), Options()
    scene = game.begin(0)
    for _ in range(turns):
        options.meet(scene.actions)
        by_chance = rng.random() < 0.25
        best = sorted(game.truth().best)
        _, following = game.act(rng.choice(scene.actions) if by_chance else best[0])
        if following is None:
            break
        scene = following
    return options


def test_only_the_game_in_which_nothing_may_be_known_offers_to_decline():
    assert offered("companion/short/tuning", 60).declining == {"Say that this is unknown"}
    for name in ("nonsense/tiny/tuning", "mastermind/standard/tuning"):
        assert offered(name, 50).declining == set()
