"""A server's life: listen, serve, stop without losing what was acknowledged."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import FrameType
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mags.errors import ConfigurationError
from mags.server.auth import KeyRing
from mags.server.settings import ServerSettings

HEADER_BYTES, HEADER_S = 65_536, 30.0
"""What one connection may send before it has asked anything: so much, for so long."""
GRACE_S = 30
"""How long a stop waits for requests that are being served."""
KEPT_S, FRONT_KEPT_S = 5, 86_400
"""How long a quiet connection is kept; a front's own goes when the front lets go of it."""


class Served(Protocol):
    """What is served: a service, or workers of one."""

    settings: ServerSettings
    keys: KeyRing
    app: ASGIApp

    def tell_stopping(self) -> None:
        """Called before open connections are waited for."""


class Bounded(HttpToolsProtocol):
    """uvicorn's fast parser, which by itself takes headers without end."""

    _coming = True
    _bytes = 0
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client that never finishes its first request's head is not kept."""
        super().connection_made(transport)
        self._clock = self.loop.call_later(HEADER_S, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The timer ends with the connection."""
        self._stop_clock()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A head begins."""
        self._coming = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is whole: what follows is a body, which has limits of its own."""
        self._coming, self._bytes = False, 0
        self._stop_clock()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Hang up on a head that is too large."""
        # Parsed first: what completes a head resets the count, and a body has limits of its own.
        super().data_received(data)
        self._bytes = self._bytes + len(data) if self._coming else 0
        if self._bytes > HEADER_BYTES:
            self.transport.abort()

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


class HttpServer(uvicorn.Server):
    """uvicorn, which tells the service of a stop before it waits for open connections.

    Event streams never end by themselves: they look at `stopping`.
    """

    def __init__(self, config: uvicorn.Config, service: Served) -> None:
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT: no new requests, end the streams, then close."""
        self._service.tell_stopping()
        super().handle_exit(sig, frame)


def http_server(
    service: Served, *, socket: Path | None = None, kind: type[HttpServer] = HttpServer
) -> HttpServer:
    """What serves a service, on a Unix `socket` behind a front; raises as `check_keys` does."""
    settings = service.settings
    check_keys(settings, service.keys)
    config = uvicorn.Config(
        service.app,
        host=settings.host,
        port=settings.port,
        uds=None if socket is None else str(socket),
        http=Bounded,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEPT_S if socket is None else FRONT_KEPT_S,
        timeout_graceful_shutdown=GRACE_S,
    )
    return kind(config, service)


def check_keys(settings: ServerSettings, keys: KeyRing) -> None:
    """Raise ConfigurationError where others reach the server and there is no key.

    Whoever reaches another address than loopback could read everything, so without a key that is
    refused at once and not left to chance.
    """
    known = any(not key.out(time.time()) for key in keys.known())
    if not settings.local and not known and not settings.oidc.issuer:
        raise ConfigurationError(
            f"{settings.host} can be reached by others, and there is no key: make one with `mags "
            "keys add NAME`, or listen on 127.0.0.1",
            host=settings.host,
        )
