"""TextWorld at work: games made and kept as files, and one game in progress.

Games run in TextWorld's own Python engine over its .json files (facts, commands, score), so that
nothing is compiled and a step takes a millisecond. What is seen is told by `telling`, in plain
sentences, instead of TextWorld's prose.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mags.errors import MissingExtra
from mags_lab.games.adventures.houses import Plan
from mags_lab.games.adventures.state import Predicate, State, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CookLevel:
    """`rooms`: 6, 9 or 12; `ingredients`: of the recipe; `steps`: commands a player has."""

    rooms: int
    ingredients: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dish:
    """An ingredient and what is to be done to it: "fried" and "diced", each or neither."""

    thing: str
    done: tuple[str, ...]


def textworld(part: str = "") -> Any:  # noqa: ANN401 - a module of a library without types
    """TextWorld or a module of it; raises MissingExtra where it is not installed."""
    try:
        return importlib.import_module(f"textworld{part}")
    except ModuleNotFoundError as failure:
        raise MissingExtra(extra="textworld", needed_for="a text adventure") from failure


def kept(path: Path, make: Callable[[], Any]) -> Path:
    """The file of a game, made and saved where it is not there yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.stem}.{os.getpid()}.json")
        make().save(str(unfinished))
        unfinished.rename(path)
    return path


def build(plan: Plan) -> Any:  # noqa: ANN401 - a game of TextWorld
    """The game of a plan: one quest, worth a point, for each thing to carry or to put away."""
    maker = textworld().GameMaker()
    quest, event = textworld(".generator.game").Quest, textworld(".generator.game").Event
    rooms: dict[str, Any] = {}
    for room in dict.fromkeys([plan.start, *(name for name, _, _ in plan.links)]):
        # In small letters: TextWorld gives a new name to what begins with a P or an I.
        rooms[room] = maker.new_room(room.lower())
    joined = set()
    for room, direction, other in plan.links:
        if (other, room) not in joined:
            opposite = next(d for a, d, b in plan.links if (a, b) == (other, room))
            maker.connect(rooms[room].exits[direction], rooms[other].exits[opposite])
            joined.add((room, other))
    maker.set_player(rooms[plan.start])
    things = dict(rooms)
    for thing, room in plan.stands.items():
        things[thing] = maker.new(type="c" if thing in plan.lockers else "s", name=thing)
        if thing in plan.lockers:
            things[thing].add_property("locked")
        rooms[room].add(things[thing])
    for thing, place in plan.lies.items():
        things[thing] = maker.new(type="k" if thing in plan.opens else "o", name=thing)
        things[place].add(things[thing])
    for key, locker in plan.opens.items():
        maker.add_fact("match", things[key], things[locker])
    goals = [("in", things[thing], maker.inventory) for thing in plan.prizes]
    goals += [("on", things[thing], things[plan.belongs[thing]]) for thing in plan.tidied]
    maker.quests = [
        quest(win_events=[event(conditions={maker.new_fact(*goal)})], reward=1) for goal in goals
    ]
    return maker.build()


def build_cooking(level: CookLevel, split: str, seed: int) -> Any:  # noqa: ANN401 - a game
    """A game of TextWorld's own cooking challenge. `split`: of its foods, as it names them."""
    options = textworld().GameOptions()
    options.seeds = seed
    settings = {
        "recipe": level.ingredients,
        "take": level.ingredients,
        "cook": True,
        "cut": True,
        "open": True,
        "go": level.rooms,
        "drop": False,
        "recipe_seed": seed,
        "split": split,
    }
    return textworld(".challenges.tw_cooking.cooking").make(settings, options)


class World:
    """A game in progress."""

    def __init__(self, path: Path) -> None:
        infos = textworld().EnvInfos(facts=True, admissible_commands=True, score=True)
        self._env = textworld(".envs").TextWorldEnv(infos)
        self._env.load(str(path))
        self._state = self._env.reset()
        self.score = 0
        self.over = False

    @property
    def max_score(self) -> int:
        """Points to be had."""
        return int(self._state["max_score"])

    @property
    def commands(self) -> tuple[str, ...]:
        """What TextWorld lets one do now, sorted."""
        return tuple(self._state["admissible_commands"])

    @property
    def dishes(self) -> tuple[Dish, ...]:
        """The ingredients of the recipe, in its order; none in another kind of game."""
        found = self._state["game"].metadata.get("ingredients", [])
        plain = {"raw", "uncut"}
        return tuple(
            Dish(thing=thing, done=tuple(d for d in (cooking, cutting) if d not in plain))
            for thing, cooking, cutting in found
        )

    def state(self) -> State:
        """How things stand now."""
        return state_of(
            Predicate(
                name=fact.name,
                arguments=tuple(argument.name or "" for argument in fact.arguments),
                kinds=tuple(argument.type for argument in fact.arguments),
            )
            for fact in self._state["facts"]
        )

    def do(self, command: str) -> int:
        """Do one of the commands; the points it brought."""
        self._state, score, self.over = self._env.step(command)
        gained = int(score) - self.score
        self.score = int(score)
        return gained
