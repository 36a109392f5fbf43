"""Any OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, LM Studio, or a cloud's.

What is unusual here: the abilities of an endpoint are not configured but found out. Every optional
part of a request (structured output, tools, streamed usage) is sent until the server refuses it,
and is left out from then on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from mags.errors import ModelReplyError, ModelUnavailable
from mags.ports.chat import (
    ChatSettings,
    Completion,
    Message,
    Tool,
    ToolCall,
    Usage,
    calls_left,
    estimate,
    estimate_prompt,
    take_call,
)
from mags.ports.pausing import span

if TYPE_CHECKING:
    import openai

Json = Mapping[str, Any]
Result = TypeVar("Result")

FEATURES = {
    "stream_usage": ("stream_options", ("stream_options", "include_usage")),
    "schema": (
        "response_format",
        ("response_format", "json_schema", "grammar", "structured"),
    ),
    "tools": ("tools", ("tool", "function")),
    "temperature": ("temperature", ("temperature",)),
    "long_limit": ("max_tokens", ("max_completion_tokens", "max_tokens")),
}
"""Each ability with its parameter in the request, and the words with which errors name it."""
# If the error names nothing, these are left out one by one, in the order of FEATURES.
GUESSED = ("stream_usage", "schema", "tools")
# A prompt that is too long is refused with the same status, and often names `max_tokens`.
NOT_A_FEATURE = ("context length", "context_length", "context size", "too long", "too many tokens")
# Statuses that may go away by themselves, and statuses of a request the server does not accept.
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 422, 501})
# Some answer this to a parameter they do not know, or find no model that takes it.
NAMING = frozenset({404, 500})
UNREACHED = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")
NO_CREDIT = ("insufficient_quota", "billing")
UNREACHED_TRIES, FIRST_S, LONGEST_S = 2, 0.5, 20.0
"""Tries where nothing listens; the first wait, and the longest, also of one the server asks for."""
ADVICE = {
    400: "the server refuses the request; see its message",
    401: "the server wants another key: set MAGS_CHAT_KEY",
    403: "the key may not use this model: check MAGS_CHAT_KEY and MAGS_CHAT_MODEL",
    404: "no such model or path: check MAGS_CHAT_MODEL, and that MAGS_CHAT_URL ends in /v1",
    413: "the prompt is too long for the server: lower memory.context_tokens",
    429: "the server limits how often it may be asked: wait, or raise chat.tries",
}


@dataclass(slots=True)
class _Call:
    """One call of the model; `shown` is True once a piece of its answer was passed on."""

    messages: Sequence[Message]
    tools: Sequence[Tool]
    schema: Mapping[str, Any] | None
    on_text: Callable[[str], None] | None
    shown: bool = False


class OpenAIChat:
    """A `ChatModel` over `/v1/chat/completions`.

    Temporary failures are tried again with exponential backoff, a random half of it as jitter, but
    never after a piece of the answer was streamed. A wait that the server asks for (`Retry-After`)
    is used if it is at most `LONGEST_S`; for a longer one the call fails at once. If the server
    does not count tokens they are estimated, and the usage says so. `sleep`, `clock` (seconds,
    monotonic) and `rng` are arguments for tests.
    """

    def __init__(
        self,
        endpoint: ChatSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: Random | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._abilities = Abilities(tools=endpoint.tools)
        self._model = endpoint.model
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or Random()

    @property
    def name(self) -> str:
        """Model and place, e.g. "qwen3-8b at localhost:8000"."""
        return f"{self._model or 'first model'} at {self._place}"

    @property
    def _place(self) -> str:
        """Host and port. The rest of a URL may hold secrets and is not shown."""
        parts = urlsplit(self._endpoint.url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else "?"

    @property
    def takes_tools(self) -> bool:
        """Whether the model takes tools, as far as is known: True until the server refuses them."""
        return self._abilities.tools

    @cached_property
    def _client(self) -> openai.OpenAI:
        at = self._endpoint
        # `_trying` retries: the client would not know that an answer was begun.
        return client_of(at.url, at.key, timeout_s=at.timeout_s, connect_s=at.connect_s)

    def models(self) -> list[str]:
        """Names of the models that the server lists; raises ModelUnavailable, ModelReplyError."""
        return self._trying(lambda _: self._list(), call=None)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete once; streams if `on_text` is given. Raises what `ChatModel` documents."""
        if not self._model:
            self._model = self._first_model()
        call = _Call(messages, tools, schema, on_text)
        started = self._clock()
        said = self._trying(lambda abilities: self._once(call, abilities, started), call=call)
        return self._completion(call, said, self._clock() - started)

    def _first_model(self) -> str:
        names = self.models()
        if not names:
            raise ModelUnavailable(
                f"The server at {self._place} lists no model: set MAGS_CHAT_MODEL.",
                endpoint=self._place,
                tried=1,
            )
        return names[0]

    def _list(self) -> list[str]:
        page = self._client.models.list()
        listed = getattr(page, "data", None)
        if not isinstance(listed, list):
            raise garbled("no list of models")
        return [name for name in (getattr(one, "id", None) for one in listed) if name]

    def _trying(self, do: Callable[[Abilities], Result], call: _Call | None) -> Result:
        """Run `do` until it succeeds, with fewer optional parts each time a part is refused.

        Raises ModelUnavailable once no try is left.
        """
        import openai

        abilities, failed = self._abilities, 0
        while True:
            try:
                result = self._counted(do, abilities, call)
            except openai.APIError as failure:
                fault, cause = read_fault(failure), failure
                less = self._less(abilities, fault, call)
                # A request with one part less is another request, not a further try.
                if less is not None:
                    abilities = less
                    continue
            except json.JSONDecodeError as failure:
                raise self._addressed(garbled("not JSON")) from failure
            except ModelReplyError as failure:
                raise self._addressed(failure) from None
            else:
                # Kept only on success: another failure may have looked like a refusal.
                self._abilities = abilities
                return result
            failed += 1
            tries = fault.tries(self._endpoint.tries) if calls_left() else failed
            if (call is not None and call.shown) or failed >= tries:
                raise self._unavailable(fault, failed) from cause
            wait_s = min(LONGEST_S, FIRST_S * 2.0 ** (failed - 1)) * self._rng.uniform(0.5, 1.0)
            self._sleep(fault.asked_s or wait_s)

    def _counted(
        self, do: Callable[[Abilities], Result], abilities: Abilities, call: _Call | None
    ) -> Result:
        import openai

        if call is not None:
            take_call(self.name)
        with span("upstream") as facts:
            facts["status"] = 0
            try:
                result = do(abilities)
            except openai.APIStatusError as failure:
                facts["status"] = failure.status_code
                raise
            facts["status"] = 200
            return result

    def _less(self, abilities: Abilities, fault: Fault, call: _Call | None) -> Abilities | None:
        # Of a status that may mean anything else the message has to name the part.
        if call is None or call.shown or fault.status not in REFUSED | NAMING:
            return None
        used = self._request(call, abilities)
        return abilities.without(fault.message, used, guess=fault.status in REFUSED)

    def _once(self, call: _Call, abilities: Abilities, started: float) -> Gathered:
        request = self._request(call, abilities)
        gathered = Gathered()
        if call.on_text is None:
            reply = self._client.chat.completions.create(**request)
            gathered.take(_plain(reply), "message")
            return gathered
        with closing(self._client.chat.completions.create(**request, stream=True)) as stream:
            for chunk in stream:
                words = gathered.take(_plain(chunk), "delta")
                if words:
                    call.shown = True
                    call.on_text(words)
                if self._clock() - started > self._endpoint.total_s:
                    raise self._unavailable(Fault(what="the reply took too long"), 1)
        # A connection that is cut looks like the end of the stream.
        if gathered.finish is None:
            raise self._unavailable(Fault(what="the stream ended before the reply did"), 1)
        return gathered

    def _request(self, call: _Call, abilities: Abilities) -> dict[str, Any]:
        wire = [_message(message, tools=abilities.tools) for message in call.messages]
        request: dict[str, Any] = {"model": self._model, "messages": wire}
        limit = "max_completion_tokens" if abilities.long_limit else "max_tokens"
        request[limit] = self._endpoint.max_tokens
        if abilities.temperature and self._endpoint.temperature is not None:
            request["temperature"] = self._endpoint.temperature
        if abilities.tools and call.tools:
            request["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in call.tools
            ]
        if call.schema is not None and abilities.schema:
            named = {"name": "reply", "schema": dict(call.schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        if call.on_text is not None and abilities.stream_usage:
            request["stream_options"] = {"include_usage": True}
        return request

    def _completion(self, call: _Call, said: Gathered, seconds: float) -> Completion:
        try:
            tool_calls = said.tool_calls()
        except ModelReplyError as failure:
            raise self._addressed(failure) from None
        if not said.text.strip() and not tool_calls:
            raise ModelReplyError(
                f"{self.name} said nothing (finish: {said.finish}). If it thinks before it "
                "speaks, raise chat.max_tokens.",
                endpoint=self.name,
                reason="empty reply",
            )
        asked, given = said.prompt_tokens, said.completion_tokens
        estimated = asked is None or given is None
        if asked is None or given is None:
            asked, given = estimate_prompt(m.content for m in call.messages), estimate(said.text)
        return Completion(
            text=said.text,
            tool_calls=tool_calls,
            usage=Usage(
                calls=1,
                prompt_tokens=asked,
                completion_tokens=given,
                seconds=seconds,
                estimated=estimated,
            ),
            finish=said.finish or "stop",
        )

    def _addressed(self, failure: ModelReplyError) -> ModelReplyError:
        return ModelReplyError(f"{self.name}: {failure}", **failure.facts, endpoint=self.name)

    def _unavailable(self, fault: Fault, tried: int) -> ModelUnavailable:
        times = "once" if tried == 1 else f"{tried} times"
        told = f": {fault.message}" if fault.message else ""
        return ModelUnavailable(
            f"{self.name} does not answer, tried {times} ({fault.what}{told}). "
            f"What to do: {fault.advice}. `mags doctor` checks the endpoint.",
            endpoint=self.name,
            tried=tried,
            status=fault.status,
            reason=fault.what,
        )


def client_of(
    url: str, key: str | None, *, timeout_s: float, connect_s: float, retries: int = 0
) -> openai.OpenAI:
    """A client of a server that speaks OpenAI's API; it sends nothing of the environment."""
    import openai  # takes 0.6 s, so only once a model is asked

    key = key or "none"  # the client wants one; local servers ignore it
    # The client would take an organisation and a project from the environment.
    headers: dict[str, Any] = {
        "Authorization": f"Bearer {key}",
        "OpenAI-Organization": openai.omit,
        "OpenAI-Project": openai.omit,
    }
    return openai.OpenAI(
        base_url=url,
        api_key=key,
        timeout=openai.Timeout(timeout_s, connect=connect_s),
        max_retries=retries,
        default_headers=headers,
    )


def _plain(reply: object) -> object:
    """The client's object as plain JSON values; what it could not parse is returned unchanged."""
    as_dict = getattr(reply, "to_dict", None)
    return as_dict(warnings=False) if callable(as_dict) else reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """The optional parts of a request that an endpoint takes; all of them until it refuses one.

    `schema`: structured output; without it the prompt's own words say what form a reply has.
    `long_limit`: the token limit is called `max_completion_tokens`, not `max_tokens`.
    """

    schema: bool = True
    tools: bool = True
    stream_usage: bool = True
    temperature: bool = True
    long_limit: bool = False

    def without(self, complaint: str, used: Mapping[str, Any], *, guess: bool) -> Abilities | None:
        """The abilities that are left after the endpoint refused a request with `used` parameters.

        The feature that the complaint names is dropped; if it names none, and with `guess`, the
        optional parts are dropped one by one. None if nothing that was used can be left out.
        """
        words = complaint.lower()
        if any(phrase in words for phrase in NOT_A_FEATURE):
            return None
        named = [
            part for part, (_, marks) in FEATURES.items() if any(mark in words for mark in marks)
        ]
        parts = named or (GUESSED if guess else ())
        for part, (parameter, _) in FEATURES.items():
            if part in parts and parameter in used:
                return replace(self, **{part: part == "long_limit"})
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One failed call. `status` is 0 without an HTTP answer; `asked_s` is its Retry-After."""

    what: str
    status: int = 0
    message: str = ""
    unreached: bool = False
    asked_s: float | None = None
    passing: bool = False

    def tries(self, most: int) -> int:
        """How many calls may be made in all before this failure is final."""
        if not self.passing or (self.asked_s or 0.0) > LONGEST_S:
            return 1
        return UNREACHED_TRIES if self.unreached else most

    @property
    def advice(self) -> str:
        """What a user can do about it."""
        if self.unreached:
            return "start the server, or correct MAGS_CHAT_URL"
        if self.status in ADVICE:
            return ADVICE[self.status]
        if self.status >= 500:
            return "look at the server's own log"
        return "look whether the server still runs, or raise chat.timeout_s"


def read_fault(failure: openai.APIError) -> Fault:
    """Classify a failure: an HTTP error, a connection failure, a timeout, an error in a stream."""
    import openai

    if isinstance(failure, openai.APIStatusError):
        # An empty account is reported as 429, too, but waiting does not help.
        no_credit = any(word in f"{failure.code} {failure.type}" for word in NO_CREDIT)
        return Fault(
            what=f"HTTP {failure.status_code}",
            status=failure.status_code,
            message=complaint(failure),
            asked_s=_seconds(failure.response.headers.get("retry-after")),
            passing=failure.status_code in PASSING and not no_credit,
        )
    cause = failure.__cause__
    name = type(cause).__name__
    if name in UNREACHED:
        return Fault(what=f"not reached ({cause})", unreached=True, passing=True)
    if isinstance(failure, openai.APITimeoutError):
        return Fault(what="timed out", passing=True)
    if cause is not None:
        return Fault(what=f"the connection broke ({name})", message=str(cause), passing=True)
    return Fault(what="the server reported an error", message=complaint(failure), passing=True)


def complaint(failure: openai.APIError) -> str:
    """The server's error message, shortened, wherever in the body it is."""
    # Servers differ: {"error": {"message"}}, {"error": "text"}, {"detail"}, or no JSON.
    body = failure.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message") or inner.get("detail") if isinstance(inner, Mapping) else inner
        body = said or body
    return " ".join(str(body or failure.message).split())[:300]


def _seconds(written: str | None) -> float | None:
    try:
        return max(0.0, float(written)) if written is not None else None
    except ValueError:
        return None  # a date is legal, too; our own waiting time will do


# -- messages to the JSON of `/v1/chat/completions`, and its replies, strictly parsed ----------


def _message(message: Message, *, tools: bool) -> dict[str, Any]:
    """One message; without `tools`, tool calls and their results become plain text."""
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


@dataclass(slots=True)
class Gathered:
    """A reply that is put together from one body or from the chunks of a stream.

    `prompt_tokens` and `completion_tokens` stay None if the server does not count.
    """

    text: str = ""
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    calls: dict[int, dict[str, str]] = field(default_factory=dict)

    def take(self, body: object, part: str) -> str:
        """Add a body (`part`: "message") or a chunk ("delta") and return its text.

        Raises ModelReplyError if it has another form.
        """
        if not isinstance(body, Mapping):
            raise garbled("not a JSON object")
        self._count(body.get("usage"))
        choices = body.get("choices")
        # The chunk with the usage has no choices.
        if part == "delta" and choices in (None, []):
            return ""
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
            raise garbled("no choices")
        choice = choices[0]
        said = choice.get(part) or {}
        if not isinstance(said, Mapping):
            raise garbled(f"its {part} is not an object")
        self.finish = choice.get("finish_reason") or self.finish
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

    def _call(self, place: int, call: object) -> None:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(call, Mapping) or not isinstance(function, Mapping):
            raise garbled("a tool call without a function")
        # In a stream a call comes in pieces with the same index: id and name in the first one, the
        # arguments over all of them.
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
