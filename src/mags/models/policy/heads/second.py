"""The rules first, and the heads where the rules read nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.models.policy.heads.policy import HeadsPolicy, names_of
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.models.policy.rules.writing import is_question
from mags.ports.policy import Plan, Policy, Recalled, Route, Turn, Writing

LEAST = 0.6
"""Confidence from which a fact of the heads is written where the rules read nothing."""


class RulesFirst:
    """A `Policy` of rules whose silence is filled by facts that the heads are sure of.

    What the rules read is read as they would alone, so a plain statement means the same with and
    without the heads; the heads add what is told in words that the rules do not know. Routes and
    plans are the rules'. `least`: confidence asked of a fact.
    """

    def __init__(
        self, heads: HeadsPolicy, rules: Policy | None = None, *, least: float = LEAST
    ) -> None:
        self._heads = heads
        self._rules = rules or RulePolicy()
        self._least = least

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return f"{self._rules.name}, then sure heads"

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs, by the rules."""
        return self._rules.route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall, by the rules."""
        return self._rules.ask(question, recent)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn; `why` says when the heads read it."""
        writing = self._rules.write(turn, recent, recalled)
        if writing.operations or _only_asks(turn):
            return writing
        sure = self._heads.sure(turn, recent, recalled, least=self._least)
        if not sure:
            return writing
        return replace(
            writing,
            operations=sure,
            mentions=tuple(dict.fromkeys((*writing.mentions, *names_of(sure)))),
            understood=True,
            why=f"Read by heads: {self._rules.name} read nothing.",
        )


def _only_asks(turn: Turn) -> bool:
    said = sentences(turn.text)
    return bool(said) and all(is_question(tokenise(one)) for one in said)
