"""Engram: from a turn and what the write model made of it to changes in a Draft."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mags.engram.attention import AttentionWeights
from mags.engram.claim import sentence
from mags.engram.link import names_in
from mags.engram.moment import Inscribed, Moment
from mags.engram.scribe import Scribe
from mags.engram.settings import EngramSettings
from mags.engram.view import View
from mags.graph.delta import Draft
from mags.graph.records import NodeFlag
from mags.index.state import State
from mags.ports.policy import Act, Operation, Turn, Writing


class Engram:
    """Writes turns and bare assertions into a Draft; holds nothing but its settings.

    One turn to a draft: what it writes is seen by its own later operations.
    """

    def __init__(
        self, settings: EngramSettings | None = None, weights: AttentionWeights | None = None
    ) -> None:
        """`weights`: of a trained linker; without them first edges are by scaled cosine."""
        self.settings = settings or EngramSettings()
        self.weights = weights

    def texts(self, state: State, turn: Turn, writing: Writing) -> list[str]:
        """Texts that need a vector before `inscribe`, once each, the turn's own first."""
        names = [turn.speaker, *writing.mentions, *names_in(writing.operations)]
        return [*dict.fromkeys([turn.text, *_said(writing.operations), *_unknown(state, names)])]

    def assertion_texts(self, state: State, operation: Operation) -> list[str]:
        """Texts that need a vector before `assert_fact`, once each."""
        return [*dict.fromkeys([*_said([operation]), *_unknown(state, names_in([operation]))])]

    def inscribe(
        self, draft: Draft, state: State, turn: Turn, writing: Writing, moment: Moment
    ) -> Inscribed:
        """Store a turn as an episode, word for word, and judge its operations, guesses last.

        `turn.at` is event time and the time of saying. Operations that cannot be used are
        in `ignored`; the episode is kept whatever they are.
        """
        scribe = Scribe(View(state, draft), self.settings, self.weights, moment)
        scribe.episode(turn, writing)
        for index, operation in sorted(
            enumerate(writing.operations), key=lambda pair: pair[1].tentative
        ):
            scribe.operation(index, operation)
        scribe.contradict(writing)
        scribe.wire()
        return scribe.done

    def assert_fact(
        self, draft: Draft, state: State, operation: Operation, moment: Moment, *, at: float
    ) -> Inscribed:
        """Store a triple without an episode, by the same arbiter; `at`: event time, observed."""
        if operation.one and operation.act is Act.ADD:
            # Who gives a triple knows how many values the slot holds; the table only guesses at
            # what a phrase means. What a write model says of `one` the table may still overrule.
            operation = replace(operation, act=Act.UPDATE)
        scribe = Scribe(View(state, draft), self.settings, self.weights, moment)
        scribe.said_at = at
        scribe.operation(0, operation)
        for node_id in (*scribe.done.facts, *scribe.done.notes, *scribe.done.confirmed):
            draft.node(node_id)["flags"] |= int(NodeFlag.GIVEN)
        scribe.wire()
        return scribe.done


def _said(operations: Iterable[Operation]) -> list[str]:
    return [sentence(o) for o in operations if o.act is not Act.RETRACT and sentence(o)]


def _unknown(state: State, names: Iterable[str]) -> list[str]:
    return [n.strip() for n in names if n.strip() and not state.names.find(n)]
