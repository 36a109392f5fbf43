"""A person plays in the terminal."""

import re

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import InvalidInput, NotFound
from mags_lab.cli.play import named, told_in
from mags_lab.games.registry import GAMES, make


def run(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["play", *words], input=typed, env={"COLUMNS": "200"})


def test_a_game_is_played_by_numbers_until_one_leaves() -> None:
    shown = run("nonsense", "--level", "tiny", "--seed", "1", typed="1\nnonsense\n2\nq\n").output
    game = make("nonsense/tiny/tuning")
    scene = game.begin(1)
    assert scene.question in shown
    assert all(action in shown for action in scene.actions)
    assert f"1 to {len(scene.actions)}" not in shown.split("turn 1")[0]
    assert re.search(r"nonsense/tiny/tuning, seed 1: \d of 2 turns, \d+%", shown)


def test_it_ends_when_there_is_nothing_more_to_read() -> None:
    ended = run("nonsense", "--level", "tiny")
    assert ended.exit_code == 0
    assert "turn 0" in ended.output
    assert "turns," not in ended.output


def test_a_memory_beside_shows_what_it_heard_before() -> None:
    shown = run("--level", "tiny", "--memory", "--k", "2", typed="1\n1\n1\n1\nq\n").output
    turns = shown.split("turn ")
    assert "memory" not in turns[1]
    assert 1 <= turns[4].count("  memory ") <= 2


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (("nonsense", None), "nonsense/easy"),
        (("nonsense", "tiny"), "nonsense/tiny"),
        (("knights/plain", None), "knights/plain"),
        (("chess", None), "chess"),
    ],
)
def test_a_game_is_named_with_or_without_its_level(
    given: tuple[str, str | None], name: str
) -> None:
    assert named(*given) == name


@pytest.mark.parametrize("kind", sorted({name.partition("/")[0] for name in GAMES}))
def test_every_kind_of_game_can_be_named_alone(kind: str) -> None:
    assert named(kind, None) in GAMES


@pytest.mark.parametrize(
    ("name", "bank", "told"),
    [
        ("nonsense/tiny", "tuning", "nonsense/tiny/tuning"),
        ("nonsense/tiny", "scored", "nonsense/tiny"),
        ("nonsense/tiny", "unseen", "nonsense/tiny/unseen"),
        ("nonsense/tiny/unseen", "tuning", "nonsense/tiny/unseen"),
    ],
)
def test_a_game_is_told_in_a_bank_unless_it_names_one(name: str, bank: str, told: str) -> None:
    assert told_in(name, bank) == told


def test_every_game_can_be_told_in_the_bank_that_is_dealt_unasked() -> None:
    assert {told_in(name, "tuning") for name in GAMES} <= GAMES.keys()


def test_an_unknown_bank_is_said_to_be_unknown() -> None:
    assert isinstance(run("nonsense", "--bank", "river").exception, InvalidInput)


def test_an_unknown_level_is_said_to_be_unknown() -> None:
    assert isinstance(run("nonsense", "--level", "endless").exception, NotFound)
