"""How things stand in an adventure, read from TextWorld's facts into plain names."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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
class State:
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


def state_of(predicates: Iterable[Predicate]) -> State:
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
    return State(
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
