"""Any OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, LM Studio, or a cloud's.

Unusual here: what an endpoint can do is not configured but found out. Every optional part of a
request (structured output, tools, logprobs, streamed usage) is asked for until the server refuses
it, then left out from then on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from mags.errors import ModelReplyError, ModelUnavailable
from mags.models.chat.abilities import Abilities
from mags.models.chat.faults import REFUSED, Backoff, Fault, read_fault
from mags.models.chat.tokens import estimate, estimate_prompt
from mags.models.chat.wire import Gathered, garbled, messages_to_wire, schema_to_wire, tool_to_wire
from mags.ports.chat import Completion, Message, Tool, Usage

if TYPE_CHECKING:
    import openai

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is and how to ask it.

    `model`: empty takes the first that the server lists. `timeout_s`: longest silence;
    `total_s`: longest streamed reply. `temperature` None leaves it to the server. `tools`
    False forbids tool calls. `logprobs` asks for them where the server has them.
    """

    url: str = field(repr=False)
    model: str = ""
    key: str | None = field(default=None, repr=False)
    connect_s: float = 5.0
    timeout_s: float = 60.0
    total_s: float = 300.0
    temperature: float | None = 0.0
    max_tokens: int = 1024
    tools: bool = True
    logprobs: bool = True
    backoff: Backoff = field(default_factory=Backoff)

    @property
    def place(self) -> str:
        """Host and port, without what must not be shown."""
        parts = urlsplit(self.url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else "?"


@dataclass(slots=True)
class _Call:
    """One question to the model; `shown` is set once a piece of its answer was passed on."""

    messages: Sequence[Message]
    tools: Sequence[Tool]
    schema: Mapping[str, Any] | None
    on_text: Callable[[str], None] | None
    shown: bool = False


class OpenAIChat:
    """A `ChatModel` over `/v1/chat/completions`.

    Passing failures are tried again with exponential backoff and jitter; never once a piece of
    the answer was streamed. Where the server counts no tokens they are estimated, and the usage
    says so. `sleep`, `clock` (seconds, monotonic) and `rng` are arguments for the tests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: Random | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._abilities = Abilities(tools=endpoint.tools, logprobs=endpoint.logprobs)
        self._model = endpoint.model
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or Random()

    @property
    def name(self) -> str:
        """Model and place, e.g. "qwen3-8b at localhost:8000"."""
        return f"{self._model or 'first model'} at {self._endpoint.place}"

    @property
    def takes_tools(self) -> bool:
        """Whether tools are understood, as far as is known: True until a server refuses them."""
        return self._abilities.tools

    @property
    def abilities(self) -> Abilities:
        """What the endpoint is known, or still believed, to take."""
        return self._abilities

    @cached_property
    def _client(self) -> openai.OpenAI:
        import openai  # 0.6 s: only once a model is asked

        key = self._endpoint.key or "none"  # the client wants one; local servers ignore it
        wait = openai.Timeout(self._endpoint.timeout_s, connect=self._endpoint.connect_s)
        # Named here so that no account of the environment is told to another server.
        headers: dict[str, Any] = {
            "Authorization": f"Bearer {key}",
            "OpenAI-Organization": openai.omit,
            "OpenAI-Project": openai.omit,
        }
        return openai.OpenAI(
            base_url=self._endpoint.url,
            api_key=key,
            timeout=wait,
            max_retries=0,
            default_headers=headers,
        )

    def models(self) -> list[str]:
        """Names of the models the server lists; raises ModelUnavailable, ModelReplyError."""
        return self._trying(lambda _: self._list(), call=None)

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """Complete once; streams when `on_text` is given. Raises as the port says."""
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
                f"The server at {self._endpoint.place} lists no model: set MAGS_CHAT_MODEL.",
                endpoint=self._endpoint.place,
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
        """Run `do` until it succeeds, with ever fewer optional parts, or raise ModelUnavailable."""
        import openai

        abilities, failed = self._abilities, 0
        while True:
            try:
                result = do(abilities)
            except openai.APIError as failure:
                fault, cause = read_fault(failure), failure
                less = self._less(abilities, fault, call)
                if less is not None:
                    abilities = less
                    continue
            except json.JSONDecodeError as failure:
                raise self._addressed(garbled("not JSON")) from failure
            except ModelReplyError as failure:
                raise self._addressed(failure) from None
            else:
                self._abilities = abilities
                return result
            failed += 1
            if (call is not None and call.shown) or failed >= fault.tries(self._endpoint.backoff):
                raise self._unavailable(fault, failed) from cause
            self._sleep(fault.asked_s or self._endpoint.backoff.wait_s(failed, self._rng))

    def _less(self, abilities: Abilities, fault: Fault, call: _Call | None) -> Abilities | None:
        if call is None or call.shown or not (fault.status in REFUSED or fault.status == 500):
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
        if gathered.finish is None:
            raise self._unavailable(Fault(what="the stream ended before the reply did"), 1)
        return gathered

    def _request(self, call: _Call, abilities: Abilities) -> dict[str, Any]:
        told = call.schema if abilities.schema != "json_schema" else None
        wire = messages_to_wire(call.messages, tools=abilities.tools, told_schema=told)
        request: dict[str, Any] = {"model": self._model, "messages": wire}
        limit = "max_completion_tokens" if abilities.long_limit else "max_tokens"
        request[limit] = self._endpoint.max_tokens
        if abilities.temperature and self._endpoint.temperature is not None:
            request["temperature"] = self._endpoint.temperature
        if abilities.tools and call.tools:
            request["tools"] = [tool_to_wire(tool) for tool in call.tools]
        if abilities.logprobs:
            request["logprobs"] = True
        if call.schema is not None and abilities.schema != "none":
            request["response_format"] = schema_to_wire(call.schema, abilities.schema)
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
            logprob=said.logprob(),
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


def _plain(reply: object) -> object:
    """The client's object as plain JSON values; what it could not read stays as it is."""
    as_dict = getattr(reply, "to_dict", None)
    return as_dict(warnings=False) if callable(as_dict) else reply
