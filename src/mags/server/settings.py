"""What a server is told: where it listens, where its memories lie, and how much it takes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a server takes. Times in seconds.

    `body_bytes`: of one request (`import_bytes` of an import); `rate`: requests a second for each
    key, `burst` at once; `busy`: requests at work at the same time, of which `waiting` more may
    queue; `request_s`: until a request is answered (a stream until its first piece); `open`:
    memories held open at a time; `traces`: of each namespace, kept for explain and feedback;
    `streams`: event streams at a time.
    """

    body_bytes: int = 2_000_000
    import_bytes: int = 512_000_000
    rate: float = 200.0
    burst: int = 400
    busy: int = 32
    waiting: int = 256
    request_s: float = 330.0
    open: int = 128
    traces: int = 500
    streams: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """A server. `folder`: its memories and keys; `need_key`: ask for one on loopback too.

    `hosts`: names it is asked by besides its own (a proxy's): who comes through a proxy may be
    anybody, whatever name it sends, so with one a key is asked for.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int = 7437
    need_key: bool = False
    hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)

    @property
    def asks(self) -> bool:
        """Whether a key is asked for."""
        return self.need_key or not self.local or bool(self.hosts)

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_local(self.host)


def is_local(host: str) -> bool:
    """Whether a name or address is of the loopback; a name that must be looked up is not."""
    if host.casefold() in LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
