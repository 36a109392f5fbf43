"""Prometheus metrics: how many requests, how long, how much is open. No names of memories."""

from __future__ import annotations

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 60.0)
UNKNOWN = "unknown"


class Metrics:
    """The counters of one server, in a registry of its own."""

    def __init__(self, open_memories: Callable[[], int]) -> None:
        """`open_memories`: how many are open now."""
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
        opened = Gauge("mags_memories_open", "Memories held open.", registry=self.registry)
        opened.set_function(open_memories)

    def text(self) -> tuple[bytes, str]:
        """Everything in Prometheus' format, and its media type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST


class Measured:
    """An app whose requests are counted and timed by route, never by what is in the path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        """Counts into `metrics`."""
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve and count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.busy.inc()
        try:
            await self._app(scope, receive, noted)
        finally:
            self._metrics.busy.dec()
            route = getattr(scope.get("route"), "path", UNKNOWN)
            method = scope["method"]
            spent = time.perf_counter() - begun
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(method, route).observe(spent)
