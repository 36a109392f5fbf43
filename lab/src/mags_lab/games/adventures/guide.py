"""One who knows everything: what is useful now, and which sentences show it.

Useful is what brings the goal nearer: here, if there is anything to be done here; else the first
step of a shortest way to the nearest room where there is. It is the truth that moves are scored
by. It takes errands nearest first, which is not always the shortest tour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mags_lab.games.adventures.state import CARRIED, State, distances
from mags_lab.games.adventures.telling import (
    TOOLS,
    Lore,
    asking,
    being,
    belonging,
    link,
    lying,
    opening,
    preparing,
    using,
    wanting,
)
from mags_lab.games.adventures.worlds import Dish
from mags_lab.games.turns import TruthFact

CUTS = {"chopped": "chop", "sliced": "slice", "diced": "dice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """Something worth doing. `room`: where, None: anywhere; `rests_on`: facts that say so."""

    command: str
    room: str | None
    rests_on: tuple[TruthFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """`best`: the commands that are useful now; `rests_on`: the facts that show one of them."""

    best: frozenset[str]
    rests_on: tuple[TruthFact, ...]


def advise(state: State, lore: Lore, prizes: tuple[str, ...], commands: tuple[str, ...]) -> Advice:
    """What to do now. `prizes`: things to be had, in the order in which they can be."""
    errands = [*_hunting(state, lore, prizes), *_tidying(state, lore), *_cooking(state, lore)]
    here = [e for e in errands if e.room in (None, state.here) and e.command in commands]
    if here:
        return Advice(best=frozenset(e.command for e in here), rests_on=here[0].rests_on)
    away = [(_steps(state, e), e.room, e) for e in errands if e.room not in (None, state.here)]
    if not away:
        return Advice(best=frozenset(commands), rests_on=())
    least = min(steps for steps, _, _ in away)
    nearest = [errand for steps, _, errand in away if steps == least]
    best: set[str] = set()
    rests_on: tuple[TruthFact, ...] = ()
    for errand in nearest:
        for way in state.paths(state.here, errand.room or ""):
            step = _first(state, way[0], commands)
            if not best:
                rests_on = (*errand.rests_on, *_along(state, way), *_door(state, way[0], step))
            best.add(step)
    return Advice(best=frozenset(best), rests_on=rests_on)


def _steps(state: State, errand: Errand) -> int:
    return distances(state.exits, errand.room or "").get(state.here, len(state.exits))


def _first(state: State, way: str, commands: tuple[str, ...]) -> str:
    """The step itself, or the opening of the door that is in its way."""
    step = f"go {way}"
    return step if step in commands else f"open {state.doors[state.here, way]}"


def _door(state: State, way: str, step: str) -> Iterator[TruthFact]:
    """That the door in the way is closed, where the step is to open it."""
    if step.startswith("open "):
        yield being(state.doors[state.here, way], "closed")


def _along(state: State, ways: tuple[str, ...]) -> Iterator[TruthFact]:
    room = state.here
    for way in ways:
        yield link(room, way, state.exits[room][way])
        room = state.exits[room][way]


def _fetch(state: State, thing: str, *rests_on: TruthFact) -> Iterator[Errand]:
    """Take a thing from where it is, or first open what it is in."""
    holder = state.holder[thing][1]
    room = state.room_of(thing)
    facts = (*rests_on, lying(state, thing))
    if holder == room:
        yield Errand(command=f"take {thing}", room=room, rests_on=facts)
    elif state.shut(holder):
        facts = (*facts, lying(state, holder))
        yield Errand(command=f"open {holder}", room=room, rests_on=facts)
    else:
        yield Errand(command=f"take {thing} from {holder}", room=room, rests_on=facts)


def _hunting(state: State, lore: Lore, prizes: tuple[str, ...]) -> Iterator[Errand]:
    wanted = next((thing for thing in prizes if thing not in state.carried), None)
    if wanted is None:
        return
    holder = state.holder[wanted][1]
    if "locked" not in state.status.get(holder, frozenset()):
        yield from _fetch(state, wanted)
        return
    key = next(key for key, locker in lore.opens.items() if locker == holder)
    yield Errand(
        command=f"unlock {holder} with {key}",
        room=state.room_of(holder),
        rests_on=(opening(key, holder), lying(state, holder)),
    )


def _tidying(state: State, lore: Lore) -> Iterator[Errand]:
    for thing, place in lore.belongs.items():
        fact = belonging(thing, place)
        if state.holder[thing][1] == CARRIED:
            yield Errand(
                command=f"put {thing} on {place}",
                room=state.room_of(place),
                rests_on=(fact, lying(state, place)),
            )
        elif state.holder[thing][1] != place:
            yield from _fetch(state, thing, fact)


def _cooking(state: State, lore: Lore) -> Iterator[Errand]:
    if not lore.dishes:
        return
    left = [errand for dish in lore.dishes for errand in _preparing(state, dish)]
    if left:
        yield from left
    elif "meal" in state.carried:
        yield Errand(command="eat meal", room=None, rests_on=())
    else:
        asked = [asking(dish) for dish in lore.dishes]
        wanted = [wanting(dish.thing, done) for dish in lore.dishes for done in dish.done]
        facts = (*asked, *wanted, preparing(lore.kitchen))
        yield Errand(command="prepare meal", room=lore.kitchen, rests_on=facts)


def _preparing(state: State, dish: Dish) -> Iterator[Errand]:
    if dish.thing not in state.carried:
        if dish.thing in state.holder:
            yield from _fetch(state, dish.thing, asking(dish))
        return
    for done in dish.done:
        if done in state.status[dish.thing]:
            continue
        fact = wanting(dish.thing, done)
        if done in CUTS and "knife" in state.carried:
            command = f"{CUTS[done]} {dish.thing} with knife"
            yield Errand(command=command, room=None, rests_on=(fact,))
        elif done in CUTS:
            yield from _fetch(state, "knife", fact)
        else:
            tool = TOOLS[done]
            yield Errand(
                command=f"cook {dish.thing} with {tool}",
                room=state.room_of(tool),
                rests_on=(fact, using(done), lying(state, tool)),
            )
