"""What one who reads perfectly reaches in a game with a given memory: the ends of the scale."""

from __future__ import annotations

import random
from collections import deque

from mags.games.turns import Game


def share_right(game: Game, seed: int, *, window: int | None) -> float:
    """The mean reward of a player who is right whenever the lines before it hold what is needed.

    `window`: how many of the last lines it remembers (0: nothing but the turn), None: all of
    them. Without what is needed it takes any action. It cannot put lines together that do not
    decide, so a clever player can be a little better while it learns.
    """
    rng = random.Random(f"{seed}/standings")
    lines: deque[str] = deque(maxlen=window)
    scene = game.begin(seed)
    rewards: list[float] = []
    while True:
        said = [line.text for line in scene.said]
        truth = game.truth()
        known = set(truth.needed) <= {*lines, *said}
        action = rng.choice(sorted(truth.best) if known else scene.actions)
        lines.extend(said)
        outcome, following = game.act(action)
        rewards.append(outcome.reward)
        if following is None:
            return sum(rewards) / len(rewards)
        scene = following
