"""What an adventure says: plain sentences that stand alone, each with the facts it tells."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mags_lab.games.adventures.worlds import CARRIED, DIRECTIONS, Dish, HouseState
from mags_lab.games.logic.bank import LogicBank, listed
from mags_lab.games.turns import TruthFact

TOOLS = {"fried": "stove", "roasted": "oven", "grilled": "BBQ"}
STATES = ("locked", "closed", "open")
BOXES = frozenset({"c", "oven"})
Said = tuple[str, tuple[TruthFact, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lore:
    """What is so from the beginning to the end, besides the house. `belongs`: thing to its place;
    `opens`: key to locker; `notes`: note to key; `dishes`: of the recipe; `kitchen`: where the
    meal is prepared, "" for none.
    """

    belongs: Mapping[str, str]
    opens: Mapping[str, str]
    notes: Mapping[str, str]
    dishes: tuple[Dish, ...] = ()
    kitchen: str = ""


def facts_of(state: HouseState, lore: Lore) -> frozenset[TruthFact]:
    """Everything that is so now and that a line may tell."""
    found = [link(room, way, other) for room, w in state.exits.items() for way, other in w.items()]
    found += [lying(state, thing) for thing in state.holder]
    found += [being(thing, one) for thing, all_ in state.status.items() for one in all_]
    found += [belonging(thing, place) for thing, place in lore.belongs.items()]
    found += [opening(key, locker) for key, locker in lore.opens.items()]
    for dish in lore.dishes:
        found += [asking(dish), *(wanting(dish.thing, done) for done in dish.done)]
    if lore.dishes:
        found += [preparing(lore.kitchen), *(using(done) for done in TOOLS)]
    return frozenset(found)


def link(room: str, way: str, other: str) -> TruthFact:
    """A room lies on one side of another."""
    return TruthFact(subject=other, relation=f"is {way} of", object=room)


def lying(state: HouseState, thing: str) -> TruthFact:
    """Where a thing is."""
    how, holder = state.holder[thing]
    if holder == CARRIED:
        return TruthFact(subject=thing, relation="is carried by", object=CARRIED)
    return TruthFact(subject=thing, relation=f"is {how}", object=holder)


def being(thing: str, what: str) -> TruthFact:
    """What a thing is: open, fried."""
    return TruthFact(subject=thing, relation="is", object=what)


def belonging(thing: str, place: str) -> TruthFact:
    """Where a thing belongs."""
    return TruthFact(subject=thing, relation="belongs on", object=place)


def opening(key: str, locker: str) -> TruthFact:
    """What a key opens."""
    return TruthFact(subject=key, relation="opens", object=locker)


def asking(dish: Dish) -> TruthFact:
    """What the recipe needs."""
    return TruthFact(subject="recipe", relation="asks for", object=dish.thing)


def wanting(thing: str, done: str) -> TruthFact:
    """What the recipe wants done to a thing."""
    return TruthFact(subject=thing, relation="is to be", object=done)


def using(done: str) -> TruthFact:
    """With what a thing is fried, roasted, grilled."""
    return TruthFact(subject=done, relation="is done with", object=TOOLS[done])


def preparing(kitchen: str) -> TruthFact:
    """Where the meal is put together."""
    return TruthFact(subject="meal", relation="is prepared in", object=kitchen)


def article(thing: str, state: HouseState) -> str:
    """A thing with its article, and with what was done to it where that is not plain."""
    done = sorted(state.status.get(thing, frozenset()) - {"raw", "uncut", "cooked", *STATES})
    named = " ".join([*done, thing])
    return f"{'an' if named[0] in 'aeiou' else 'a'} {named}"


class Teller:
    """Says things in the words of a bank. `chance`: chooses between phrasings."""

    def __init__(self, bank: LogicBank, chance: random.Random) -> None:
        self._bank = bank
        self._chance = chance

    def say(self, key: str, **slots: str) -> str:
        """One sentence."""
        return self._bank.say(key, self._chance, **slots)

    def arrive(self, state: HouseState, room: str) -> Iterator[Said]:
        """What one sees in a room: ways out, doors, boxes, furniture and what lies there."""
        ways = [way for way in DIRECTIONS if way in state.exits[room]]
        yield self.say("exits", room=room, ways=listed(tuple(ways))), ()
        for way in ways:
            door = state.doors.get((room, way))
            if door is not None:
                what = self._state(state, door)
                text = self.say("door", room=room, door=door, way=way, state=what)
                yield text, (being(door, what),)
        held = [thing for thing in state.held_by(room) if state.kinds[thing] != "P"]
        plain = [t for t in held if state.kinds[t] not in BOXES and not self._loose(state, t)]
        if plain:
            yield self._things("furniture", state, plain, room=room)
        for thing in held:
            if state.kinds[thing] in BOXES:
                yield self._box(state, thing, room)
            if not state.shut(thing):
                yield from self.held(state, thing)
        loose = [thing for thing in held if self._loose(state, thing)]
        if loose:
            yield self._things("floor", state, loose, room=room)

    def held(self, state: HouseState, holder: str) -> Iterator[Said]:
        """What lies in or on a thing, if anything does."""
        things = state.held_by(holder)
        if things:
            how = state.holder[things[0]][0]
            room = state.room_of(holder) or ""
            yield self._things(how, state, things, room=room, holder=holder)

    def _things(self, key: str, state: HouseState, things: Sequence[str], **slots: str) -> Said:
        named = listed(tuple(article(thing, state) for thing in things))
        return self.say(key, things=named, **slots), tuple(lying(state, t) for t in things)

    def _box(self, state: HouseState, thing: str, room: str) -> Said:
        what = self._state(state, thing)
        text = self.say("box", room=room, things=article(thing, state), state=what)
        return text, (lying(state, thing), being(thing, what))

    @staticmethod
    def _loose(state: HouseState, thing: str) -> bool:
        return state.kinds[thing] in ("k", "o", "f", "meal")

    @staticmethod
    def _state(state: HouseState, thing: str) -> str:
        return next(s for s in STATES if s in state.status.get(thing, {"open"}))

    def did(self, command: str, before: HouseState, after: HouseState) -> Iterator[Said]:
        """What a command did."""
        verb, thing, place = parsed(command)
        if verb == "go":
            fact = link(before.here, thing, after.here)
            yield self.say("go", way=thing, before=before.here, room=after.here), (fact,)
            yield from self.arrive(after, after.here)
            return
        facts = tuple(
            fact
            for fact in (
                *(being(thing, s) for s in sorted(after.status.get(thing, frozenset()))),
                *([lying(after, thing)] if thing in after.holder else []),
            )
            if fact.object not in before.status.get(thing, frozenset())
            and not (thing in before.holder and fact == lying(before, thing))
        )
        yield self.say(verb, thing=thing, place=place, room=after.here), facts
        if verb == "open" and thing in after.holder:
            yield from self.held(after, thing)

    def recipe(self, lore: Lore) -> Iterator[Said]:
        """What the cookbook says."""
        for dish in lore.dishes:
            yield self.say("needs", thing=dish.thing), (asking(dish),)
            for done in dish.done:
                yield self.say(done, thing=dish.thing), (wanting(dish.thing, done),)

    def note(self, key: str, locker: str) -> Said:
        """What a note says."""
        return self.say("opens", thing=key, place=locker), (opening(key, locker),)

    def told_first(self, lore: Lore) -> Iterator[Said]:
        """What is said before the first step."""
        for thing, place in sorted(lore.belongs.items()):
            yield self.say("belongs", thing=thing, place=place), (belonging(thing, place),)
        if lore.dishes:
            for done in TOOLS:
                yield self.fact(using(done)), (using(done),)
            yield self.fact(preparing(lore.kitchen)), (preparing(lore.kitchen),)

    def fact(self, fact: TruthFact, state: HouseState | None = None) -> str:
        """A sentence that says a fact; of where things lie only with the state."""
        keys = {"belongs on": "belongs", "opens": "opens"}
        if fact.relation == "is prepared in":
            return self.say("kitchen", room=fact.object)
        if fact.relation == "is done with":
            return self.say(f"with_{fact.object}")
        if fact.relation.endswith(" of"):
            way = fact.relation.split()[1]
            return self.say(way, room=fact.object, other=fact.subject)
        if fact.relation in keys:
            return self.say(keys[fact.relation], thing=fact.subject, place=fact.object)
        if fact.relation == "asks for":
            return self.say("needs", thing=fact.object)
        if fact.relation == "is to be":
            return self.say(fact.object, thing=fact.subject)
        assert state is not None, "where a thing lies depends on the state"
        if fact.relation == "is":
            return self._door(fact, state)
        return self._where(fact, state)

    def _door(self, fact: TruthFact, state: HouseState) -> str:
        """Seen from the room where one is, if the door is there."""
        sides = [side for side, door in state.doors.items() if door == fact.subject]
        room, way = min(sides, key=lambda side: (side[0] != state.here, side))
        return self.say("door", room=room, door=fact.subject, way=way, state=fact.object)

    def _where(self, fact: TruthFact, state: HouseState) -> str:
        thing, holder = fact.subject, fact.object
        room = state.room_of(thing) or ""
        if holder != room:
            how = state.holder[thing][0]
            return self._things(how, state, [thing], room=room, holder=holder)[0]
        if state.kinds[thing] in BOXES:
            return self._box(state, thing, room)[0]
        key = "floor" if self._loose(state, thing) else "furniture"
        return self._things(key, state, [thing], room=room)[0]


def parsed(command: str) -> tuple[str, str, str]:
    """A command taken apart: ("unlock", "oak locker", "key 1"), ("go", "north", "")."""
    verb, _, rest = command.partition(" ")
    for word in (" from ", " with ", " into ", " on "):
        thing, found, place = rest.partition(word)
        if found:
            return verb, thing, place
    return verb, rest, ""
