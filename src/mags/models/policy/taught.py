"""The three decisions of a memory by a trained model: a prompt of few tokens, the likeliest reply.

What it replies passes the grammar and the guardrails like any model's. Greedy replies do not change
when asked again, so one that is refused is not asked for once more: the caller falls back. A second
try that is held to the grammar, or drawn, was measured and mends hardly any (docs/log.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from mags.errors import ModelReplyError
from mags.models.grammar import read_engram, read_plan, read_route
from mags.models.guardrails import check_invented, check_language
from mags.models.policy.compact import compact
from mags.models.policy.shorthand import expand
from mags.ports.policy import Operation, Plan, Recalled, Route, Turn, Writing

Read = TypeVar("Read")
CONFIDENCE = 0.7


class Voice(Protocol):
    """A model that replies to a compact prompt."""

    def complete(self, prompt: str, role: str) -> str:
        """The reply of a role ("ask", "write", "router"); raises ModelReplyError."""
        ...


class CompactPolicy:
    """A `Policy` over models that read compact prompts, one for each role or one for several.

    `language`: the memory's, as an ISO 639-1 code. `failures` counts refused replies by role.
    Raises ModelReplyError where a reply is refused (`reply`: its text), or a role has no model.
    """

    def __init__(self, name: str, voices: Mapping[str, Voice], *, language: str = "en") -> None:
        self._name = name
        self._voices = voices
        self._language = language
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What to show the user."""
        return self._name

    @property
    def roles(self) -> tuple[str, ...]:
        """Those that have a model, of "ask", "write" and "router"."""
        return tuple(self._voices)

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._decide("router", compact("router", turn, recent), read_route)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""

        def read(reply: str) -> Plan:
            return read_plan(expand(reply, question, recent), question.text)

        return self._decide("ask", compact("ask", question, recent), read)

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn."""
        said = (f"{one.speaker} {one.text}" for one in (turn, *recent))
        source = "\n".join((*said, *(f"{one.speaker} {one.text}" for one in recalled)))

        def read(reply: str) -> tuple[Operation, ...]:
            operations = read_engram(expand(reply, turn, recent)).operations
            check_language(operations, self._language, source)
            check_invented(operations, source)
            return operations

        operations = self._decide("write", compact("write", turn, recent, recalled), read)
        sure = tuple(replace(one, confidence=CONFIDENCE) for one in operations)
        names = [n for one in sure for n, named in _names(one) if named]
        return Writing(
            operations=sure,
            mentions=tuple(dict.fromkeys((*names, turn.speaker))),
            is_question=turn.text.rstrip().endswith("?"),
        )

    def _decide(self, role: str, prompt: str, read: Callable[[str], Read]) -> Read:
        if role not in self._voices:
            raise ModelReplyError(f"{self.name} has no model for {role}.", reason="no model")
        reply = ""
        try:
            reply = self._voices[role].complete(prompt, role)
            return read(reply)
        except ModelReplyError as refused:
            self.failures[role] += 1
            refused.facts["reply"] = reply
            raise


def _names(one: Operation) -> tuple[tuple[str, bool], ...]:
    return (one.subject, one.subject_is_name), (one.object, one.object_is_name)
