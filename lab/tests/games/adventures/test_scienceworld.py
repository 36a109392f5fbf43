"""ScienceWorld as a game: what can be told without it, and itself where it and Java are."""

import gc
import shutil
import sys
import warnings
from collections.abc import Iterator

import pytest

from mags.errors import ConfigurationError, InvalidInput, MissingExtra
from mags_lab.games.adventures.science import TASKS, ScienceGame, said_of, scienceworld, seen
from mags_lab.games.registry import make
from mags_lab.games.turns import GameScene

LOOK = (
    "This room is called the hallway. In it, you see: \n\tthe agent\n\ta substance called air\n"
    "You also see:\n\tA door to the kitchen (that is open)\n"
)


def test_a_look_is_told_in_sentences_that_stand_alone():
    assert seen(LOOK) == (
        "hallway",
        (
            "In the hallway: a substance called air.",
            "In the hallway: A door to the kitchen (that is open).",
        ),
    )
    assert seen("This outside location is called the outside. Here you see: \n\ta fire pit\n") == (
        "outside",
        ("In the outside: a fire pit.",),
    )


def test_what_came_of_a_command_is_one_line():
    assert said_of("You move\n\tto the  kitchen.") == "You move to the kitchen."


def test_every_task_is_a_game_of_both_banks():
    assert {make(f"science/{task}").name for task in TASKS} == {f"science/{t}" for t in TASKS}
    assert make("science/boil/tuning").name == "science/boil/tuning"


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "scienceworld", None)
    with pytest.raises(MissingExtra, match=r"'./lab\[scienceworld\]'"):
        ScienceGame("boil").begin(0)


def test_without_java_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "scienceworld", pytest)  # any module: only Java is looked for
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError, match="install a Java runtime"):
        scienceworld()


def test_nothing_can_be_done_outside_a_game():
    game = ScienceGame("boil")
    with pytest.raises(InvalidInput, match="begin one first"):
        game.act("wait")
    with pytest.raises(InvalidInput, match="begin a game first"):
        game.truth()


@pytest.fixture(scope="module")
def game() -> Iterator[ScienceGame]:
    pytest.importorskip("scienceworld", reason="needs the extra scienceworld")
    if shutil.which("java") is None:
        pytest.skip("needs Java")
    made = ScienceGame("find-living-thing", "tuning")
    yield made
    with warnings.catch_warnings():  # the library leaves a pipe and a folder to the collector
        warnings.simplefilter("ignore")
        made.close()
        gc.collect()


@pytest.mark.full
def test_its_own_way_leads_to_all_points(game: ScienceGame):
    scene: GameScene | None = game.begin(0)
    points = 0.0
    while scene is not None:
        (step,) = game.truth().best
        assert len(set(scene.actions)) == len(scene.actions)
        outcome, scene = game.act(step)
        points += outcome.reward
    assert points == pytest.approx(1.0)


@pytest.mark.full
def test_a_seed_gives_the_same_game_and_another_way_has_no_best(game: ScienceGame):
    first = game.begin(3)
    assert game.begin(3) == first
    assert "reset task" not in first.actions
    assert all("\n" not in line.text for line in first.said)
    aside = next(one for one in first.actions if one not in game.truth().best)
    _, scene = game.act(aside)
    assert scene is not None
    assert game.truth().best == frozenset()
    with pytest.raises(InvalidInput, match="cannot be done now"):
        game.act("sing")
