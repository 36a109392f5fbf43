"""Any game through Gymnasium."""

import importlib
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mags.errors import InvalidInput, MissingExtra, NotFound
from mags_lab.games.gym import MOST_ACTIONS, GameEnv, observed
from mags_lab.games.registry import GAMES, make
from mags_lab.games.turns import GameScene, Outcome, Truth

# The adventures need TextWorld or ScienceWorld: lab/tests/games/adventures begins those.
NOT_HERE = ("nonsense/vast", "hunt/", "clean/", "cook/", "science/")
NAMES = [name for name in GAMES if not name.startswith(NOT_HERE)]


@pytest.mark.parametrize("name", ["nonsense/tiny", "nonsense/easy/tuning", "knights/short"])
def test_gymnasiums_own_checker_finds_nothing(name: str) -> None:
    env = gymnasium.make(f"mags_lab.games.gym:mags/{name.replace('/', '-')}")
    check_env(env.unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_every_game_begins_as_a_text_of_the_observation_space(name: str) -> None:
    env = GameEnv(name)
    seen, info = env.reset(seed=3)
    assert env.observation_space.contains(seen)
    assert seen["actions"].split("\n") == list(make(name).begin(3).actions)
    assert info["action_mask"].sum() == len(seen["actions"].split("\n"))


def test_a_seed_brings_the_same_game_again_and_it_ends() -> None:
    def run() -> list[object]:
        env = GameEnv("nonsense/tiny/tuning")
        rng = np.random.default_rng(5)
        seen, info = env.reset(seed=11)
        met: list[object] = [seen]
        over = False
        while not over:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            seen, reward, over, cut, info = env.step(action)
            met += [seen, reward, over, cut]
        return met

    first = run()
    assert first == run()
    assert len(first) == 1 + 50 * 4
    assert first[-2:] == [True, False]


def test_without_a_seed_each_game_is_another_one() -> None:
    env = GameEnv("nonsense/tiny/tuning")
    assert env.reset(seed=1)[0] != env.reset()[0] != env.reset()[0]


def test_an_action_that_is_not_there_changes_nothing() -> None:
    env = GameEnv("nonsense/tiny/tuning")
    seen, info = env.reset(seed=1)
    again, reward, over, cut, later = env.step(MOST_ACTIONS - 1)
    assert (again, reward, over, cut, later["turn"]) == (seen, 0.0, False, False, info["turn"])


def test_a_scene_with_more_actions_than_the_space_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"has 6 actions, .* 3 places.*most_actions=12"):
        GameEnv("nonsense/tiny/tuning", most_actions=3).reset(seed=1)


class Crowded:
    """A game whose scene has as many actions as a room of ScienceWorld, the last of them right."""

    name = "science/crowded"

    def begin(self, seed: int) -> GameScene:
        """The first and only scene."""
        actions = tuple(f"use {n}" for n in range(115))
        return GameScene(turn=0, at=0.0, said=(), question="What is to be done?", actions=actions)

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """The last one is right."""
        return Outcome(reward=float(action == "use 114"), over=True), None

    def truth(self) -> Truth:
        """What is right."""
        return Truth(best=frozenset({"use 114"}), needed=())


def test_every_action_of_a_crowded_room_can_be_done() -> None:
    env = GameEnv(Crowded())
    _, info = env.reset(seed=1)
    last = int(np.flatnonzero(info["action_mask"])[-1])
    assert (last, env.action_space.n) == (114, 4096)
    assert env.step(last)[1:3] == (1.0, True)


def test_the_result_of_an_action_is_that_of_the_game() -> None:
    env, game = GameEnv("nonsense/tiny/tuning"), make("nonsense/tiny/tuning")
    env.reset(seed=2)
    scene = game.begin(2)
    outcome, following = game.act(scene.actions[1])
    seen, reward, *_ = env.step(1)
    assert following is not None
    assert (seen, reward) == (observed(following), outcome.reward)


def test_nothing_can_be_done_before_the_beginning() -> None:
    with pytest.raises(InvalidInput, match="reset"):
        GameEnv("nonsense/tiny").step(0)


def test_an_unknown_game_is_said_to_be_unknown() -> None:
    with pytest.raises(NotFound, match="nonsense/standard"):
        make("nonsense/enormous")


def test_without_gymnasium_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "mags_lab.games.gym")
    with pytest.raises(MissingExtra, match=r"'./lab\[games\]'"):
        importlib.import_module("mags_lab.games.gym")
