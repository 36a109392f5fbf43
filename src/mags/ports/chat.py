"""ChatModel: a language model that completes a conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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
