"""A text adventure behind the protocol of a game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from mags.errors import InvalidInput
from mags_lab.games.adventures.allowed import check
from mags_lab.games.adventures.guide import Advice, advise
from mags_lab.games.adventures.state import State
from mags_lab.games.adventures.telling import Lore, Said, Teller, article, facts_of
from mags_lab.games.adventures.worlds import World
from mags_lab.games.logic.bank import Bank, listed
from mags_lab.games.turns import Line, Outcome, Scene, Truth, TruthFact
from mags_lab.games.turns import Said as Place

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
    lore: Callable[[World], Lore]
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
        words: Bank,
        tell: Bank,
    ) -> None:
        self._name, self._steps, self._plan = name, steps, plan
        self._words, self._bank = words, tell
        self._open = False

    @property
    def name(self) -> str:
        """Kind and level, as "hunt/medium"."""
        return self._name

    def begin(self, seed: int) -> Scene:
        """The game of a seed, from its first room. Raises MissingExtra without TextWorld."""
        self._adventure = self._plan(seed)
        self._world = World(self._adventure.path)
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

    def act(self, action: str) -> tuple[Outcome, Scene | None]:
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

    def _scene(self, said: list[Said]) -> Scene:
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
        return Scene(
            turn=self._turn,
            at=at,
            said=tuple(
                Line(speaker="world", text=text, at=at + place)
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

    def _question(self, state: State) -> str:
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
