"""ChatModel: a language model that completes a conversation; and what its calls cost.

Tokens are estimated from lengths where no server counts them. Several threads may ask at once over
one model: each counts its own calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mags.errors import ModelUnavailable
from mags.ports.bounds import SECRET, URL, within


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """The language model. Without `url` there is none, and MAGS answers by quoting.

    `model`: if empty, the first that the server lists. `connect_s`, `timeout_s` (silence),
    `total_s` (a streamed reply): seconds. `tries`: calls before giving up. `temperature` None
    (`false`) leaves it to the server. `tools` False uses `<recall>` tokens even where the server
    has tool calls. `logprobs`: read, but without effect.
    """

    url: str = field(default="", repr=False, metadata=URL)
    model: str = ""
    key: str | None = field(default=None, repr=False, metadata=SECRET)
    connect_s: float = field(default=5.0, metadata=within(0.05, 600.0))
    timeout_s: float = field(default=60.0, metadata=within(0.05, 3600.0))
    total_s: float = field(default=300.0, metadata=within(0.05, 86400.0))
    tries: int = field(default=4, metadata=within(1, 20))
    temperature: float | None = field(default=0.0, metadata=within(0.0, 2.0))
    max_tokens: int = field(default=1024, metadata=within(16, 1_000_000))
    tools: bool = True
    logprobs: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool the model wants run: `arguments` as parsed JSON."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Cost of one or more calls: number of calls, tokens in and out, seconds spent waiting.

    `estimated`: some of the tokens were not counted by a server but told from lengths.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    estimated: bool = False

    @property
    def tokens(self) -> str:
        """Tokens in and out to show: "120+15", or "~120+15" where they are estimated."""
        about = "~" if self.estimated else ""
        return f"{about}{self.prompt_tokens}+{self.completion_tokens}"

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            seconds=self.seconds + other.seconds,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What the model said."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"


class ChatModel(Protocol):
    """Messages to a completion."""

    @property
    def name(self) -> str:
        """What to show the user, e.g. "qwen3-8b at localhost:8000"."""

    @property
    def takes_tools(self) -> bool:
        """Whether `tools` are understood; otherwise `<recall>` tokens in the text are used."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete once. `schema`: a JSON schema the reply must follow, where the server can hold
        it to one; elsewhere it is left out, and the messages say what form a reply has.

        `on_text` receives pieces of text as they stream. Raises ModelUnavailable,
        ModelReplyError.
        """


def sendable(key: str) -> bool:
    """Whether a key can be the value of a header: visible ASCII (RFC 9110, section 5.5)."""
    return key.isascii() and key.isprintable()


# -- the cost of calls ------------------------------------------------------------

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
    """A `ChatModel` whose completions are counted (see `counting`); a call that fails is not."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat

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
        return completion
