"""Plans of houses for treasure hunts and cleaning, drawn from a seed: no TextWorld yet."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mags_lab.games.adventures.state import OPPOSITE
from mags_lab.games.logic.bank import Bank

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
class Plan:
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


def hunt(level: HuntLevel, bank: Bank, seed: int) -> Plan:
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
    return Plan(
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


def clean(level: CleanLevel, bank: Bank, seed: int) -> Plan:
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
    return Plan(
        start=rooms[0],
        links=linked(rooms, rng),
        stands=stands,
        lies=lies,
        opens={},
        notes={},
        belongs=belongs,
        tidied=tuple(tidied),
    )
