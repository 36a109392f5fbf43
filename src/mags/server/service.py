"""The app: every route, behind the middleware for metrics, keys and limits."""

from __future__ import annotations

import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog
from anyio import create_task_group, sleep, to_thread
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp

from mags.app import open
from mags.extras import import_extra
from mags.models.embed.hashing import HashEmbedder
from mags.server import mcp
from mags.server.audit import AuditLog, AuditMiddleware
from mags.server.auth import Forbidden, KeyRing, Scope
from mags.server.context import grant_of
from mags.server.middleware import (
    AuthMiddleware,
    LimitsMiddleware,
    Metrics,
    MetricsMiddleware,
    logger,
)
from mags.server.open_memories import OpenMemories
from mags.server.proxy.routes import Proxy, Rememberer
from mags.server.routes import history, memories, nodes, server
from mags.server.settings import Choosing, Outside, ServerSettings
from mags.server.wire.openapi import PLAIN, Described, answered
from mags.server.wire.problems import install
from mags.server.wire.responses import ReadyOut, Reason
from mags.settings import Settings

if TYPE_CHECKING:
    from mags.server.oidc import TokenVerifier
    from mags.server.telemetry import Spans

ROUTERS = (*memories.ROUTERS, nodes.router, history.router, *server.ROUTERS)
ABOUT = """A memory that learns, for any frozen language model.

Each namespace is a memory of its own: observe turns, recall, ask, explain, take back."""
CAUGHT_UP_S = 30.0
"""What another process has erased leaves this one's RAM so soon, also where nobody asks."""
PEOPLE = 24
"""So many that the search by vectors compiles its kernels for large memories too."""
ASKED = "Where does Person3 live?"


class Service:
    """A server's parts, put together; `app` is what uvicorn runs."""

    def __init__(
        self,
        settings: ServerSettings,
        outside: Outside,
        log: structlog.typing.FilteringBoundLogger | None = None,
        spans: Spans | None = None,
    ) -> None:
        """`log`: where requests are logged, standard error when None; `spans`: how they are traced,
        None where they are not.
        """
        limits = settings.limits
        self.settings = settings
        self.choosing = Choosing(settings.folder, outside, self._changed)
        now = self.choosing.outside
        self.memories = OpenMemories(
            settings.catalog(),
            now.open_memory,
            most=limits.open,
            most_bytes=limits.open_bytes,
            traces=limits.traces,
            limits=limits.work,
            limiter=now.limiter,
        )
        rememberer = Rememberer(self.memories, outside.remembered)
        self.proxy = Proxy(now.upstream, rememberer, outside.embedder)
        self._mcp, self._mcp_routes = mcp.over_http(self.memories)
        self.keys = KeyRing(settings.folder)
        self.metrics = Metrics(lambda: len(self.memories))
        self._spans = spans
        self.stopping = threading.Event()
        self.warming = Warming()
        self.api = self._api()
        self.api.state.joined = tuple(outside.joining)
        self._leaving = [join(self.api, outside) for join in outside.joining.values()]
        # From the inside out: limits go by the key that `AuthMiddleware` puts into the scope, and
        # what either refuses is counted too.
        limited = LimitsMiddleware(self.api, limits, self.memories.charge)
        self._gauges(limited)
        inner: ASGIApp = AuthMiddleware(limited, settings, self.keys, tokens_of(settings))
        if settings.audit_file is not None:
            inner = AuditMiddleware(inner, AuditLog(settings.audit_file))
        log = log or logger(sys.stderr)
        self.app: ASGIApp = MetricsMiddleware(inner, self.metrics, log, spans)

    def tell_stopping(self) -> None:
        """It is about to stop: event streams end by themselves, and `/readyz` says so."""
        self.stopping.set()

    def _api(self) -> FastAPI:
        app = Described(
            title="MAGS",
            version=version("mags"),
            description=ABOUT,
            lifespan=self._life,
            generate_unique_id_function=lambda route: route.name.strip("_"),
            docs_url=None,
            redoc_url=None,
        )
        for name in ("memories", "keys", "settings", "choosing", "stopping"):
            setattr(app.state, name, getattr(self, name))
        app.state.streams = 0
        for one in ROUTERS:
            app.include_router(one)
        app.include_router(self.proxy.router)
        app.router.routes.extend(self._mcp_routes)
        app.add_api_route("/healthz", _healthy, tags=["server"])
        app.add_api_route(
            "/readyz",
            self._ready,
            tags=["server"],
            response_model_exclude_none=True,
            responses={
                503: {
                    "model": ReadyOut,
                    "description": "It compiles, it stops, or it cannot write memories.",
                }
            },
        )
        app.add_api_route(
            "/metrics",
            self._metrics,
            tags=["server"],
            response_class=Response,
            responses=answered(PLAIN),
        )
        install(app)
        return app

    def _changed(self, now: Outside) -> None:
        self.memories.renew(now.open_memory, now.limiter)
        self.proxy.use(now.upstream)

    @asynccontextmanager
    async def _life(self, _app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = self.settings.limits.busy + 8
        self.warming.begin()
        async with self._mcp.session_manager.run(), create_task_group() as beside:
            beside.start_soon(self._catching_up)
            yield
            beside.cancel_scope.cancel()
        # By now every request is answered; what `tidy` began is waited for in `close`.
        self.stopping.set()
        await self.proxy.close()
        for leave in self._leaving:
            await run_in_threadpool(leave)
        await run_in_threadpool(self.memories.close)
        await run_in_threadpool(self.warming.close)
        if self._spans is not None:
            await run_in_threadpool(self._spans.close)

    async def _catching_up(self) -> None:
        while True:
            await sleep(CAUGHT_UP_S)
            await run_in_threadpool(self.memories.catch_up)

    def _gauges(self, limited: LimitsMiddleware) -> None:
        def recalls() -> int:
            limiter = self.choosing.outside.limiter  # another where another model was chosen
            return 0 if limiter is None else limiter.waiting

        add, slots = self.metrics.gauge, self.settings.limits.busy
        add("mags_slots", "Requests that may be at work at a time.", lambda: slots)
        add("mags_requests_waiting", "Requests that wait for a slot.", lambda: limited.waiting)
        add("mags_recalls_waiting", "Recalls that wait for a core.", recalls)
        add("mags_store_bytes", "Bytes of all memories.", self.memories.catalog.size)

    def _ready(self, response: Response) -> ReadyOut:
        """Whether requests are answered at once: 503 while it compiles, and while it stops; and
        where memories cannot be written.

        Requests are answered while it compiles too, but they wait.
        """
        reason: Reason | None = None
        if self.stopping.is_set():
            reason = "stopping"
        elif not self.warming.done.is_set():
            reason = "compiling"
        elif not self.memories.writable():
            reason = "store"
        response.status_code = 200 if reason is None else 503
        return ReadyOut(ready=reason is None, reason=reason)

    def _metrics(self, request: Request) -> Response:
        """Counters for Prometheus. Needs an admin key where keys are needed."""
        if grant_of(request).scope < Scope.ADMIN:
            raise Forbidden("metrics need an admin key")
        body, media = self.metrics.text()
        return Response(body, media_type=media)


def tokens_of(settings: ServerSettings) -> TokenVerifier | None:
    """What reads the tokens of the issuer that is set, None where there is none."""
    if not settings.oidc.issuer:
        return None
    oidc = import_extra("mags.server.oidc", extra="oidc", needed_for="[oidc]")
    made: TokenVerifier = oidc.TokenVerifier(settings.oidc)
    return made


async def _healthy() -> dict[str, bool]:
    """Whether the process answers."""
    return {"healthy": True}


class Warming:
    """A thread that compiles the kernels, so that the first request does not wait for them.

    `done` is set when it has ended.
    """

    def __init__(self) -> None:
        self.done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming")

    def begin(self) -> None:
        """Start; where this process has compiled before, there is nothing to do."""
        self._thread.start()

    def close(self) -> None:
        """Wait until it has ended: a process that ends while it compiles may crash."""
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            warm()
        finally:  # a failure is printed by the thread, and raised again by a request
            self.done.set()


@cache
def warm() -> None:
    """Use a small memory in RAM as requests do; half a second where kernels are cached.

    The embedder loads no weights, as no kernel depends on it; default settings name no model.
    """
    with open(None, settings=Settings(), embedder=HashEmbedder()) as memory:
        memory.observe_many(f"Person{n} lives in Town{n}." for n in range(PEOPLE))
        memory.converse("I am Person3 and I moved to Town90.")
        memory.ask(ASKED)
        memory.connect("Person3", "Town3")
        memory.sleep()
