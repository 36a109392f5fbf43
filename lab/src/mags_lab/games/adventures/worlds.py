"""Houses drawn from a seed, made into games of TextWorld, and one game in progress as a state.

Games run in TextWorld's own Python engine over its .json files (facts, commands, score), so that
nothing is compiled and a step takes a millisecond. What is seen is told by `telling`, in plain
sentences, instead of TextWorld's prose.
"""

from __future__ import annotations

import importlib
import os
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mags.errors import MissingExtra
from mags_lab.games.logic.bank import LogicBank

DIRECTIONS = ("north", "east", "south", "west")
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
STATUSES = frozenset(
    {"open", "closed", "locked", "raw", "fried", "roasted", "grilled", "burned"}
    | {"uncut", "chopped", "sliced", "diced", "cooked"}
)
HELD = {"in": "in", "on": "on", "at": "in"}
CARRIED = "you"


@dataclass(frozen=True, slots=True, order=True)
class Predicate:
    """A fact of TextWorld in names: `north_of("hall", "kitchen")`; "P" the player, "I" a bag."""

    name: str
    arguments: tuple[str, ...]
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseState:
    """`exits`: room to direction to room; `doors`: (room, direction) to door; `holder`: thing to
    (in or on, room or thing or "you"); `status`: thing to what it is ("open", "fried");
    `kinds`: thing to TextWorld's letter of its kind.
    """

    here: str
    exits: Mapping[str, Mapping[str, str]]
    doors: Mapping[tuple[str, str], str]
    holder: Mapping[str, tuple[str, str]]
    status: Mapping[str, frozenset[str]]
    kinds: Mapping[str, str] = field(default_factory=dict)

    def room_of(self, thing: str) -> str | None:
        """The room where a thing is; None while it is carried or out of the world."""
        seen = 0
        while thing in self.holder and seen < len(self.holder):
            thing = self.holder[thing][1]
            seen += 1
        return thing if thing in self.exits else None

    @property
    def carried(self) -> tuple[str, ...]:
        """What the player carries, by name."""
        return tuple(sorted(t for t, (_, holder) in self.holder.items() if holder == CARRIED))

    def held_by(self, holder: str) -> tuple[str, ...]:
        """What lies in or on a thing, or in a room without anything under it."""
        return tuple(sorted(t for t, (_, where) in self.holder.items() if where == holder))

    def shut(self, thing: str) -> bool:
        """Whether a container or a door is closed or locked."""
        return bool(self.status.get(thing, frozenset()) & {"closed", "locked"})

    def path(self, start: str, goal: str) -> tuple[str, ...]:
        """The directions of one shortest way; empty at the goal itself."""
        return next(iter(self.paths(start, goal)), ())

    def paths(self, start: str, goal: str) -> Iterator[tuple[str, ...]]:
        """A shortest way for each first step that begins one."""
        away = distances(self.exits, goal)
        for first, room in sorted(self.exits[start].items()):
            if away.get(room, len(away)) >= away.get(start, 0):
                continue
            way = [first]
            while room != goal:
                step = min(d for d, r in self.exits[room].items() if away[r] < away[room])
                way.append(step)
                room = self.exits[room][step]
            yield tuple(way)


def distances(exits: Mapping[str, Mapping[str, str]], goal: str) -> dict[str, int]:
    """Steps to the goal from every room from which it can be reached, doors taken as open."""
    back: dict[str, list[str]] = {}
    for room, ways in exits.items():
        for other in ways.values():
            back.setdefault(other, []).append(room)
    away = {goal: 0}
    queue = deque([goal])
    while queue:
        room = queue.popleft()
        for other in back.get(room, ()):
            if other not in away:
                away[other] = away[room] + 1
                queue.append(other)
    return away


def state_of(predicates: Iterable[Predicate]) -> HouseState:
    """The state that TextWorld's facts describe. Rooms are written in capitals: "Dining Room"."""
    exits: dict[str, dict[str, str]] = {}
    links: dict[tuple[str, str], str] = {}
    holder: dict[str, tuple[str, str]] = {}
    status: dict[str, set[str]] = {}
    kinds: dict[str, str] = {}
    here = ""
    for fact in predicates:
        kinds.update(zip(fact.arguments, fact.kinds, strict=True))
        direction = fact.name.removesuffix("_of")
        if direction in DIRECTIONS:
            other, room = map(room_name, fact.arguments)
            exits.setdefault(room, {})[direction] = other
            exits.setdefault(other, {})
        elif fact.name == "link":
            room, door, other = fact.arguments
            links[room_name(room), room_name(other)] = door
        elif fact.name == "at" and fact.arguments[0] == "P":
            here = room_name(fact.arguments[1])
        elif fact.name in HELD and "RECIPE" not in fact.arguments:
            thing, place = fact.arguments
            place = room_name(place) if fact.name == "at" else place
            holder[thing] = (HELD[fact.name], CARRIED if place == "I" else place)
        elif fact.name in STATUSES and fact.kinds != ("ingredient",):
            status.setdefault(fact.arguments[0], set()).add(fact.name)
    exits.setdefault(here, {})
    doors = {
        (room, direction): links[room, other]
        for room, ways in exits.items()
        for direction, other in ways.items()
        if (room, other) in links
    }
    return HouseState(
        here=here,
        exits=exits,
        doors=doors,
        holder=holder,
        status={thing: frozenset(found) for thing, found in status.items()},
        kinds=kinds,
    )


def room_name(name: str) -> str:
    """A room as sentences write it: every word with a capital."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split(" "))


STEPS = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntLevel:
    """`rooms`; `keys`: each opens the locker that holds the next, the last the treasure's;
    `decoys`: lockers that no key opens; `steps`: commands a player has.
    """

    rooms: int
    keys: int
    decoys: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanLevel:
    """`rooms`; `misplaced`: things that are not where they belong; `steps`: commands at most."""

    rooms: int
    misplaced: int
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HousePlan:
    """A house and what is in it.

    `links`: (room, direction, room), one way each; `stands`: locker or furniture to its room;
    `lies`: a thing to the room, locker or furniture where it is; `lockers`: those of `stands` that
    are locked; `opens`: key to locker; `notes`: note to the key it speaks of; `belongs`: a thing
    to its furniture; `prizes`: things to carry, `tidied`: things to put where they belong, each
    worth a point.
    """

    start: str
    links: tuple[tuple[str, str, str], ...]
    stands: Mapping[str, str]
    lies: Mapping[str, str]
    lockers: tuple[str, ...] = ()
    opens: Mapping[str, str]
    notes: Mapping[str, str]
    belongs: Mapping[str, str]
    prizes: tuple[str, ...] = ()
    tidied: tuple[str, ...] = ()


def linked(rooms: Sequence[str], rng: random.Random) -> tuple[tuple[str, str, str], ...]:
    """Rooms on a grid, all within reach of the first; some neighbours have a second way."""
    at = {(0, 0): rooms[0]}
    links = []
    for room in rooms[1:]:
        while True:
            (x, y), beside = rng.choice(sorted(at.items()))
            direction = rng.choice(sorted(STEPS))
            cell = (x + STEPS[direction][0], y + STEPS[direction][1])
            if cell not in at:
                break
        at[cell] = room
        links.append((beside, direction, room))
    known = {frozenset((a, b)) for a, _, b in links}
    for (x, y), room in sorted(at.items()):
        for direction in ("east", "north"):
            other = at.get((x + STEPS[direction][0], y + STEPS[direction][1]))
            if other and frozenset((room, other)) not in known and rng.random() < 0.3:
                links.append((room, direction, other))
    return tuple(links) + tuple((b, OPPOSITE[d], a) for a, d, b in links)


def hunt(level: HuntLevel, bank: LogicBank, seed: int) -> HousePlan:
    """A treasure in a locker whose key lies in another, and so on to a key on the floor."""
    rng = random.Random(f"{seed}/hunt")
    colours = bank.pick("colour", rng, len(bank.words["colour"]))
    kinds = bank.words["chamber"]
    names = [f"{colour} {kind}".title() for colour in colours for kind in kinds]
    rooms = rng.sample(names, level.rooms)
    box, key = bank.words["box"][0], bank.words["key"][0]
    boxes = [f"{colour} {box}" for colour in bank.pick("stuff", rng, level.keys + level.decoys)]
    keys = [f"{key} {count + 1}" for count in range(level.keys)]
    where = [*rng.sample(rooms[1:], level.keys + level.decoys - 1), rooms[0]]
    stands = dict(zip(reversed(boxes), reversed(where), strict=True))
    chain = [boxes[-1], *boxes[: level.keys - 1]][::-1]
    treasure = bank.words["treasure"][0]
    lies = {keys[0]: rooms[0], treasure: chain[-1]}
    lies |= dict(zip(keys[1:], chain, strict=False))
    notes = {f"note {count + 1}": name for count, name in enumerate(keys)}
    lies |= {note: lies[name] for note, name in notes.items()}
    return HousePlan(
        start=rooms[0],
        links=linked(rooms, rng),
        stands=stands,
        lies=lies,
        lockers=tuple(boxes),
        opens=dict(zip(keys, chain, strict=True)),
        notes=notes,
        belongs={},
        prizes=(*keys, treasure),
    )


def clean(level: CleanLevel, bank: LogicBank, seed: int) -> HousePlan:
    """A house in which some things lie where they do not belong."""
    rng = random.Random(f"{seed}/clean")
    rooms = bank.pick("room", rng, level.rooms)
    stands: dict[str, str] = {}
    belongs: dict[str, str] = {}
    for room in rooms:
        for furniture in bank.words[f"in {room}"]:
            stands[furniture] = room
            belongs |= dict.fromkeys(bank.words[f"on {furniture}"], furniture)
    lies = dict(belongs)
    tidied = sorted(rng.sample(sorted(belongs), level.misplaced))
    for thing in tidied:
        away = [place for place in stands if stands[place] != stands[belongs[thing]]]
        lies[thing] = rng.choice(away)
    return HousePlan(
        start=rooms[0],
        links=linked(rooms, rng),
        stands=stands,
        lies=lies,
        opens={},
        notes={},
        belongs=belongs,
        tidied=tuple(tidied),
    )


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


def build(plan: HousePlan) -> Any:  # noqa: ANN401 - a game of TextWorld
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


class HouseGame:
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

    def state(self) -> HouseState:
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
