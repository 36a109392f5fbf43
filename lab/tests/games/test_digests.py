"""Games stay as they were: a level, a bank and a seed give the same words as on the first day."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

import pytest

import mags_lab.games.logic
import mags_lab.games.nonsense
from mags_lab.games.registry import make
from mags_lab.games.turns import GameScene

DIGESTS = Path(__file__).parent / "digests.toml"
KEPT: dict[str, dict[str, str]] = tomllib.loads(DIGESTS.read_text("utf-8"))
TURNS = 40


def played(name: str, *, seed: int = 7, turns: int = TURNS) -> str:
    """SHA-256 of what a game says where the first of the actions in order is done each turn."""
    game = make(name)
    scene: GameScene | None = game.begin(seed)
    digest = hashlib.sha256()
    for _ in range(turns):
        if scene is None:
            break
        said = [[line.speaker, line.text, line.at] for line in scene.said]
        words = [said, scene.question, scene.actions, sorted(game.truth().best)]
        digest.update(json.dumps(words).encode())
        scene = game.act(min(scene.actions))[1]
    return digest.hexdigest()


@pytest.mark.parametrize("name", KEPT["games"])
def test_a_game_says_what_it_said_when_it_was_committed(name: str):
    assert played(name) == KEPT["games"][name]


@pytest.mark.parametrize("name", KEPT["banks"])
def test_a_bank_holds_the_bytes_that_were_committed(name: str):
    kind, bank = name.split("/")
    package = {"nonsense": mags_lab.games.nonsense, "logic": mags_lab.games.logic}[kind]
    path = Path(str(package.__file__)).parent / "data" / f"{bank}.toml"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == KEPT["banks"][name]
