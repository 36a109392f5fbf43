"""The rules first, and the heads where the rules read nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from mags.models.policy.heads.fitting import fits
from mags.models.policy.heads.policy import names_of
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.tokens import sentences, tokenise
from mags.models.policy.rules.writing import is_question
from mags.ports.policy import (
    Act,
    Operation,
    Plan,
    Policy,
    Recalled,
    Reminded,
    Route,
    Turn,
    Writing,
)

LEAST = 0.6
"""Confidence from which a fact of the heads is written where the rules read nothing."""

SURE = 0.9
"""Confidence from which a change that the heads read may close what is held."""

MOST = 0.69
"""Most confidence with which their other facts are held: what the rules read begins at .7."""


class Reader(Protocol):
    """What fills the silence (`HeadsPolicy`)."""

    def sure(
        self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled], *, least: float
    ) -> tuple[Operation, ...]:
        """Operations of a confidence of `least` or more."""
        ...


class RulesFirst:
    """A `Policy` of rules whose silence is filled by facts that the heads are sure of.

    What the rules read is read as they would alone, so a plain statement means the same with and
    without the heads; the heads add what is told in words that the rules do not know, as a guess
    that closes nothing, unless they surely read a change. Routes and plans are the rules'.
    `least`: confidence asked of a fact.
    """

    def __init__(self, heads: Reader, rules: Policy | None = None, *, least: float = LEAST) -> None:
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

    def wants(self, turn: Turn, recent: Sequence[Turn]) -> tuple[str, ...]:
        """Names whose facts the rules could use."""
        return self._rules.wants(turn, recent) if isinstance(self._rules, Reminded) else ()

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn; `why` says when the heads read it."""
        writing = self._rules.write(turn, recent, recalled)
        if writing.operations or _only_asks(turn):
            return writing
        read = self._heads.sure(turn, recent, recalled, least=self._least)
        sure = tuple(one for told in read if fits(told, turn, recent) for one in _held(told))
        if not sure:
            return writing
        return replace(
            writing,
            operations=sure,
            mentions=tuple(dict.fromkeys((*writing.mentions, *names_of(sure)))),
            understood=True,
            why=f"Read by heads: {self._rules.name} read nothing.",
        )


def _held(told: Operation) -> Iterator[Operation]:
    """What is told, as it is where it is surely a change, else as a guess of what is so."""
    if told.act in (Act.UPDATE, Act.RETRACT) and told.confidence >= SURE:
        yield told
    elif told.act is not Act.RETRACT:
        act = Act.ADD if told.act is Act.UPDATE else told.act
        confidence = min(told.confidence, MOST)
        yield replace(told, act=act, one=None, change=False, confidence=confidence, tentative=True)


def _only_asks(turn: Turn) -> bool:
    said = sentences(turn.text)
    return bool(said) and all(is_question(tokenise(one)) for one in said)
