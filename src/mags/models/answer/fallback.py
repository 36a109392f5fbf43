"""The configured answerer where it can be had, else the embedded one, and a word about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mags.errors import ModelReplyError, ModelUnavailable
from mags.ports.answer import Answer, Answerer, ContextItem, OnText, RecallAgain
from mags.ports.policy import Turn


class FallbackAnswerer:
    """Asks `first`; when its model fails, `second` answers and `Answer.fallback` says why."""

    def __init__(self, first: Answerer, second: Answerer) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        """Both names, in the order in which they are asked."""
        return f"{self._first.name}, else {self._second.name}"

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Answer by the first that can. What was streamed before a failure ends with a newline."""
        pieces = 0

        def count(piece: str) -> None:
            nonlocal pieces
            pieces += 1
            if on_text is not None:
                on_text(piece)

        try:
            answer = self._first.answer(
                question,
                items,
                recent=recent,
                recall_again=recall_again,
                on_text=None if on_text is None else count,
            )
            return replace(answer, by=self._first.name)
        except (ModelUnavailable, ModelReplyError) as failure:
            why = f"{failure} Answered by {self._second.name} instead."
        if pieces and on_text is not None:
            on_text("\n")
        answer = self._second.answer(
            question, items, recent=recent, recall_again=recall_again, on_text=on_text
        )
        return replace(answer, fallback=why, by=self._second.name)
