"""Structured logs: one line of JSON a request, without what was said.

Paths hold names of memories and ids, so the route is logged and not the path; a key by its name.
"""

from __future__ import annotations

import time
import uuid
from typing import TextIO

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.server.doorman import GRANT

REQUEST_ID = b"x-request-id"


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


class Logged:
    """An app that logs each request when it is done, under an id that the answer carries too."""

    def __init__(self, app: ASGIApp, log: structlog.typing.FilteringBoundLogger) -> None:
        """Logs to `log`."""
        self._app = app
        self._log = log.bind()  # what is wrapped is bound anew at each line, unless it is here

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve and log."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, begun, status = uuid.uuid4().hex, time.perf_counter(), 500

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (REQUEST_ID, name.encode())]
            await send(message)

        try:
            await self._app(scope, receive, named)
        finally:
            grant = scope.get(GRANT)
            self._log.info(
                "request",
                id=name,
                method=scope["method"],
                route=getattr(scope.get("route"), "path", "unknown"),
                status=status,
                ms=round(1e3 * (time.perf_counter() - begun), 2),
                key=None if grant is None else grant.name,
            )
