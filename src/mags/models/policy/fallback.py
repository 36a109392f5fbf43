"""The configured policy where its model answers, else a small one; and a model that only writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from mags.errors import ModelError
from mags.models.policy.rules.tokens import WORD
from mags.models.rendering import just_said
from mags.ports.english import THIRD_PERSON
from mags.ports.policy import (
    Plan,
    Policy,
    Recalled,
    Reminded,
    Route,
    Together,
    Turn,
    Writing,
)

T = TypeVar("T")


class FallbackPolicy:
    """Asks `first`; where its model fails, `second` decides and the failure is counted.

    `failures`: how often each role fell back. The warnings of what the second made say why.
    """

    def __init__(self, first: Policy, second: Policy) -> None:
        self._first = first
        self._second = second
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """Both names, in the order in which they are asked."""
        return f"{self._first.name}, else {self._second.name}"

    @property
    def together(self) -> int:
        """Turns that the first reads at once."""
        return self._first.together if isinstance(self._first, Together) else 1

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Names about which the first wants to see what is known."""
        return self._first.wants(turn, recent) if isinstance(self._first, Reminded) else ()

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._try(
            "route",
            lambda: self._first.route(turn, recent),
            lambda _: self._second.route(turn, recent),
        )

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        return self._asked(question, recent, lambda: self._second.ask(question, recent))

    def _asked(self, question: Turn, recent: Sequence[Turn], second: Callable[[], Plan]) -> Plan:
        """The plan of the first, else the second's, whose warnings then say so."""

        def told(why: str) -> Plan:
            plan = second()
            return replace(
                plan, warnings=(*plan.warnings, f"Planned by {self._second.name}: {why}")
            )

        return self._try("ask", lambda: self._first.ask(question, recent), told)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations; the warnings say so where the second had to."""
        return self.write_many([turn], recent, recalled)[0]

    def write_many(
        self, turns: Sequence[Turn], recent: Sequence[Turn], recalled: Sequence[Recalled]
    ) -> list[Writing]:
        """Propose operations of each turn."""

        def first() -> list[Writing]:
            if isinstance(self._first, Together):
                return self._first.write_many(turns, recent, recalled)
            return each(self._first)

        def second(why: str) -> list[Writing]:
            told = f"Read by {self._second.name}: {why}"
            return [replace(one, warnings=(*one.warnings, told)) for one in each(self._second)]

        def each(policy: Policy) -> list[Writing]:
            return [
                policy.write(turn, (*recent, *turns[:place]), recalled)
                for place, turn in enumerate(turns)
            ]

        return self._try("write", first, second)

    def _try(self, role: str, first: Callable[[], T], second: Callable[[str], T]) -> T:
        try:
            return first()
        except ModelError as failure:
            self.failures[role] += 1
            return second(str(failure))


class SparingPolicy(FallbackPolicy):
    """The first, a language model, writes; the second, a small policy, routes and plans.

    The model plans only where the second is unsure: the question means somebody or something that
    was said before by a pronoun, and the plan names nobody.
    """

    @property
    def name(self) -> str:
        """Who writes, and who plans."""
        return f"{self._first.name}, planned by {self._second.name}"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._second.route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        plan = self._second.ask(question, recent)
        words = {word.casefold() for word in WORD.findall(question.text)}
        if plan.entities or not words & THIRD_PERSON or not just_said(question, recent):
            return plan
        return self._asked(question, recent, lambda: plan)
