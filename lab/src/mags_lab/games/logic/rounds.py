"""The game around the rounds: whose turn it is, what was asked, what it brought."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mags.errors import InvalidInput
from mags_lab.games.logic.record import Deal, Record
from mags_lab.games.turns import Outcome, Scene, Truth


class Table(Protocol):
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

    def __init__(self, *, name: str, turns: int, set_up: Callable[[int, Record], Table]) -> None:
        self._name = name
        self._turns = turns
        self._set_up = set_up
        self._record: Record | None = None
        self._table: Table | None = None
        self._deal: Deal | None = None

    @property
    def name(self) -> str:
        """Kind and level, as "eleusis/standard"."""
        return self._name

    def begin(self, seed: int) -> Scene:
        """A new instance and its first scene."""
        self._record = Record(seed=seed)
        self._table = self._set_up(seed, self._record)
        return self._next(self._record, self._table)

    def act(self, action: str) -> tuple[Outcome, Scene | None]:
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

    def _next(self, record: Record, table: Table) -> Scene:
        self._deal = table.deal()
        return record.scene(self._deal.question, self._deal.actions)
