"""The middleware before the routes: metrics and the log, authentication, limits.

Plain ASGI: a layer costs microseconds, and streamed responses are not buffered.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO
from urllib.parse import urlsplit

import anyio
import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.errors import MagsError
from mags.ports.pausing import Facts, watched
from mags.server.auth import (
    BEGIN,
    EVERYTHING,
    GRANT,
    Forbidden,
    Grant,
    KeyRing,
    Refused,
    Used,
)
from mags.server.concurrency import Admission, RateLimiter
from mags.server.quotas import tenant_of
from mags.server.settings import (
    PAGE,
    REQUEST_ID,
    ServerLimits,
    ServerSettings,
    is_local,
    needs_no_key,
)
from mags.server.wire.problems import of_error, problem

if TYPE_CHECKING:
    from mags.server.oidc import TokenVerifier
    from mags.server.telemetry import Spans

INERT = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers of responses that do not set them: a browser must not run or frame remembered text."""
OPEN = ("/healthz", "/readyz", "/metrics")
"""Paths without limits: they must answer even when the server is overloaded."""
EVENTS, IMPORT = (re.compile(f"/memories/[^/]+/{name}") for name in ("events", "import"))
"""Paths with limits of their own. They must match as a whole: a memory may be called "events"."""
MEMORY = re.compile("/memories/([^/]+)")
ID_HEADER = b"x-request-id"
BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 60.0)
UNKNOWN = "unknown"
FORWARDED = re.compile("x-forwarded(-.*)?|forwarded|via|x-real-ip")
"""Headers that a proxy adds."""
OWN_SITES = ("same-origin", "none")
"""`Sec-Fetch-Site` of the page itself, and of an address that the user has typed."""
FAILURES, FAILURES_A_SECOND = 20, 0.2
"""Wrong keys of one address before it is told to wait, and how fast they are forgiven."""
TEXTS = (1, 2, 4, 8, 16, 32, 64, 256, 1024)


class AuthMiddleware:
    """Puts the grant of each request into its scope, or answers 401 or 403.

    On loopback no key is needed. The remaining dangers there are a web page in the user's own
    browser (DNS rebinding, cross-site requests) and a proxy that lets others in, so the headers
    that tell of them are checked.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        keys: KeyRing,
        tokens: TokenVerifier | None = None,
    ) -> None:
        """`settings.asks`: a key is needed, as wherever others can reach the server.

        `tokens`: of an issuer, taken besides keys.
        """
        self._app, self._keys, self._tokens = app, keys, tokens
        self._asked = settings.asks
        self._failures = RateLimiter(FAILURES_A_SECOND, FAILURES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def inert(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in INERT.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        secret = secret_of(headers)
        try:
            grant = await self._grant(scope["path"], headers, secret)
        except MagsError as failure:
            answer: ASGIApp = of_error(failure)
            wrong = isinstance(failure, Refused) and secret is not None
            # A key has 256 bits, so what is limited is the noise, not the guessing. A good key is
            # let in all the same: nobody can lock out their neighbours.
            if wrong and (wait_s := self._failures.take(_address(scope), time.monotonic())):
                words = f"too many keys from this address were wrong: wait {wait_s:.0f} s"
                answer = problem(429, "Too many wrong keys", words)
            await answer(scope, receive, inert)
            return
        # What a request uses it for is noted in it: it has one of its own.
        scope[GRANT] = None if grant is None else replace(grant, used=Used())
        await self._app(scope, receive, inert)

    async def _grant(self, path: str, headers: Headers, secret: str | None) -> Grant | None:
        if not self._asked:
            _check_origin(path, headers)
        # OpenAI's clients always send a key. Where none is needed, a key of another form is
        # ignored. A key of our form counts, and is refused if it was revoked.
        if secret is not None and (self._asked or secret.startswith(BEGIN)):
            if self._tokens is None or secret.startswith(BEGIN):
                return self._keys.grant(secret)
            # In a thread: the issuer's keys may have to be fetched.
            return await run_in_threadpool(self._tokens.grant, secret)
        if not self._asked:
            return EVERYTHING
        if needs_no_key(path):
            return None
        raise Refused("this server wants a key: send it as `Authorization: Bearer mags_...`")


def _check_origin(path: str, headers: Headers) -> None:
    """Raise Forbidden for what comes from elsewhere, to a server that asks for no key.

    With a key, a foreign page gains nothing: browsers do not send it by themselves.
    """
    host = _name(headers.get("host", ""))
    if not is_local(host):
        raise Forbidden(
            f"this server is not called {host!r}: add it with --allow-host, and make a key"
        )
    proxied = next((name for name in headers if FORWARDED.fullmatch(name)), None)
    if proxied is not None:
        raise Forbidden(
            f"this came through a proxy ({proxied}), so anybody may come, and this server asks for "
            "no key: start it with --need-key, and make one with `mags keys add`"
        )
    origin = headers.get("origin")
    foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
    # Browsers send it with every request, also with those that have no origin, as of a picture.
    # Where a link leads to the page, that is a click of the user, and the page holds no data.
    followed = path == PAGE[0] and headers.get("sec-fetch-mode") == "navigate"
    if foreign or (headers.get("sec-fetch-site", "none") not in OWN_SITES and not followed):
        raise Forbidden(
            f"pages from {origin or 'another site'!r} may not ask this server without a key: start "
            "it with --need-key, and make one with `mags keys add`"
        )


def secret_of(headers: Headers) -> str | None:
    """The key of a request, from `Authorization: Bearer` or `X-API-Key`."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    if kind.casefold() == "bearer" and secret.strip():
        return secret.strip()
    return headers.get("x-api-key") or None


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # no address at all
        return ""


class LimitsMiddleware:
    """The `ServerLimits` of rate, body size, concurrent requests and time.

    They apply before a body is parsed.
    """

    def __init__(
        self, app: ASGIApp, limits: ServerLimits, charge: Callable[[str, float], None]
    ) -> None:
        """Each key has a rate of its own; requests without a key share that of their address.

        `charge`: counts processor time (s) of a tenant. What the event loop has used since it was
        counted last is counted when a request ends, as that request's.
        """
        self._app, self._limits, self._charge = app, limits, charge
        self._counted_s = math.inf
        self._rates = RateLimiter(limits.rate, limits.burst)
        self._admission = Admission(limits.busy, limits.waiting)

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot."""
        return self._admission.waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 413, 429, 503 or 504."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
            await self._limited(scope, receive, send)
        finally:
            now_s = time.thread_time()
            self._charge(_tenant(scope), max(0.0, now_s - self._counted_s))
            self._counted_s = now_s

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        grant: Grant | None = scope.get(GRANT)
        name = _address(scope) if grant is None else grant.name
        wait_s = self._rates.take(name, time.monotonic())
        announced = Headers(scope=scope).get("content-length", "")
        if wait_s:
            words = f"wait {wait_s:.2f} s, then ask again"
            answer = problem(429, "Too many requests", words, retry_after=math.ceil(wait_s))
            await answer(scope, receive, send)
        elif announced.isdecimal() and int(announced) > self._most(scope):
            answer = problem(413, "Too large", _too_large(self._most(scope)))
            await answer(scope, receive, send)
        elif scope["method"] == "GET" and EVENTS.fullmatch(scope["path"]):
            # An event stream mostly waits, so it holds no slot. Streams have a limit of their own.
            await self._app(scope, receive, send)
        elif await self._admission.enter(tenant := _tenant(scope), self._limits.request_s):
            await self._timed(tenant, scope, receive, send)
        else:
            words = "as many requests as there is room for are at work and wait: try again"
            await problem(503, "Too much at once", words)(scope, receive, send)

    async def _timed(self, tenant: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve within the time limit. The slot is released only when the work has really ended.

        Work is cancelled through an anyio scope, which waits for its threads. Otherwise a thread
        would go on without a slot, and slow requests would pile up threads.
        """
        # The limit counts until the response begins. After that, it counts for each message that
        # the client has not taken, so a long stream to a client that reads is not cut off.
        loop, limit_s, begun = asyncio.get_running_loop(), self._limits.request_s, False
        sending_since_s = math.inf
        clock: asyncio.TimerHandle
        woken: asyncio.Future[None] = loop.create_future()
        cancelling, measured = anyio.CancelScope(), self._measured(scope, receive)

        def wake(_work: asyncio.Future[None] | None = None) -> None:
            if not woken.done():
                woken.set_result(None)

        def look() -> None:
            nonlocal clock
            if not begun:
                wake()
            elif loop.time() >= sending_since_s + limit_s:
                cancelling.cancel()  # the client has stopped reading: free the slot
            else:
                clock = loop.call_at(min(sending_since_s, loop.time()) + limit_s, look)

        async def noted(message: Message) -> None:
            nonlocal begun, sending_since_s
            begun = True
            wake()
            # `look` checks this when its timer fires. A new timer for each message would cost more.
            sending_since_s = loop.time()
            await send(message)
            sending_since_s = math.inf

        async def serve() -> None:
            try:
                with cancelling:
                    await self._app(scope, measured, noted)
            finally:
                self._admission.leave(tenant)

        work = asyncio.ensure_future(serve())
        work.add_done_callback(wake)
        clock = loop.call_later(limit_s, look)
        try:
            await woken
            # The time is up and nothing was sent: answer now, while the work is cancelled behind.
            if not work.done() and not begun:
                cancelling.cancel()
                # Nobody awaits it: a failure that is not fetched is logged as unhandled.
                work.add_done_callback(lambda done: done.cancelled() or done.exception())
                words = f"not answered within {limit_s:g} s; a write may still be done: repeat it "
                late = problem(504, "Out of time", f"{words}with the same idempotency key")
                await late(scope, receive, send)
                return
            # Shielded: if this request is cancelled, `cancelling` ends the work, not asyncio.
            await asyncio.shield(work)
        finally:
            clock.cancel()
            if not work.done():
                cancelling.cancel()

    def _measured(self, scope: Scope, receive: Receive) -> Receive:
        # `Content-Length` may be missing or wrong, so the bytes that arrive are counted as well.
        most, size = self._most(scope), 0

        async def measured() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise HTTPException(413, _too_large(most))
            return message

        return measured

    def _most(self, scope: Scope) -> int:
        large = scope["method"] == "POST" and IMPORT.fullmatch(scope["path"])
        return self._limits.import_bytes if large else self._limits.body_bytes


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return f"address {client[0]}" if client else UNKNOWN


def _tenant(scope: Scope) -> str:
    """Whose request it is: see `quotas`."""
    grant, named = scope.get(GRANT), MEMORY.match(scope["path"])
    return "" if grant is None else tenant_of(grant, named[1] if named else "")


def _too_large(most: int) -> str:
    return f"a body may have {most:,} bytes here"


def logger(stream: TextIO) -> structlog.typing.FilteringBoundLogger:
    """A logger of JSON lines with an ISO time."""
    made: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(0),
    )
    return made


class Metrics:
    """The metrics of one server, in a registry of its own. Labels hold no names of memories."""

    def __init__(self, open_memories: Callable[[], int]) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "mags_requests",
            "Requests by route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "mags_request_seconds",
            "Seconds until a request was answered.",
            ("method", "route"),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.busy = Gauge(
            "mags_requests_at_work", "Requests that are being served.", registry=self.registry
        )
        self.parts = Histogram(
            "mags_part_seconds",
            "Seconds of the parts of requests: open and evict of memories, policy, embedding (and "
            "embedding batch, of several requests), recall, answer, commit, upstream.",
            ("part",),
            buckets=(0.0005, 0.001, *BUCKETS),
            registry=self.registry,
        )
        self.texts = Histogram(
            "mags_embedding_batch_texts",
            "Texts that were embedded in one call.",
            buckets=TEXTS,
            registry=self.registry,
        )
        self.upstream = Counter(
            "mags_upstream_calls",
            "Calls of the language model by status of HTTP, 0 where none came.",
            ("status",),
            registry=self.registry,
        )
        self.gauge("mags_memories_open", "Memories held open.", open_memories)

    def gauge(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Add a metric that is looked up when metrics are asked for."""
        Gauge(name, about, registry=self.registry).set_function(value)

    @contextmanager
    def part(self, name: str) -> Iterator[Facts]:
        """Time and count a part of a request (`mags.ports.pausing.Watch`)."""
        facts, begun = Facts(), time.perf_counter()
        try:
            yield facts
        finally:
            self.parts.labels(name).observe(time.perf_counter() - begun)
            if "texts" in facts:
                self.texts.observe(int(facts["texts"]))
            if "status" in facts:
                self.upstream.labels(str(facts["status"])).inc()

    def text(self) -> tuple[bytes, str]:
        """Everything in Prometheus' format, and its media type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST


class MetricsMiddleware:
    """Counts, times and logs each request, with an id that is also a header of its response.

    Nothing of a memory is logged. A path holds the name of a memory, so the route's template is
    logged in its place. A key is logged by its name.
    """

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        log: structlog.typing.FilteringBoundLogger,
        spans: Spans | None = None,
    ) -> None:
        """`spans`: where requests and their parts are traced, None where they are not."""
        self._app, self._metrics, self._spans = app, metrics, spans
        self._watch = metrics.part if spans is None else spans.watching(metrics.part)
        # Bound once: structlog would build an unbound logger again for each line.
        self._log = log.bind()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, then count and log."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # 500 is what counts if the app fails before it sends a status.
        name, begun, status = uuid.uuid4().hex, time.perf_counter(), 500
        scope[REQUEST_ID] = name

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (ID_HEADER, name.encode())]
            await send(message)

        self._metrics.busy.inc()
        traced = nullcontext(Facts()) if self._spans is None else self._spans.request(scope)
        with traced as facts:
            try:
                with watched(self._watch):
                    await self._app(scope, receive, named)
            finally:
                self._metrics.busy.dec()
                spent_s, grant = time.perf_counter() - begun, scope.get(GRANT)
                method: str = scope["method"]
                route = getattr(scope.get("route"), "path", UNKNOWN)
                facts |= {"http.route": route, "http.response.status_code": status}
                self._metrics.requests.labels(method, route, str(status)).inc()
                self._metrics.seconds.labels(method, route).observe(spent_s)
                self._log.info(
                    "request",
                    id=name,
                    method=method,
                    route=route,
                    status=status,
                    ms=round(1e3 * spent_s, 2),
                    key=None if grant is None else grant.name,
                )
