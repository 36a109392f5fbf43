"""The levels of the adventures, after those of AriGraph (arXiv 2407.04363), and games by name.

There the treasure hunts have 12, 16 and 36 rooms with 4, 5 and 7 keys, the cooking games 9 and 12
rooms with 3 to 5 ingredients, the cleaning 9 rooms with 11 things out of place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from mags_lab.games.adventures.game import Adventure, AdventureGame
from mags_lab.games.adventures.science import KIND as SCIENCE
from mags_lab.games.adventures.science import TASKS, ScienceGame
from mags_lab.games.adventures.telling import Lore
from mags_lab.games.adventures.worlds import (
    CleanLevel,
    CookLevel,
    HouseGame,
    HousePlan,
    HuntLevel,
    build,
    build_cooking,
    clean,
    hunt,
    kept,
)
from mags_lab.games.logic.bank import load, titled
from mags_lab.games.sentences import BANKS
from mags_lab.games.turns import Game

HUNT = {
    "small": HuntLevel(rooms=6, keys=2, decoys=1, steps=25),
    "medium": HuntLevel(rooms=12, keys=4, decoys=3, steps=60),
    "large": HuntLevel(rooms=36, keys=7, decoys=5, steps=140),
}
CLEAN = {
    "small": CleanLevel(rooms=4, misplaced=3, steps=25),
    "medium": CleanLevel(rooms=9, misplaced=11, steps=75),
    "large": CleanLevel(rooms=12, misplaced=20, steps=120),
}
COOK = {
    "small": CookLevel(rooms=6, ingredients=2, steps=25),
    "medium": CookLevel(rooms=9, ingredients=3, steps=45),
    "large": CookLevel(rooms=12, ingredients=5, steps=70),
}
PACKAGE = "mags_lab.games.adventures"
CACHE = Path(".cache/adventures")


def treasure_hunt(level: str, bank: str = "scored", *, cache: Path = CACHE) -> AdventureGame:
    """Lockers, keys and notes. Games are made into `cache`. Raises KeyError for other levels."""
    chosen, words = HUNT[level], load("hunt", bank, PACKAGE)

    def planned(seed: int) -> Adventure:
        plan = hunt(chosen, words, seed)
        path = kept(cache / f"hunt-{level}-{bank}-{seed}.json", partial(build, plan))
        return Adventure(path=path, lore=partial(_told, plan), prizes=plan.prizes)

    return _game("hunt", level, chosen.steps, planned, bank)


def cleaning(level: str, bank: str = "scored", *, cache: Path = CACHE) -> AdventureGame:
    """Things to bring where they belong. Raises KeyError for other levels."""
    chosen, words = CLEAN[level], load("clean", bank, PACKAGE)

    def planned(seed: int) -> Adventure:
        plan = clean(chosen, words, seed)
        path = kept(cache / f"clean-{level}-{bank}-{seed}.json", partial(build, plan))
        return Adventure(path=path, lore=partial(_told, plan), puts=True)

    return _game("clean", level, chosen.steps, planned, bank)


def cooking(level: str, bank: str = "scored", *, cache: Path = CACHE) -> AdventureGame:
    """A recipe, its ingredients and the kitchen. Raises KeyError for other levels."""
    chosen, words = COOK[level], load("cook", bank, PACKAGE)
    split = words.words["split"][0]

    def planned(seed: int) -> Adventure:
        path = cache / f"cook-{level}-{bank}-{seed}.json"
        kept(path, partial(build_cooking, chosen, split, seed))
        return Adventure(path=path, lore=_recipe)

    return _game("cook", level, chosen.steps, planned, bank)


def _game(
    kind: str, level: str, steps: int, planned: Callable[[int], Adventure], bank: str
) -> AdventureGame:
    return AdventureGame(
        name=titled(kind, level, bank),
        steps=steps,
        plan=planned,
        words=load(kind, bank, PACKAGE),
        tell=load("tell", bank, PACKAGE),
    )


def _told(plan: HousePlan, world: HouseGame) -> Lore:
    return Lore(belongs=plan.belongs, opens=plan.opens, notes=plan.notes)


def _recipe(world: HouseGame) -> Lore:
    return Lore(belongs={}, opens={}, notes={}, dishes=world.dishes, kitchen="Kitchen")


KINDS: Mapping[str, tuple[Callable[..., Game], tuple[str, ...]]] = {
    "hunt": (treasure_hunt, tuple(HUNT)),
    "clean": (cleaning, tuple(CLEAN)),
    "cook": (cooking, tuple(COOK)),
}
"""What makes each kind, from a level and a bank, and its levels."""
POINTS = frozenset({*KINDS, SCIENCE})
"""Kinds whose score is a sum of points, each to be had once."""
GAMES: Mapping[str, Callable[[], Game]] = {
    titled(kind, level, bank): partial(make, level, bank)
    for bank in BANKS
    for kind, (make, levels) in {**KINDS, SCIENCE: (ScienceGame, TASKS)}.items()
    for level in levels
}
