"""What one connection may send before it has asked anything: so much, for so long."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_BYTES = 65_536
HEADER_S = 30.0


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
        """The clock ends with the connection."""
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
        super().data_received(data)
        self._bytes = self._bytes + len(data) if self._coming else 0
        if self._bytes > HEADER_BYTES:
            self.transport.abort()

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
