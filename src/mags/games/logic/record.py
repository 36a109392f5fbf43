"""What has been said in a game so far, and what of it still holds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from mags.games.turns import Line, Said, Scene, Truth, TruthFact

TURN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """A decision. `best`: the actions that are right; `rests_on`: the facts that make them so;
    `needed`: sentences that say these facts; `kind`: the sort of decision.
    """

    question: str
    actions: tuple[str, ...]
    best: frozenset[str]
    rests_on: tuple[TruthFact, ...]
    needed: tuple[str, ...]
    kind: str


class Record:
    """The telling of one game: lines on their way to the next scene, facts told, facts over.

    A fact that was told holds until the moment the game says that it is over, whether the player
    could see that or not.
    """

    __slots__ = (
        "_changed",
        "_changes",
        "_fresh",
        "_over",
        "_said",
        "_teaches",
        "_told",
        "turn",
        "words",
    )

    def __init__(self, *, seed: int) -> None:
        self.turn = 0
        # Words have a chance of their own, so that two banks tell the same game.
        self.words = random.Random(f"{seed}/words")
        self._said: list[Line] = []
        self._told: dict[TruthFact, str] = {}
        self._over: set[TruthFact] = set()
        self._fresh: set[TruthFact] = set()
        self._teaches: dict[Said, tuple[TruthFact, ...]] = {}
        self._changes: list[int] = []
        self._changed: dict[str, int] = {}

    @property
    def at(self) -> float:
        """Seconds of game time now."""
        return self.turn * TURN_S + len(self._said)

    def tell(self, speaker: str, text: str, *facts: TruthFact) -> None:
        """Say a line that comes with the next scene; it tells these facts, all of them true."""
        if facts:
            self._teaches[(self.turn, len(self._said))] = facts
        self._said.append(Line(speaker=speaker, text=text, at=self.at))
        for fact in facts:
            self._told[fact] = text
            self._over.discard(fact)
            self._fresh.add(fact)

    def turn_over(self, before: Iterable[TruthFact], after: Iterable[TruthFact]) -> None:
        """The world changes: the facts before give way to those after, unsaid so far.

        What was told of them is over or, if it was told at an earlier time, holds again.
        """
        was, becomes = frozenset(before), frozenset(after)
        self._over |= (was - becomes) & self._told.keys()
        self._over -= becomes
        self._fresh -= was ^ becomes
        self._changes.append(self.turn)
        self._changed.update({fact.subject: self.turn for fact in was ^ becomes})

    def knows(self, fact: TruthFact) -> bool:
        """Whether it has been told since it last became so."""
        return fact in self._fresh

    def sentence(self, fact: TruthFact, otherwise: str) -> str:
        """The line that told a fact last, word for word; the other sentence if none did."""
        return self._told.get(fact, otherwise)

    def scene(self, question: str, actions: Iterable[str]) -> Scene:
        """The scene of this turn, with everything said since the last."""
        return Scene(
            turn=self.turn,
            at=self.at,
            said=tuple(self._said),
            question=question,
            actions=tuple(actions),
        )

    def close(self) -> None:
        """The scene is answered: what is said from here on belongs to the next."""
        self.turn += 1
        self._said = []
        self._teaches = {}

    def truth(self, deal: Deal) -> Truth:
        """What is so at this scene."""
        turns = [
            self._changed[fact.subject] for fact in deal.rests_on if fact.subject in self._changed
        ]
        return Truth(
            best=deal.best,
            needed=deal.needed,
            rests_on=deal.rests_on,
            kind=deal.kind,
            changes=tuple(self._changes),
            changed=max(turns, default=None),
            facts=frozenset(self._told.keys() - self._over),
            over=frozenset(self._over),
            teaches=dict(self._teaches),
        )
