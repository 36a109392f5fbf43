"""The rules first, and beside them what the heads read that the rules did not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from mags.models.policy.heads.fitting import fits
from mags.models.policy.heads.policy import names_of
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.sentences import is_question
from mags.models.policy.rules.tokens import sentences, tokenise
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
"""Confidence from which a fact of the heads is written."""

SURE = 0.9
"""Confidence from which a change that the heads read may close what is held."""

MOST = 0.69
"""Most confidence with which their other facts are held: what the rules read begins at .7."""

_WORD = re.compile(r"\w+")


class Reader(Protocol):
    """What reads on (`HeadsPolicy`)."""

    def sure(
        self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled], *, least: float
    ) -> tuple[Operation, ...]:
        """Operations of a confidence of `least` or more."""
        ...


class RulesFirst:
    """A `Policy` of rules, with facts that the heads are sure of and the rules did not read.

    What the rules read is read as they would alone, so a plain statement means the same with and
    without the heads; the heads add what is told in words that the rules do not know, as a guess
    that closes nothing, unless they surely read a change. Of what the rules have read (a relation
    of somebody, a thing) they add nothing. Routes and plans are the rules'. `least`: confidence
    asked of a fact.
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
        if _only_asks(turn):
            return writing
        read = self._heads.sure(turn, recent, recalled, least=self._least)
        fitting = (one for told in read if fits(told, turn, recent) for one in _held(told))
        sure = beyond(fitting, writing.operations)
        if not sure:
            return writing
        changes = [one for one in sure if not one.tentative]  # a guess speaks for itself alone
        rules = self._rules.name
        more, none = f"{len(sure)} more than {rules} read", f"{rules} read nothing"
        return replace(
            writing,
            operations=(*writing.operations, *sure),
            mentions=tuple(dict.fromkeys((*writing.mentions, *names_of(changes)))),
            understood=True,
            why=f"Read by heads: {more if writing.operations else none}.",
        )


def beyond(told: Iterable[Operation], known: Sequence[Operation]) -> tuple[Operation, ...]:
    """What is told of which nothing is known: no such relation of somebody, and no such thing.

    Nor a thing that a fact of somebody names in passing: "Ana takes swimming lessons with Bente"
    leaves no place for "Ana plays swimming", which what is said of the lessons later would find.
    """
    return tuple(one for one in told if not _is_read(one, known))


def _held(told: Operation) -> Iterator[Operation]:
    """What is told, as it is where it is surely a change, else as a guess of what is so."""
    if told.act in (Act.UPDATE, Act.RETRACT) and told.confidence >= SURE:
        yield told
    elif told.act is not Act.RETRACT:
        act = Act.ADD if told.act is Act.UPDATE else told.act
        confidence = min(told.confidence, MOST)
        yield replace(told, act=act, one=None, change=False, confidence=confidence, tentative=True)


def _is_read(told: Operation, known: Sequence[Operation]) -> bool:
    mine, words = told.subject.casefold(), _words(told.object)
    for one in known:
        same, others = one.subject.casefold() == mine, _words(one.object)
        if same and (one.relation == told.relation or (words and words <= _words(one.text))):
            return True
        if words and others and (words <= others or others <= words):
            return True
        if words == _words(one.subject) and others == _words(told.subject):
            return True  # the other way round
    return False


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _only_asks(turn: Turn) -> bool:
    said = sentences(turn.text)
    return bool(said) and all(is_question(tokenise(one)) for one in said)
