"""What calls of a language model cost: tokens told from lengths, and a meter around a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from mags.ports.chat import ChatModel, Completion, Message, Tool, Usage

CHARACTERS_A_TOKEN = 4
OVERHEAD_A_MESSAGE = 4


def estimate(text: str) -> int:
    """Tokens of one text: its characters by four, rounded up (English, within some 20%)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def estimate_prompt(texts: Iterable[str]) -> int:
    """Tokens of a prompt of several messages, four a message added for their frame."""
    return sum(estimate(text) + OVERHEAD_A_MESSAGE for text in texts)


class MeteredChat:
    """A `ChatModel` that adds up the usage of every completion of the one it wraps.

    Policies return no usage of their own: `take()` after a turn gives what the turn cost.
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
        with self._lock:
            self._usage += completion.usage
        return completion

    def take(self) -> Usage:
        """Return what was used since the last `take`, and begin anew."""
        with self._lock:
            used, self._usage = self._usage, Usage()
        return used
