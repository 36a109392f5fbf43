"""What one who reads perfectly reaches in a game with a given memory: the ends of the scale."""

from __future__ import annotations

import random
import sys
from collections import deque

from mags_lab.games.logic.catalogue import GAMES
from mags_lab.games.turns import Game

WINDOWS = {"nothing": 0, "20 lines": 20, "100 lines": 100, "all": None}


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


if __name__ == "__main__":
    kept = GAMES[sys.argv[1]]()
    seeds = range(int(sys.argv[2]))
    for called, size in WINDOWS.items():
        shares = [share_right(kept, seed, window=size) for seed in seeds]
        sys.stdout.write(f"{called:12} {sum(shares) / len(shares):.3f}\n")
