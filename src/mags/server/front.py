"""What stands before several servers of the same memories, and leads each request to its holder.

A memory is held by one of them, so that it lies in RAM once, its traces are found again and its
writers do not wait for a lock. Keys, limits and routes are the holders' alone; here only the
memory's name is read off a request. Holders are processes (`workers`) or replicas (`cluster`).
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from urllib.parse import parse_qs

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector
from starlette.datastructures import Headers
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.server import mcp
from mags.server.auth import GRANT, KeyRing, namespace_of
from mags.server.middleware import AuthMiddleware
from mags.server.service import tokens_of
from mags.server.settings import ServerSettings
from mags.server.wire.problems import PROXY, failed, problem

PATIENCE_S = 5.0
"""How long a request waits for somebody to hold its memory, after its holder has ended."""
PAUSE_S = 0.05
MEMORY = re.compile("/memories/([^/]+)(?:/|$)")
WHOLE = re.compile("/memories/[^/]+")
GAMES = re.compile("/games(?:/|$)")
"""Games lie in the RAM of one holder: they are routed as a memory of this name is."""
CHAT, MODEL, METRICS = f"{PROXY}/chat/completions", "/settings/model", "/metrics"
REPEATABLE = re.compile("/memories/[^/]+/(recall|chains|ways|latest)")
"""What is posted and writes nothing."""
KEY = "idempotency-key"
UNSENT = "nobody holds this memory now: try again"
DOUBTFUL = "this may be done or not: repeat it with the same idempotency key"


class HolderLost(Exception):
    """Whoever was to answer has ended. `unsent`: before the request had reached it."""

    def __init__(self, *, unsent: bool) -> None:
        super().__init__("who held this memory ended while it was asked")
        self.unsent = unsent


@dataclass(slots=True)
class Request:
    """A request to be led on. `body`: what was read of it; `more`: the rest is to be received."""

    scope: Scope
    receive: Receive
    body: bytes = b""
    more: bool = True

    async def read(self, most: int) -> None:
        """Read the body, as far as `most` bytes; whoever answers refuses a longer one."""
        parts, size = [self.body], len(self.body)
        while self.more and size <= most:
            parts.append(await self._piece())
            size += len(parts[-1])
        self.body = b"".join(parts)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The whole body, piece by piece, also what was not read yet."""
        yield self.body
        while self.more:
            yield await self._piece()

    async def _piece(self) -> bytes:
        message = await self.receive()
        if message["type"] == "http.disconnect":  # half a body must not pass for a whole one
            raise ClientDisconnect
        self.more = bool(message.get("more_body", False))
        piece: bytes = message.get("body", b"")
        return piece

    @property
    def may_repeat(self) -> bool:
        """Whether it does no harm where it was done already."""
        if self.more:
            return False
        path, headers = self.scope["path"], Headers(scope=self.scope)
        if self.scope["method"] in ("GET", "HEAD") or REPEATABLE.fullmatch(path) or KEY in headers:
            return True
        body = _as_object(self.body)
        turns = body.get("turns")
        each = turns if isinstance(turns, list) and turns else [body]
        return MEMORY.match(path) is not None and all(
            isinstance(one, dict) and bool(one.get("key")) for one in each
        )


def _as_object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):  # whoever answers says what is wrong with it
        return {}
    return found if isinstance(found, dict) else {}


Forward = Callable[[str | None, Request, Send], Awaitable[None]]
"""Has the holder of a memory, or anybody for None, answer a request; raises HolderLost."""
Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers and body."""
Everybody = Callable[[Request], Awaitable[Mapping[str, Answer | None]]]
"""Has every holder answer a request; what each says, by its name, None where it does not answer."""


class Front:
    """An app that leads requests to those who hold their memories."""

    def __init__(
        self,
        settings: ServerSettings,
        forward: Forward,
        everybody: Everybody,
        registry: CollectorRegistry,
    ) -> None:
        """`registry`: what the front itself tells at `/metrics`, beside every holder."""
        self._most = settings.limits.body_bytes
        self._forward, self._everybody, self._registry = forward, everybody, registry
        # Of these the memory is known only with the key.
        self._by_key = AuthMiddleware(
            self._of_key, settings, KeyRing(settings.folder), tokens_of(settings)
        )

    def app(self, life: Callable[[Any], AbstractAsyncContextManager[None]]) -> ASGIApp:
        """The app; `life` is entered when it starts, and left when every request is answered."""
        return Router(lifespan=life, default=ServerErrorMiddleware(self._http, handler=failed))

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(ClientDisconnect):
            await self._routed(scope, receive, send)

    async def _routed(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        found = MEMORY.match(path)
        deleted = method == "DELETE" and (path == MODEL or WHOLE.fullmatch(path))
        if deleted or (path == MODEL and method == "PUT"):
            # Who held a memory before, or opened it to look into several, must let go of it too.
            answers = await self._everybody(Request(scope, receive))
            await _of_all(answers.values())(scope, receive, send)
        elif found is not None:
            await self._lead(found[1], Request(scope, receive), send)
        elif path in (mcp.PATH, CHAT):
            await self._by_key(scope, receive, send)
        elif path == METRICS and method == "GET":
            await self._metrics(Request(scope, receive), send)
        else:
            games = GAMES.match(path)
            await self._lead(games[0] if games else None, Request(scope, receive), send)

    async def _of_key(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, grant = Request(scope, receive), scope[GRANT]
        await request.read(self._most)
        if scope["path"] == CHAT:
            named = _as_object(request.body).get("user")
        else:
            named = parse_qs(scope["query_string"].decode("latin-1")).get("memory", [None])[-1]
        await self._lead(
            namespace_of(grant, named if isinstance(named, str) else None), request, send
        )

    async def _lead(self, namespace: str | None, request: Request, send: Send) -> None:
        """Have a request answered, once more where its holder ends and that does no harm."""
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        await request.read(self._most)
        ends_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                return await self._forward(namespace, request, noted)
            except HolderLost as failure:
                if begun:
                    raise  # the line breaks off, and so the client knows
                again = failure.unsent or request.may_repeat
                if not again or time.monotonic() > ends_s:
                    words = UNSENT if failure.unsent else f"{failure}; {DOUBTFUL}"
                    answer = problem(503, "Holder lost", words)
                    return await answer(request.scope, request.receive, noted)
            await asyncio.sleep(PAUSE_S)

    async def _metrics(self, request: Request, send: Send) -> None:
        """The metrics of every holder, each with its name as label `worker`."""
        answers = {k: v for k, v in (await self._everybody(request)).items() if v is not None}
        if not answers or any(status != 200 for status, _, _ in answers.values()):
            await _of_all(answers.values())(request.scope, request.receive, send)
            return
        texts = {name: body.decode() for name, (_, _, body) in answers.items()}
        body = generate_latest(_Together(texts, self._registry))
        response = Response(body, media_type=CONTENT_TYPE_LATEST)
        await response(request.scope, request.receive, send)


def _of_all(answers: Iterable[Answer | None]) -> ASGIApp:
    """The answer of who failed (5xx), else of who did it; 503 where somebody does not answer."""
    known = list(answers)
    answered = [answer for answer in known if answer is not None]
    if not answered or len(answered) < len(known):
        return problem(503, "Holder lost", "not everybody who holds memories answers: try again")
    worst, best = (most(answered, key=itemgetter(0)) for most in (max, min))
    status, headers, body = worst if worst[0] >= 500 else best
    response = Response(body, status)
    response.raw_headers = headers
    return response


class _Together(Collector):
    """Metrics of several processes as a collector of prometheus_client."""

    def __init__(self, texts: dict[str, str], own: CollectorRegistry) -> None:
        self._texts, self._own = texts, own

    def collect(self) -> Iterable[Metric]:
        """Families by name, samples labelled by process."""
        families: dict[str, Metric] = {}
        for worker, text in self._texts.items():
            for family in text_string_to_metric_families(text):
                whole = families.setdefault(
                    family.name, Metric(family.name, family.documentation, family.type)
                )
                for sample in family.samples:
                    labels = {**sample.labels, "worker": worker}
                    whole.add_sample(sample.name, labels, sample.value)
        yield from families.values()
        yield from self._own.collect()
