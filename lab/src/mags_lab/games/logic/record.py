"""What has been said in a game so far, and what of it still holds."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from mags_lab.games.turns import Line, Said, Scene, Truth, TruthFact

TURN_S = 60.0
HOW = {"full": "announced", "named": "named", "silent": "felt"}
"""The kinds of change, as tables name them."""


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


def slot(fact: TruthFact) -> tuple[str, str]:
    """What a fact is about: one that tells of the same slot shows what became of the last."""
    return fact.subject, fact.relation.removeprefix("never ")


class Record:
    """The telling of one game: lines on their way to the next scene, facts told, facts over.

    A fact that changed unseen is neither among the facts nor over, until a line shows it.
    """

    __slots__ = (
        "_changed",
        "_changes",
        "_ends",
        "_hidden",
        "_over",
        "_said",
        "_teaches",
        "_told",
        "_told_at",
        "turn",
        "words",
    )

    def __init__(self, *, seed: int) -> None:
        self.turn = 0
        # Words have a chance of their own, so that two banks tell the same game.
        self.words = random.Random(f"{seed}/words")
        self._said: list[Line] = []
        self._told: dict[TruthFact, str] = {}
        self._told_at: dict[TruthFact, int] = {}
        self._hidden: set[TruthFact] = set()
        self._over: set[TruthFact] = set()
        self._teaches: dict[Said, tuple[TruthFact, ...]] = {}
        self._ends: dict[Said, tuple[TruthFact, ...]] = {}
        self._changes: list[int] = []
        self._changed: dict[tuple[str, str], tuple[int, str]] = {}

    @property
    def at(self) -> float:
        """Seconds of game time now."""
        return self.turn * TURN_S + len(self._said)

    def tell(
        self, speaker: str, text: str, *facts: TruthFact, about: Iterable[TruthFact] = ()
    ) -> None:
        """Say a line that comes with the next scene; it tells these facts, all of them true.

        `about`: facts of whose slots it shows that they have changed, without saying to what.
        """
        place = self.turn, len(self._said)
        self._said.append(Line(speaker=speaker, text=text, at=self.at))
        shown = {slot(fact) for fact in (*facts, *about)}
        ended = tuple(sorted(fact for fact in self._hidden if slot(fact) in shown))
        self._hidden.difference_update(ended)
        self._over.update(ended)
        if ended:
            self._ends[place] = ended
        if facts:
            self._teaches[place] = facts
        for fact in facts:
            self._told[fact] = text
            self._told_at[fact] = self.turn

    def turn_over(
        self, before: Iterable[TruthFact], after: Iterable[TruthFact], *, how: str
    ) -> None:
        """The world changes: the facts before give way to those after, unsaid so far.

        `how`: the sort of change. What was told at an earlier time and is so again counts as
        holding, but not as known.
        """
        was, becomes = frozenset(before), frozenset(after)
        self._hidden |= (was - becomes) & self._told.keys()
        self._hidden -= becomes
        self._over -= becomes
        for fact in was ^ becomes:
            self._told_at.pop(fact, None)
        self._changes.append(self.turn)
        self._changed.update({slot(fact): (self.turn, how) for fact in was ^ becomes})

    def knows(self, fact: TruthFact) -> bool:
        """Whether it has been told since it last became so."""
        return fact in self._told_at

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
        self._ends = {}

    def truth(self, deal: Deal) -> Truth:
        """What is so at this scene."""
        nothing = (-1, "")
        changed, how = max(self._changed.get(slot(fact), nothing) for fact in deal.rests_on)
        known = all(self.knows(fact) for fact in deal.rests_on)
        ages = [self.turn - self._told_at[fact] for fact in deal.rests_on if known]
        return Truth(
            best=deal.best,
            needed=deal.needed,
            rests_on=deal.rests_on,
            kind=deal.kind,
            changes=tuple(self._changes),
            changed=None if changed < 0 else changed,
            facts=frozenset(self._told.keys() - self._over - self._hidden),
            over=frozenset(self._over),
            teaches=dict(self._teaches),
            ends=dict(self._ends),
            knowable=known,
            age=max(ages, default=0),
            after=how,
        )
