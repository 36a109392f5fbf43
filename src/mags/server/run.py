"""A server's life: listen, serve, stop without losing what was acknowledged."""

from __future__ import annotations

from types import FrameType

import uvicorn

from mags.errors import ConfigurationError
from mags.server.listening import Bounded
from mags.server.service import Service

GRACE_S = 30
"""How long a stop waits for requests that are being served."""


class Listener(uvicorn.Server):
    """uvicorn, which tells the service of a stop before it waits for open connections.

    Event streams never end by themselves: they look at `stopping`.
    """

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        """Serves `service` by `config`."""
        super().__init__(config)
        self._service = service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT: no new requests, end the streams, then close."""
        self._service.stopping.set()
        super().handle_exit(sig, frame)


def listener(service: Service) -> Listener:
    """What serves a service; raises ConfigurationError where keys are missing.

    Whoever reaches another address than loopback could read everything, so without a key that is
    refused at once and not left to chance.
    """
    settings = service.settings
    keys = [key for key in service.keys.known() if key.revoked is None]
    if not settings.local and not keys:
        raise ConfigurationError(
            f"{settings.host} can be reached by others, and there is no key: make one with `mags "
            "keys add NAME`, or listen on 127.0.0.1",
            host=settings.host,
        )
    config = uvicorn.Config(
        service.app,
        host=settings.host,
        port=settings.port,
        http=Bounded,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    return Listener(config, service)


def serve(service: Service) -> None:
    """Serve until SIGTERM or SIGINT."""
    listener(service).run()
