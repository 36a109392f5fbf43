"""Learning: what the model that answered wants remembered itself becomes an engram of the turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.memory.live import Live
from mags.memory.observing import Observer
from mags.memory.views import Reply, Seen
from mags.ports.english import FIRST_PERSON
from mags.ports.policy import Operation, Turn, Writing

ANSWERS_AS = "mags"
"""Speaker of remembered answers."""

MADE_FROM_MEMORY = {"recalled": "yes"}
"""Attributes of a turn that was made from memory."""

TRUST = 0.5
"""Factor of the confidence of what the assistant says: less than what a user says as surely."""


class Learner:
    """Answers and their operations in, Deltas out."""

    def __init__(self, live: Live, observer: Observer) -> None:
        """Writes to `live` through `observer`."""
        self._live = live
        self._observer = observer

    def learn(self, question: Turn, reply: Reply, *, key: str | None, ticks: int) -> Seen:
        """Store what a reply wants remembered, its text being the episode it comes from.

        The arbiter judges it as what anybody says. What was recalled and is only said again
        is confirmed and no surer for it. Raises StoreError, ModelError.
        """
        turn = Turn(
            text=reply.text,
            speaker=ANSWERS_AS,
            at=question.at,
            session=question.session,
            key=key,
            attrs=MADE_FROM_MEMORY,
        )
        writing = Writing(operations=distrusted(reply.operations, question.speaker))
        payload = self._live.payload(learnt=key or "")
        return self._observer.learn(turn, writing, payload=payload, ticks=ticks)


def distrusted(operations: Sequence[Operation], asker: str) -> tuple[Operation, ...]:
    """Operations of the assistant, less sure than a user's; its "I" in them is who asked."""
    return tuple(
        replace(
            one,
            subject=_named(one.subject, asker),
            object=_named(one.object, asker),
            confidence=TRUST * one.confidence,
        )
        for one in operations
    )


def _named(name: str, asker: str) -> str:
    return asker if name.strip().casefold() in FIRST_PERSON else name
