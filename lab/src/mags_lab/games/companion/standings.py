"""What can be reached in a level by one who reads perfectly and remembers this or that.

    python -m mags_lab.games.companion.standings [level] [seeds]

Nobody's model is in it: each column is the share of the questions whose answer follows from what
is remembered, and chance for the rest: "chance" remembers nothing, "opening" what was said in the
first scene, "window" the last so many turns, "all" is the oracle. Only who remembers all knows
that something was never told.
"""

from __future__ import annotations

import sys
from random import Random

from mags_lab.games.companion.cast import level
from mags_lab.games.companion.game import Companion

WINDOWS = (10, 30, 100)
"""Turns that a window goes back."""
CAREFUL = 0.5
"""Share of the answers given rightly, while it is measured."""


def standings(name: str, *, seeds: int = 10, bank: str = "scored") -> dict[str, float]:
    """The shares, by what is remembered; the mean of the seeds 0, 1, ..."""
    games = [_of(Companion(level(name), bank_name=bank), seed) for seed in range(seeds)]
    return {key: sum(game[key] for game in games) / seeds for key in games[0]}


def _of(game: Companion, seed: int) -> dict[str, float]:
    rng = Random(seed)
    scene = game.begin(seed)
    opening = {fact for facts in game.truth().teaches.values() for fact in facts}
    count = 0
    sums = dict.fromkeys(("chance", "opening", *(f"window {n}" for n in WINDOWS), "all"), 0.0)
    while True:
        truth, luck = game.truth(), 1 / len(scene.actions)
        count += 1
        needed = set(truth.rests_on)
        sums["chance"] += luck
        sums["opening"] += 1 if needed and needed <= opening else luck
        sums["all"] += 1
        for turns in WINDOWS:
            sums[f"window {turns}"] += 1 if needed and truth.age <= turns else luck
        right = rng.random() < CAREFUL
        following = game.act(min(truth.best) if right else rng.choice(scene.actions))[1]
        if following is None:
            return {key: total / count for key, total in sums.items()}
        scene = following


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "standard"
    table = standings(chosen, seeds=int(sys.argv[2]) if len(sys.argv) > 2 else 10)
    sys.stdout.write("".join(f"{key:12} {value:.3f}\n" for key, value in table.items()))
