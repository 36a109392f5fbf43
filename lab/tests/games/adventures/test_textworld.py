"""Adventures on TextWorld itself: run with the extra installed (make test-full)."""

import random
from pathlib import Path

import pytest

from mags.errors import InvalidInput
from mags_lab.games.adventures.catalogue import cleaning, cooking, treasure_hunt
from mags_lab.games.adventures.game import AdventureGame
from mags_lab.games.adventures.planner import Planner
from mags_lab.games.turns import GameScene, Truth

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]
KINDS = {"hunt": treasure_hunt, "clean": cleaning, "cook": cooking}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adventures")


@pytest.fixture(params=KINDS)
def game(request: pytest.FixtureRequest, cache: Path) -> AdventureGame:
    pytest.importorskip("textworld", reason="needs the extra textworld")
    return KINDS[request.param]("small", cache=cache)


def walk(game: AdventureGame, seed: int, *, wild: float) -> list[tuple[GameScene, Truth, float]]:
    """Play by the truth, but now and then anyhow."""
    chance = random.Random(7)
    turns = []
    scene: GameScene | None = game.begin(seed)
    while scene is not None:
        truth = game.truth()
        choices = scene.actions if chance.random() < wild else sorted(truth.best)
        outcome, following = game.act(chance.choice(choices))
        turns.append((scene, truth, outcome.reward))
        scene = following
    return turns


def test_the_truth_leads_to_all_points(game: AdventureGame):
    turns = walk(game, 1, wild=0.0)
    assert sum(reward for _, _, reward in turns) == pytest.approx(1.0)


def test_a_planner_that_reads_what_is_needed_does_what_is_best(game: AdventureGame):
    scene: GameScene | None = game.begin(1)
    rewards = 0.0
    while scene is not None:
        truth = game.truth()
        choice = Planner().choose(truth.needed, scene.question, scene.actions)
        assert choice.action in truth.best
        outcome, scene = game.act(choice.action)
        rewards += outcome.reward
    assert rewards == pytest.approx(1.0)


def test_a_planner_that_reads_everything_reaches_all_points(game: AdventureGame):
    scene: GameScene | None = game.begin(2)
    lines: list[str] = []
    rewards = 0.0
    while scene is not None:
        lines += [line.text for line in scene.said]
        choice = Planner().choose(tuple(lines), scene.question, scene.actions)
        outcome, scene = game.act(choice.action)
        rewards += outcome.reward
    assert rewards == pytest.approx(1.0)


def test_every_turn_keeps_the_laws_of_a_game(game: AdventureGame):
    told = set()
    turns = walk(game, 3, wild=0.5)
    for turn, (scene, truth, reward) in enumerate(turns):
        assert scene.turn == turn
        assert 0.0 <= reward <= 1.0
        assert len(set(scene.actions)) == len(scene.actions)
        assert truth.best <= set(scene.actions)
        assert not truth.facts & truth.over
        for (said_turn, place), facts in truth.teaches.items():
            assert said_turn == turn
            assert scene.said[place].text
            told.update(facts)
        assert truth.facts | truth.over == told
        assert not set(truth.rests_on) & truth.over
        assert truth.knowable == (set(truth.rests_on) <= told)
        assert all(set(facts) <= truth.over for facts in truth.ends.values())
    assert turns == walk(game, 3, wild=0.5)


def test_what_is_no_action_is_refused(game: AdventureGame):
    game.begin(1)
    with pytest.raises(InvalidInput, match="cannot be done now"):
        game.act("dance")


def test_gymnasiums_own_checker_finds_nothing_in_an_adventure(game: AdventureGame):
    pytest.importorskip("gymnasium", reason="needs the extra games")
    env_checker = pytest.importorskip("gymnasium.utils.env_checker")
    gym = pytest.importorskip("mags_lab.games.gym")
    env_checker.check_env(gym.GameEnv(game), skip_render_check=True)
