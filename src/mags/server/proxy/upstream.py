"""The model behind the proxy: any OpenAI-compatible server, asked as the client asked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from mags.errors import InvalidInput, ModelReplyError, ModelUnavailable
from mags.ports.chat import ChatSettings
from mags.ports.pausing import span
from mags.server.wire.requests import plain

Json = dict[str, Any]
MOST_BYTES = 64_000_000
LINE_BYTES = 4_000_000
"""The most of one answer, and of one line of a stream."""

AGAIN = ("retry-after", "retry-after-ms")
"""Headers of an error that say when to ask again; clients of OpenAI's API wait so long."""


class UpstreamLate(ModelUnavailable):
    """The model's server was silent for too long."""


class UpstreamRefused(ModelReplyError):
    """The model's server answered with an error, which the client gets as it is."""

    def __init__(
        self, status: int, body: bytes, media: str, again: Mapping[str, str] | None = None
    ) -> None:
        """`status`, `body`, `media`: what it answered; `again`: headers that say when to ask."""
        super().__init__(f"the model's server answered {status}", status=status)
        self.status, self.body, self.media = status, body, media
        self.again = again or {}


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model's server, and the client that keeps connections to it open between requests."""

    client: httpx.AsyncClient
    settings: ChatSettings

    def stream(
        self, method: str, path: str, body: Json | None
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """One request and its answer as it comes.

        The client's own key never leaves this server; without one of the settings none is sent.
        """
        chat = self.settings
        return self.client.stream(
            method,
            chat.url.rstrip("/") + path,
            json=body,
            headers={} if chat.key is None else {"Authorization": f"Bearer {chat.key}"},
            timeout=httpx.Timeout(chat.timeout_s, connect=chat.connect_s),
        )


async def whole(upstream: Upstream, method: str, path: str, body: Json | None) -> Json:
    """One call and its JSON; raises ModelUnavailable, UpstreamRefused, ModelReplyError."""
    async with _answering(upstream, method, path, body) as answer:
        content = await _read(answer)
    _check(answer, content)
    try:
        found = plain(json.loads(content))
    except (ValueError, RecursionError, InvalidInput) as failure:
        raise ModelReplyError("the model's server answered with no JSON") from failure
    if not isinstance(found, dict):
        raise ModelReplyError("the model's server answered with JSON that is no object")
    return found


@asynccontextmanager
async def pieces(upstream: Upstream, path: str, body: Json) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of a streamed answer; raises as `whole` does, before the first of them."""
    async with _answering(upstream, "POST", path, body) as answer:
        if answer.status_code >= 400:
            _check(answer, await _read(answer))
        media = answer.headers.get("content-type", "")
        if not media.startswith("text/event-stream"):
            raise ModelReplyError(
                f"the model's server answered with {media or 'nothing'}, no stream"
            )
        yield _lines(answer)


@asynccontextmanager
async def _answering(
    upstream: Upstream, method: str, path: str, body: Json | None
) -> AsyncIterator[httpx.Response]:
    """An answer as it begins; failures of the connection become errors of MAGS."""
    try:
        async with AsyncExitStack() as stack:
            # A part ends when the answer begins: a stream is read by another task, where it cannot.
            with span("upstream") as facts:
                facts["status"] = 0
                answer = await stack.enter_async_context(upstream.stream(method, path, body))
                facts["status"] = answer.status_code
            yield answer
    except httpx.TimeoutException as failure:
        raise UpstreamLate("the model's server was silent for too long") from failure
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        why = str(failure) or type(failure).__name__
        raise ModelUnavailable(f"the model's server cannot be reached: {why}") from failure


async def _read(answer: httpx.Response) -> bytes:
    content = bytearray()
    async for piece in answer.aiter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise ModelReplyError(f"the model's server answered with over {MOST_BYTES:,} bytes")
    return bytes(content)


async def _lines(answer: httpx.Response) -> AsyncIterator[str]:
    """Lines as event streams have them; httpx would break a text at U+2028 and U+0085 too."""
    rest = b""
    async for piece in answer.aiter_bytes():
        *whole_lines, rest = (rest + piece).split(b"\n")
        for line in whole_lines:
            yield line.removesuffix(b"\r").decode("utf-8", "replace")
        if len(rest) > LINE_BYTES:
            raise ModelReplyError(f"the model's server sent a line of over {LINE_BYTES:,} bytes")
    if rest:
        yield rest.decode("utf-8", "replace")


def _check(answer: httpx.Response, body: bytes) -> None:
    """Raise UpstreamRefused for an error; a body that is no JSON is passed on as plain text."""
    if answer.status_code >= 400:
        said = answer.headers.get("content-type", "application/json")
        media = "application/json" if "json" in said else "text/plain"
        again = {name: answer.headers[name] for name in AGAIN if name in answer.headers}
        raise UpstreamRefused(min(answer.status_code, 599), body, media, again)


def text_of(message: Mapping[str, Any] | None) -> str:
    """The words of a message: a text, or the text parts of several."""
    content = None if message is None else message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(part for part in parts if isinstance(part, str))
