"""Poison: a game in which, at one turn, somebody says things that are not so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from mags_lab.games.turns import Game, Line, Outcome, Said, Scene, Truth, TruthFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """A line told before, with another thing in the place of what it told of `fact`."""

    line: Line
    fact: TruthFact
    false: TruthFact


class Poisoned:
    """A game with at most `lies` false lines at turn `at`; all else is as it would have been.

    A lie is a line that taught what still holds, told again with another object of the same
    relation, by the same speaker. Chance is drawn from the seed and `at` alone.
    """

    def __init__(self, game: Game, *, at: int, lies: int) -> None:
        self._game, self._at, self._most = game, at, lies
        self.name = f"{game.name} poisoned at {at}"
        self.lies: tuple[Lie, ...] = ()
        self.false: dict[Said, tuple[TruthFact, ...]] = {}

    def begin(self, seed: int) -> Scene:
        """A new instance."""
        self._rng = Random(f"{seed}:{self._at}")
        self.lies, self.false = (), {}
        self._told: dict[TruthFact, Line] = {}
        return self._poisoned(self._game.begin(seed))

    def act(self, action: str) -> tuple[Outcome, Scene | None]:
        """As in the game inside."""
        outcome, scene = self._game.act(action)
        return outcome, None if scene is None else self._poisoned(scene)

    def truth(self) -> Truth:
        """The truth, in which the false lines teach what is nowhere so."""
        truth = self._game.truth()
        return replace(truth, teaches={**truth.teaches, **self.false}) if self.false else truth

    def _poisoned(self, scene: Scene) -> Scene:
        truth = self._game.truth()
        for place, line in enumerate(scene.said):
            facts = truth.teaches.get((scene.turn, place), ())
            if len(facts) == 1:
                self._told[facts[0]] = line
        if scene.turn != self._at:
            return scene
        self.lies = tuple(self._made(truth, scene.at))[: self._most]
        first = len(scene.said)
        self.false = {(scene.turn, first + n): (lie.false,) for n, lie in enumerate(self.lies)}
        return replace(scene, said=(*scene.said, *(lie.line for lie in self.lies)))

    def _made(self, truth: Truth, at: float) -> Iterable[Lie]:
        known = sorted(truth.facts & self._told.keys())
        self._rng.shuffle(known)
        for fact in known:
            line = self._told[fact]
            others = sorted(
                {f.object for f in known if f.relation == fact.relation} - {fact.object}
            )
            if not others or fact.object not in line.text:
                continue
            other = self._rng.choice(others)
            false = replace(fact, object=other)
            if false not in truth.facts:
                text = line.text.replace(fact.object, other)
                yield Lie(line=replace(line, text=text, at=at), fact=fact, false=false)
