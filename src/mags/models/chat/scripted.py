"""A language model with scripted replies, for tests, demos and dry runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mags.errors import ModelError, ModelReplyError, ModelUnavailable
from mags.ports.chat import Completion, Message, Tool, Usage, estimate, estimate_prompt

Reply = str | Completion | ModelError | Callable[[Sequence[Message]], str | Completion]
"""A text, a whole completion, an error to raise, or a function of the messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The arguments of one call."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    schema: Mapping[str, Any] | None


class ScriptedChat:
    """A `ChatModel` that returns the given replies in order, one for each call.

    `asked` has every call. After the last reply, calls raise ModelUnavailable. Usage is estimated
    from the lengths of the texts, so it is the same every time; it is marked as estimated.
    """

    def __init__(
        self, replies: Iterable[Reply], *, name: str = "scripted", takes_tools: bool = True
    ) -> None:
        self._replies = list(replies)
        self.name = name
        self.takes_tools = takes_tools
        self.asked: list[Asked] = []

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Return the next reply; `on_text` gets its words one by one, as from a stream."""
        turn = len(self.asked)
        self.asked.append(Asked(messages=tuple(messages), tools=tuple(tools), schema=schema))
        if turn >= len(self._replies):
            raise ModelUnavailable(
                f"The script of {self.name!r} ended after {turn} replies: give it more.",
                endpoint=self.name,
                tried=1,
            )
        said = self._replies[turn]
        if isinstance(said, ModelError):
            raise said
        if not isinstance(said, str | Completion):
            said = said(messages)
        completion = said if isinstance(said, Completion) else Completion(text=said)
        if not completion.text and not completion.tool_calls:
            raise ModelReplyError(
                f"{self.name} said nothing (finish: {completion.finish}).",
                endpoint=self.name,
                reason="empty reply",
            )
        if on_text is not None:
            # Every piece has its white space, so the pieces join to the text.
            for piece in re.findall(r"\s*\S+|\s+$", completion.text):
                on_text(piece)
        if completion.usage.calls:
            return completion
        return replace(completion, usage=self._usage(messages, completion))

    def _usage(self, messages: Sequence[Message], completion: Completion) -> Usage:
        arguments = "".join(str(dict(call.arguments)) for call in completion.tool_calls)
        return Usage(
            calls=1,
            prompt_tokens=estimate_prompt(message.content for message in messages),
            completion_tokens=estimate(completion.text + arguments),
            estimated=True,
        )
