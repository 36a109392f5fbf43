"""The heads as a policy: they decide what they are sure of, the rules the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Protocol

import numpy as np

from mags import caches
from mags.models.embed.onnx import OnnxEmbedder, TokenStates
from mags.models.policy.heads.choices import operations_of, plan_of
from mags.models.policy.heads.decoding import Written, asked, routed, written
from mags.models.policy.heads.layout import Layout, laid_out, marks, rows
from mags.models.policy.heads.memories import with_memories
from mags.models.policy.heads.network import Floats
from mags.models.policy.heads.union import joined
from mags.models.policy.heads.weights import (
    SHIPPED,
    HeadsFile,
    Thresholds,
    Trained,
    opened,
)
from mags.models.policy.rules import RulePolicy
from mags.models.policy.rules.names import mentions
from mags.models.policy.rules.sentences import importance, is_question
from mags.models.policy.rules.tokens import own_words, sentences, tokenise
from mags.ports.policy import Operation, Plan, Policy, Recalled, Route, Turn, Writing

LONGEST = 120
"""Words of a turn up to which it is one thing said; longer ones are documents, for the rules."""


class TokenEncoder(Protocol):
    """What the heads stand on (`mags.models.embed.onnx.OnnxEmbedder`)."""

    def token_states(self, text: str) -> TokenStates:
        """The states of a text's tokens."""
        ...


class HeadsPolicy:
    """A `Policy` that asks the heads first and `rules` second, decision by decision.

    `encoder` must be the one the heads were trained on; where they were trained together with its
    layers, theirs is read in its place. `thresholds`: in place of the file's;
    all 0 leaves every decision to the heads. `spoke` counts who decided, as ("write", "rules").
    The weights are read and checked by the first decision; raises CorruptFile.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        *,
        rules: Policy | None = None,
        file: HeadsFile = SHIPPED,
        thresholds: Thresholds | None = None,
    ) -> None:
        self._encoder = encoder
        self._rules = rules or RulePolicy()
        self._file = file
        self._thresholds = thresholds
        self._trained: Trained | None = None
        self._opening = Lock()
        self._read: tuple[str, TokenStates] | None = None
        self.spoke: Counter[tuple[str, str]] = Counter()
        caches.register(self)

    @property
    def name(self) -> str:
        """The name shown to the user."""
        return f"heads, else {self._rules.name}"

    @property
    def file(self) -> HeadsFile:
        """Where the weights come from."""
        return self._file

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs, by the turn alone."""
        trained = self._open()
        seen = self._seen(laid_out(turn)) if self._least.route <= 1.0 else None
        if seen is not None:
            _, states, signs = seen
            route, sure = routed(trained.network, states, signs)
            if sure >= self._least.route:
                self.spoke["route", "heads"] += 1
                return route
        self.spoke["route", "rules"] += 1
        return self._rules.route(turn, recent)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        trained = self._open()
        seen = self._seen(laid_out(question, recent)) if self._least.ask <= 1.0 else None
        if seen is not None:
            layout, states, signs = seen
            known = trained.about.vocabulary
            signs = with_memories(layout, signs, (), known)
            choice, sure = asked(trained.network, layout, states, signs, known)
            if sure >= self._least.ask:
                self.spoke["ask", "heads"] += 1
                return plan_of(layout, choice, question, known)
        self.spoke["ask", "rules"] += 1
        return self._rules.ask(question, recent)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn; `why` says who read it."""
        read = self._written(turn, recent, recalled)
        if read is None:
            return self._by_rules(turn, recent, recalled, "too long for the heads")
        found, told = read
        least = self._least.write if found.facts else self._least.nothing
        sure = told(self._least.fact)
        if found.confidence < least:
            why = f"the heads are sure by {found.confidence:.2f}, {least:.2f} is asked"
            return self._by_rules(turn, recent, recalled, why, sure)
        self.spoke["write", "heads"] += 1
        return _writing(turn, sure, found)

    def sure(
        self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled], *, least: float
    ) -> tuple[Operation, ...]:
        """Operations of the facts of a confidence of `least` or more, whatever else is told."""
        read = self._written(turn, recent, recalled)
        return () if read is None else read[1](least)

    def _written(
        self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]
    ) -> tuple[Written, Callable[[float], tuple[Operation, ...]]] | None:
        """What a turn tells, and its operations from a confidence on; None where it is too long."""
        turn = replace(turn, text=own_words(turn.text))
        trained = self._open()
        seen = self._seen(laid_out(turn, recent))
        if seen is None:
            return None
        layout, states, signs = seen
        known = trained.about.vocabulary
        signs = with_memories(layout, signs, recalled, known)
        found = written(trained.network, layout, states, signs, known)

        def told(least: float) -> tuple[Operation, ...]:
            facts = [one for one in found.facts if one.confidence >= least]
            return operations_of(layout, facts, turn, recalled, known)

        return found, told

    def _by_rules(
        self,
        turn: Turn,
        recent: Sequence[Turn],
        recalled: Sequence[Recalled],
        why: str,
        sure: Sequence[Operation] = (),
    ) -> Writing:
        """What the rules read, beside the operations that the heads are `sure` of."""
        self.spoke["write", "both" if sure else "rules"] += 1
        writing = self._rules.write(turn, recent, recalled)
        told = f"{writing.why} " if writing.why else ""
        return Writing(
            operations=joined(sure, writing.operations) if sure else writing.operations,
            mentions=writing.mentions,
            understood=writing.understood,
            why=f"{told}Read by {self._rules.name}: {why}.",
            importance=writing.importance,
            is_question=writing.is_question,
        )

    def _seen(self, layout: Layout) -> tuple[Layout, Floats, Floats] | None:
        """The layout with its rows, or None where it is empty or too long to be read whole."""
        said = sum(word.turn for word in layout.words)
        if not said or said > LONGEST:
            return None
        states = self._states(layout.text)
        if not states.whole:
            return None
        return layout, rows(layout, states), np.ascontiguousarray(marks(layout))

    def clear(self) -> None:
        """Let go of the text that was read last, and of its states."""
        self._read = None

    def _states(self, text: str) -> TokenStates:
        """What the encoder makes of a text; the last one is kept, for the next decision on it.

        A turn is routed, asked of and written of one after the other, and most of the cost of each
        is here.
        """
        read = self._read
        if read is None or read[0] != text:
            read = self._read = text, self._encoder.token_states(text)
        return read[1]

    @property
    def _least(self) -> Thresholds:
        return self._thresholds or self._open().about.thresholds

    def _open(self) -> Trained:
        with self._opening:
            if self._trained is None:
                self._trained = opened(self._file)
                if self._trained.tuned:
                    self._encoder = OnnxEmbedder(constants=self._trained.tuned)
            return self._trained


def _writing(turn: Turn, operations: tuple[Operation, ...], found: Written) -> Writing:
    return Writing(
        operations=operations,
        mentions=tuple(dict.fromkeys((*mentions(turn.text), *names_of(operations)))),
        why=f"Read by heads, sure by {found.confidence:.2f}.",
        importance=importance(turn.text),
        is_question=any(is_question(tokenise(one)) for one in sentences(turn.text)),
    )


def names_of(operations: Sequence[Operation]) -> tuple[str, ...]:
    """The names that operations are about, in order."""
    return tuple(
        name
        for one in operations
        for name, is_named in (
            (one.subject, one.subject_is_name),
            (one.object, one.object_is_name),
        )
        if name and is_named
    )
