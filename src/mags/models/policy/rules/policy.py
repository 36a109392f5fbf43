"""The policy that needs no model: write, ask and router made of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.rules.asking import ask
from mags.models.policy.rules.earlier import wants
from mags.models.policy.rules.routing import route
from mags.models.policy.rules.writing import write
from mags.ports.policy import Act, Plan, Recalled, Route, Turn, Writing


class RulePolicy:
    """Reads plain English by rules and word lists; says so where it cannot.

    It stores only what it could read: a statement that is beyond the rules comes back with
    `understood=False` and the reason, and is left as an episode. It never raises on any text and
    keeps no state.
    """

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return "rules"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what this turn needs."""
        return route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return ask(question, recent)

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Name whose facts could tell what a turn leaves open."""
        return wants(turn)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn, read with what is surely held.

        Where nothing is read so, it is read with the guesses, too: what follows from those takes
        them back, or is a guess itself.
        """
        sure = [item for item in recalled if not item.tentative]
        writing = write(turn, recent, sure)
        if writing.operations or len(sure) == len(recalled):
            return writing
        writing = write(turn, recent, recalled)
        told = (
            one if one.act is Act.RETRACT else replace(one, tentative=True)
            for one in writing.operations
        )
        return replace(writing, operations=tuple(told))
