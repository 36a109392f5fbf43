"""What can be reached in a level by one who reads perfectly and remembers this or that.

    python -m mags_lab.games.nonsense.standings [level] [seeds]

Nobody's model is in it: each column is the share of the knowable questions whose answer follows
from what is remembered, and chance for the rest. So it bounds what a player can do with its memory:
"chance" remembers nothing, "told" the opening alone, "window" the last so many turns, "first"
everything, but believes what it heard first, "all" is the oracle. What a memory holds wrongly costs
the question. Whoever meets the game does half of its moves by chance.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from random import Random

from mags_lab.games.nonsense.game import Nonsense, NonsenseInstance
from mags_lab.games.nonsense.levels import level
from mags_lab.games.nonsense.rules import RuleSlot, path

WINDOWS = (10, 30, 100)
"""Turns that a window goes back."""


def standings(name: str, *, seeds: int = 10, bank: str = "scored") -> dict[str, float]:
    """The shares, by what is remembered; the mean of the seeds 0, 1, ..."""
    games = [_of(Nonsense(level(name), bank_name=bank), seed) for seed in range(seeds)]
    return {key: sum(game[key] for game in games) / seeds for key in games[0]}


def _of(game: Nonsense, seed: int) -> dict[str, float]:
    rng = Random(seed)
    scene = game.begin(seed)
    count, sums = 0, dict.fromkeys(("chance", "told", *_windows(), "first", "all"), 0.0)
    told: dict[RuleSlot, str] = {}
    first: dict[RuleSlot, str] = {}
    while True:
        instance, truth = game.running(), game.truth()
        for slot, value in instance.known.items():
            first.setdefault(slot, value)
            if scene.turn < game.level.opening:
                told[slot] = value
        if truth.knowable:
            count += 1
            luck = 1 / len(scene.actions)
            sums["chance"] += luck
            sums["told"] += _right(told, instance, luck)
            sums["first"] += _right(first, instance, luck)
            sums["all"] += 1
            for key, turns in _windows().items():
                sums[key] += 1 if truth.age <= turns else luck
        action = min(truth.best) if rng.random() < 0.5 else rng.choice(scene.actions)
        following = game.act(action)[1]
        if following is None:
            return {key: total / count for key, total in sums.items()}
        scene = following


def _windows() -> dict[str, int]:
    return {f"window {turns}": turns for turns in WINDOWS}


def _right(remembered: Mapping[RuleSlot, str], instance: NonsenseInstance, luck: float) -> float:
    """Whether what is remembered decides rightly; luck where it decides nothing."""
    found = path(remembered, instance.decision, instance.honest)
    return luck if found is None else float(found.answer == instance.answer)


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else "standard"
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    table = standings(name, seeds=seeds)
    sys.stdout.write("".join(f"{key:12} {value:.3f}\n" for key, value in table.items()))
