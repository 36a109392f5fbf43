"""The cost of calls of a language model: tokens estimated from lengths, and a meter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from mags.ports.chat import ChatModel, Completion, Message, Tool, Usage

CHARACTERS_A_TOKEN = 4
OVERHEAD_A_MESSAGE = 4


def estimate(text: str) -> int:
    """Estimated tokens of a text: characters / 4, rounded up (within some 20% for English)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def estimate_prompt(texts: Iterable[str]) -> int:
    """Estimated tokens of a prompt of several messages, with four for the frame of each."""
    return sum(estimate(text) + OVERHEAD_A_MESSAGE for text in texts)


class MeteredChat:
    """A `ChatModel` that sums the usage of all completions of the one it wraps.

    Policies do not return usage: `take()` after a turn returns what the turn has cost.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._usage = Usage()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self._chat.name

    @property
    def takes_tools(self) -> bool:
        """Whether the wrapped model takes tools."""
        return self._chat.takes_tools

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete and count; a call that fails is not counted."""
        completion = self._chat.complete(messages, tools=tools, schema=schema, on_text=on_text)
        # Held for the sum alone: completions of several threads run side by side.
        with self._lock:
            self._usage += completion.usage
        return completion

    def take(self) -> Usage:
        """Return the usage since the last `take`, and start again at zero."""
        with self._lock:
            used, self._usage = self._usage, Usage()
        return used
