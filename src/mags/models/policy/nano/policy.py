"""The three decisions of a memory made by nano: a prompt of few tokens, the likeliest reply.

What it replies passes the grammar and the guardrails like any model's. Greedy replies do not change
when asked again, so one that is refused is not asked for once more: the caller falls back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from mags.errors import ModelReplyError
from mags.models.grammar import read_engram, read_plan, read_route
from mags.models.guardrails import check_invented
from mags.models.policy.compact import compact
from mags.models.policy.nano.model import NanoFolder, NanoModel
from mags.ports.policy import Operation, Plan, Recalled, Route, Turn, Writing

Read = TypeVar("Read")
CONFIDENCE = 0.7


class NanoPolicy:
    """A `Policy` over the models of a folder; `failures` counts refused replies by role.

    Raises ModelReplyError where a reply is refused, or a role has no model in the folder.
    """

    def __init__(self, folder: NanoFolder, *, threads: int = 1) -> None:
        self._folder = folder
        shared = {
            file: NanoModel(folder, role, threads=threads) for role, file in folder.files.items()
        }
        self._models = {role: shared[file] for role, file in folder.files.items()}
        self.failures: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What the folder calls it."""
        return self._folder.name

    @property
    def tokens(self) -> int:
        """Tokens read and written so far, by all its models."""
        return sum(one.tokens for one in {id(m): m for m in self._models.values()}.values())

    def route(self, turn: Turn, recent: Sequence[Turn]) -> Route:
        """Decide what a turn needs."""
        return self._decide("router", compact("router", turn, recent), read_route)

    def ask(self, question: Turn, recent: Sequence[Turn]) -> Plan:
        """Plan a recall."""
        prompt = compact("ask", question, recent)
        return self._decide("ask", prompt, lambda reply: read_plan(reply, question.text))

    def write(self, turn: Turn, recent: Sequence[Turn], recalled: Sequence[Recalled]) -> Writing:
        """Propose operations for a turn."""
        said = (f"{one.speaker} {one.text}" for one in (turn, *recent))
        source = "\n".join((*said, *(f"{one.speaker} {one.text}" for one in recalled)))

        def read(reply: str) -> tuple[Operation, ...]:
            operations = read_engram(reply).operations
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
        if role not in self._models:
            raise ModelReplyError(f"{self.name} has no model for {role}.", reason="no model")
        try:
            return read(self._models[role].complete(prompt))
        except ModelReplyError:
            self.failures[role] += 1
            raise


def _names(one: Operation) -> tuple[tuple[str, bool], ...]:
    return (one.subject, one.subject_is_name), (one.object, one.object_is_name)
