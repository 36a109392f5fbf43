"""ChatModel: a language model that completes a conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


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
        """Sum, field by field; estimated where a part of it is."""
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
        """Complete once. `schema`: a JSON schema the reply must follow, where the server can.

        `on_text` receives pieces of text as they stream. Raises ModelUnavailable,
        ModelReplyError.
        """
