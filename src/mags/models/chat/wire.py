"""Messages to the JSON of `/v1/chat/completions`, and its replies back, strictly read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mags.errors import ModelReplyError
from mags.ports.chat import Message, Tool, ToolCall

Json = Mapping[str, Any]


def message_to_wire(message: Message, *, tools: bool) -> dict[str, Any]:
    """One message; without `tools`, calls and their results become plain words."""
    if not tools and message.role == "tool":
        return {"role": "user", "content": message.content}
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls and not tools:
        asked = "; ".join(f"{c.name} {json.dumps(dict(c.arguments))}" for c in message.tool_calls)
        wire["content"] = f"{message.content}\n[{asked}]".strip()
    elif message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        wire["tool_call_id"] = message.tool_call_id or ""
    return wire


def messages_to_wire(
    messages: Sequence[Message], *, tools: bool, told_schema: Json | None
) -> list[dict[str, Any]]:
    """All messages; `told_schema` is put into words where the server cannot enforce it."""
    wire = [message_to_wire(message, tools=tools) for message in messages]
    if told_schema is not None:
        rule = "Reply with JSON alone, following this JSON schema: " + json.dumps(told_schema)
        if wire and wire[0]["role"] == "system":
            wire[0]["content"] += f"\n\n{rule}"
        else:
            wire.insert(0, {"role": "system", "content": rule})
    return wire


def tool_to_wire(tool: Tool) -> dict[str, Any]:
    """One tool as a function."""
    about = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": about}


def schema_to_wire(schema: Json, form: str) -> dict[str, Any]:
    """A `response_format` of that form."""
    if form == "json_object":
        return {"type": form}
    named = {"name": "reply", "schema": dict(schema), "strict": True}
    return {"type": "json_schema", "json_schema": named}


@dataclass(slots=True)
class Gathered:
    """A reply as it comes together, from one body or from the chunks of a stream.

    `prompt_tokens` and `completion_tokens` stay None when the server does not count.
    """

    text: str = ""
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprob_sum: float = 0.0
    logprob_count: int = 0
    calls: dict[int, dict[str, str]] = field(default_factory=dict)

    def take(self, body: object, part: str) -> str:
        """Add a body (`part`: "message") or a chunk ("delta"); return its words.

        Raises ModelReplyError where it is not of the agreed form.
        """
        if not isinstance(body, Mapping):
            raise garbled("not a JSON object")
        self._count(body.get("usage"))
        choices = body.get("choices")
        if part == "delta" and choices in (None, []):
            return ""
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            raise garbled("no choices")
        choice = choices[0]
        said = choice.get(part) or {}
        if not isinstance(said, Mapping):
            raise garbled(f"its {part} is not an object")
        self.finish = choice.get("finish_reason") or self.finish
        self._weigh(choice.get("logprobs"))
        for place, call in enumerate(said.get("tool_calls") or ()):
            self._call(place, call)
        words = said.get("content") or ""
        if not isinstance(words, str):
            raise garbled("its content is not text")
        self.text += words
        return words

    def _count(self, usage: object) -> None:
        if isinstance(usage, Mapping):
            asked, given = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if isinstance(asked, int) and isinstance(given, int):
                self.prompt_tokens, self.completion_tokens = asked, given

    def _weigh(self, logprobs: object) -> None:
        tokens = logprobs.get("content") if isinstance(logprobs, Mapping) else None
        for token in tokens if isinstance(tokens, list) else ():
            value = token.get("logprob") if isinstance(token, Mapping) else None
            if isinstance(value, int | float):
                self.logprob_sum += value
                self.logprob_count += 1

    def _call(self, place: int, call: object) -> None:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(call, Mapping) or not isinstance(function, Mapping):
            raise garbled("a tool call without a function")
        index = call.get("index")
        kept = self.calls.setdefault(
            index if isinstance(index, int) else place, {"id": "", "name": "", "arguments": ""}
        )
        kept["id"] = kept["id"] or str(call.get("id") or "")
        kept["name"] = kept["name"] or str(function.get("name") or "")
        arguments = function.get("arguments")
        kept["arguments"] += (
            json.dumps(arguments) if isinstance(arguments, Mapping) else str(arguments or "")
        )

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls, their arguments parsed; raises ModelReplyError."""
        return tuple(
            ToolCall(
                id=call["id"] or f"call_{index}",
                name=call["name"],
                arguments=_arguments(call["name"], call["arguments"]),
            )
            for index, call in sorted(self.calls.items())
        )

    def logprob(self) -> float | None:
        """Mean log-likelihood a token, where the server gave any."""
        return self.logprob_sum / self.logprob_count if self.logprob_count else None


def _arguments(name: str, written: str) -> Mapping[str, Any]:
    try:
        read = json.loads(written or "{}")
    except ValueError:
        read = None
    if not name or not isinstance(read, dict):
        raise garbled(f"the arguments of tool {name!r} are not a JSON object: {written[:80]!r}")
    return read


def garbled(reason: str) -> ModelReplyError:
    """The error for a reply that is no chat completion."""
    return ModelReplyError(
        f"The endpoint's reply is no chat completion ({reason}). Check that the URL is that of an "
        "OpenAI-compatible server and ends in /v1.",
        reason=reason,
    )
