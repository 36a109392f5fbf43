"""A text adventure behind the protocol of a game, and what is useful to do in it.

Moves are scored by one who knows everything (`advise`). Useful is what brings the goal nearer:
here, if there is anything to be done here; else the first step of a shortest way to the nearest
room where there is. It takes errands nearest first, which is not always the shortest tour.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.games.adventures.telling import (
    TOOLS,
    Lore,
    Said,
    Teller,
    article,
    asking,
    being,
    belonging,
    facts_of,
    link,
    lying,
    opening,
    preparing,
    using,
    wanting,
)
from mags_lab.games.adventures.worlds import CARRIED, Dish, HouseGame, HouseState, distances
from mags_lab.games.logic.bank import LogicBank, listed
from mags_lab.games.turns import GameLine, GameScene, Outcome, Truth, TruthFact, check
from mags_lab.games.turns import Said as Place

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


def advise(
    state: HouseState, lore: Lore, prizes: tuple[str, ...], commands: tuple[str, ...]
) -> Advice:
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


def _steps(state: HouseState, errand: Errand) -> int:
    return distances(state.exits, errand.room or "").get(state.here, len(state.exits))


def _first(state: HouseState, way: str, commands: tuple[str, ...]) -> str:
    """The step itself, or the opening of the door that is in its way."""
    step = f"go {way}"
    return step if step in commands else f"open {state.doors[state.here, way]}"


def _door(state: HouseState, way: str, step: str) -> Iterator[TruthFact]:
    """That the door in the way is closed, where the step is to open it."""
    if step.startswith("open "):
        yield being(state.doors[state.here, way], "closed")


def _along(state: HouseState, ways: tuple[str, ...]) -> Iterator[TruthFact]:
    room = state.here
    for way in ways:
        yield link(room, way, state.exits[room][way])
        room = state.exits[room][way]


def _fetch(state: HouseState, thing: str, *rests_on: TruthFact) -> Iterator[Errand]:
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


def _hunting(state: HouseState, lore: Lore, prizes: tuple[str, ...]) -> Iterator[Errand]:
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


def _tidying(state: HouseState, lore: Lore) -> Iterator[Errand]:
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


def _cooking(state: HouseState, lore: Lore) -> Iterator[Errand]:
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


def _preparing(state: HouseState, dish: Dish) -> Iterator[Errand]:
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


STEP_S = 60.0
SELDOM = ("look", "inventory", "close ", "lock ", "put ", "insert ", "examine ")
"""Commands that lead nowhere here, and would only make the list of actions long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adventure:
    """What a game is made of. `path`: its file; `lore`: what is so besides the house (given the
    world, since TextWorld draws recipes); `prizes`: things to carry, in the order in which they
    can be had; `puts`: whether things can be put on others.
    """

    path: Path
    lore: Callable[[HouseGame], Lore]
    prizes: tuple[str, ...] = ()
    puts: bool = False


class AdventureGame:
    """One kind and level. `plan`: makes (or finds) the game of a seed; `words`: its own bank, with
    the phrase "task"; `tell`: the bank of what is seen; `steps`: commands a player has.
    """

    def __init__(
        self,
        *,
        name: str,
        steps: int,
        plan: Callable[[int], Adventure],
        words: LogicBank,
        tell: LogicBank,
    ) -> None:
        self._name, self._steps, self._plan = name, steps, plan
        self._words, self._bank = words, tell
        self._open = False

    @property
    def name(self) -> str:
        """Kind and level, as "hunt/medium"."""
        return self._name

    def begin(self, seed: int) -> GameScene:
        """The game of a seed, from its first room. Raises MissingExtra without TextWorld."""
        self._adventure = self._plan(seed)
        self._world = HouseGame(self._adventure.path)
        self._lore = self._adventure.lore(self._world)
        self._teller = Teller(self._bank, random.Random(f"{seed}/words"))
        self._order = random.Random(f"{seed}/order")
        self._turn = 0
        self._told: dict[TruthFact, Said] = {}
        self._told_at: dict[TruthFact, int] = {}
        self._ended: tuple[TruthFact, ...] = ()
        self._state = self._world.state()
        self._open = True
        first = [*self._teller.told_first(self._lore)]
        return self._scene([*first, *self._teller.arrive(self._state, self._state.here)])

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Do a command. The reward is the share of all points that it brought.

        Raises InvalidInput for anything but one of the scene's actions, or outside a game.
        """
        check(action, self._actions if self._open else None)
        before = self._state
        held = self._told.keys() & facts_of(before, self._lore)
        gained = self._world.do(action)
        self._state = self._world.state()
        self._ended = tuple(sorted(held - facts_of(self._state, self._lore)))
        said = [*self._teller.did(action, before, self._state), *self._read(action)]
        if gained > 0:
            said.append((self._teller.say("point"), ()))
        self._turn += 1
        over = self._world.over or self._turn >= self._steps
        outcome = Outcome(reward=max(0, gained) / self._world.max_score, over=over)
        if over:
            self._open = False
            return outcome, None
        return outcome, self._scene(said)

    def truth(self) -> Truth:
        """What is so at the scene handed out last. Raises InvalidInput when none is open."""
        if not self._open:
            raise InvalidInput("no scene is open: begin a game first")
        now = facts_of(self._state, self._lore)
        told = frozenset(self._told)
        advice = self._advice
        known = told.issuperset(advice.rests_on)
        return Truth(
            best=advice.best,
            needed=tuple(dict.fromkeys(self._sentence(fact, now) for fact in advice.rests_on)),
            rests_on=advice.rests_on,
            kind=self._name.partition("/")[0],
            facts=told & now,
            over=told - now,
            teaches=self._teaches,
            # What a command changes is shown by the line that tells of the command.
            ends={(self._turn, 0): self._ended} if self._ended else {},
            knowable=known,
            age=max((self._turn - self._told_at[f] for f in advice.rests_on if known), default=0),
        )

    def _sentence(self, fact: TruthFact, now: frozenset[TruthFact]) -> str:
        """The line that told it last, if all of that line is still so; else a sentence of now."""
        text, facts = self._told.get(fact, ("", ()))
        if facts and now.issuperset(facts):
            return text
        return Teller(self._bank, random.Random(self._turn)).fact(fact, self._state)

    def _read(self, action: str) -> Iterable[Said]:
        thing = action.removeprefix("examine ")
        if thing == action:
            return
        if thing in self._lore.notes:
            key = self._lore.notes[thing]
            yield self._teller.note(key, self._lore.opens[key])
        else:
            yield from self._teller.recipe(self._lore)

    def _scene(self, said: list[Said]) -> GameScene:
        at = self._turn * STEP_S
        self._teaches: dict[Place, tuple[TruthFact, ...]] = {
            (self._turn, place): facts for place, (_, facts) in enumerate(said) if facts
        }
        for line in said:
            self._told.update(dict.fromkeys(line[1], line))
            self._told_at.update(dict.fromkeys(line[1], self._turn))
        actions = [one for one in self._world.commands if self._worth(one)]
        self._order.shuffle(actions)
        self._actions = tuple(actions)
        self._advice: Advice = advise(
            self._state, self._lore, self._adventure.prizes, tuple(sorted(actions))
        )
        return GameScene(
            turn=self._turn,
            at=at,
            said=tuple(
                GameLine(speaker="world", text=text, at=at + place)
                for place, (text, _) in enumerate(said)
            ),
            question=self._question(self._state),
            actions=self._actions,
        )

    def _worth(self, command: str) -> bool:
        if command.startswith("examine "):
            thing = command.removeprefix("examine ")
            return thing in self._lore.notes or thing == "cookbook"
        if command.startswith("put "):
            return self._adventure.puts
        return not command.startswith(SELDOM)

    def _question(self, state: HouseState) -> str:
        say = self._teller.say
        seen = [
            thing
            for holder in (state.here, *state.held_by(state.here))
            if not state.shut(holder)
            for thing in state.held_by(holder)
            if state.kinds[thing] != "P"
        ]
        things = listed(tuple(article(thing, state) for thing in seen))
        carried = listed(tuple(article(thing, state) for thing in state.carried))
        return say(
            "question",
            task=self._words.phrases["task"][0],
            step=str(self._turn + 1),
            steps=str(self._steps),
            room=state.here,
            sight=say("sight", things=things) if seen else "",
            bag=say("bag", things=carried) if carried else say("empty_bag"),
        )
