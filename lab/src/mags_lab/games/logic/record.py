"""What all logic games share: the record of what was told and changed, and the rounds of play."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from mags.errors import InvalidInput
from mags_lab.games.turns import GameLine, GameScene, Outcome, Said, Truth, TruthFact

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


class RoundRecord:
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
        self._said: list[GameLine] = []
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
        self._said.append(GameLine(speaker=speaker, text=text, at=self.at))
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

    def scene(self, question: str, actions: Iterable[str]) -> GameScene:
        """The scene of this turn, with everything said since the last."""
        return GameScene(
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


class LogicInstance(Protocol):
    """One instance of a game. Both methods tell their lines through the record they were given."""

    def deal(self) -> Deal:
        """Let time pass, then put a decision."""
        ...

    def settle(self, action: str) -> None:
        """Say what became of the action chosen for the last deal."""
        ...


class LogicGame:
    """Any of the logic games, behind the protocol of a game. A right action brings 1, others 0.

    `set_up`: makes an instance from a seed and the record of what is told.
    """

    def __init__(
        self, *, name: str, turns: int, set_up: Callable[[int, RoundRecord], LogicInstance]
    ) -> None:
        self._name = name
        self._turns = turns
        self._set_up = set_up
        self._record: RoundRecord | None = None
        self._table: LogicInstance | None = None
        self._deal: Deal | None = None

    @property
    def name(self) -> str:
        """Kind and level, as "eleusis/standard"."""
        return self._name

    def begin(self, seed: int) -> GameScene:
        """A new instance and its first scene."""
        self._record = RoundRecord(seed=seed)
        self._table = self._set_up(seed, self._record)
        return self._next(self._record, self._table)

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Settle the decision; the next scene, None after the last turn.

        Raises InvalidInput for anything but one of the scene's actions, or outside a game.
        """
        deal, record, table = self._deal, self._record, self._table
        if deal is None or record is None or table is None:
            raise InvalidInput("no game is on: begin one first", action=action)
        if action not in deal.actions:
            raise InvalidInput(
                f"'{action}' cannot be done now: choose one of {', '.join(deal.actions)}",
                action=action,
                actions=deal.actions,
            )
        over = record.turn + 1 >= self._turns
        outcome = Outcome(reward=float(action in deal.best), over=over)
        record.close()
        table.settle(action)
        if over:
            self._deal = None
            return outcome, None
        return outcome, self._next(record, table)

    def truth(self) -> Truth:
        """What is so at the scene handed out last. Raises InvalidInput when none is open."""
        if self._deal is None or self._record is None:
            raise InvalidInput("no scene is open: begin a game first")
        return self._record.truth(self._deal)

    def _next(self, record: RoundRecord, table: LogicInstance) -> GameScene:
        self._deal = table.deal()
        return record.scene(self._deal.question, self._deal.actions)
