"""The cost of calls of a language model: tokens estimated from lengths, and a meter.

Several threads may ask at once over one model: each counts its own calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from mags.errors import ModelUnavailable
from mags.ports.chat import ChatModel, Completion, Message, Tool, Usage

CHARACTERS_A_TOKEN = 4
OVERHEAD_A_MESSAGE = 4


def estimate(text: str) -> int:
    """Estimated tokens of a text: characters / 4, rounded up (within some 20% for English)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def estimate_prompt(texts: Iterable[str]) -> int:
    """Estimated tokens of a prompt of several messages, with four for the frame of each."""
    return sum(estimate(text) + OVERHEAD_A_MESSAGE for text in texts)


_LEFT: ContextVar[list[None] | None] = ContextVar("_LEFT", default=None)
"""As many entries as calls are left to the work that runs now; None: as many as it likes."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Let a model be called so often in here, failed calls included; then it is unavailable."""
    token = _LEFT.set([None] * calls)
    try:
        yield
    finally:
        _LEFT.reset(token)


def calls_left() -> bool:
    """Whether the work that runs now may call a model."""
    return _LEFT.get() != []


def take_call(model: str) -> None:
    """Count one call of a model; raises ModelUnavailable where none is left."""
    left = _LEFT.get()
    if left == []:
        raise ModelUnavailable(f"{model} may not be called again for one request", endpoint=model)
    if left is not None:
        left.pop()


_COUNTS: ContextVar[tuple[list[Usage], ...]] = ContextVar("_COUNTS", default=())
"""What the work that runs now has used, the outermost `counting` first."""


@contextmanager
def counting() -> Iterator[Callable[[], Usage]]:
    """Count what metered models are used for in here, by this thread alone: call it to know."""
    used: list[Usage] = []
    token = _COUNTS.set((*_COUNTS.get(), used))
    try:
        yield lambda: sum(used, Usage())
    finally:
        _COUNTS.reset(token)


def present() -> Usage:
    """What has been counted in the innermost `counting` that runs."""
    counts = _COUNTS.get()
    return sum(counts[-1], Usage()) if counts else Usage()


class MeteredChat:
    """A `ChatModel` whose completions are counted; a call that fails is not.

    By `counting` for the work that runs, and by `take` over all that ran.
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
        """Complete and count."""
        completion = self._chat.complete(messages, tools=tools, schema=schema, on_text=on_text)
        for used in _COUNTS.get():
            used.append(completion.usage)
        # Held for the sum alone: completions of several threads run side by side.
        with self._lock:
            self._usage += completion.usage
        return completion

    def take(self) -> Usage:
        """Return the usage since the last `take`, and start again at zero."""
        with self._lock:
            used, self._usage = self._usage, Usage()
        return used
