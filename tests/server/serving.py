"""A real server on a free port of loopback, in a thread, for tests."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from mags.app import Models, make_parts
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.prompts import load_prompts
from mags.ports.chat import ChatSettings
from mags.ports.store import Store
from mags.server.middleware import logger
from mags.server.run import HttpServer, http_server
from mags.server.service import Service
from mags.server.settings import Join, ModelChoice, Outside, ServerLimits, ServerSettings
from mags.server.telemetry import Spans
from mags.settings import PolicySettings, Settings

EMBEDDER = HashEmbedder(64)
RULES = Settings(policy=PolicySettings(kind="rules"))
READY_S = 30.0
COMPILED_S = 300.0
"""How long kernels may compile, where they are not kept."""


def until(true: Callable[[], bool]) -> None:
    """Wait until it is true, for as long as a busy machine may take."""
    ends = time.monotonic() + READY_S
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.001)


def open_memory(store: Store) -> Memory:
    """A memory with the rules and a hashing embedder: nothing to load."""
    return Memory(store, make_parts(RULES, Models(embedder=EMBEDDER)))


def outside(choice: ModelChoice) -> Outside:
    """All that is outside of a test's server, with this model."""
    chat = replace(Settings().chat, url=choice.url, model=choice.model, key=choice.key)

    def open_chatting(store: Store) -> Memory:
        settings = replace(Settings(), chat=chat)
        return Memory(store, make_parts(settings, Models(embedder=EMBEDDER)))

    upstream = ChatSettings(url=choice.url, model=choice.model, key=choice.key)
    return Outside(
        open_memory=open_chatting if choice.url else open_memory,
        embedder=lambda: EMBEDDER,
        remembered=load_prompts()["remembered"],
        upstream=upstream if choice.url else None,
        model=choice,
        with_model=outside,
    )


def made(settings: ServerSettings) -> Service:
    """A server for a process of its own."""
    return Service(settings, outside(ModelChoice()))


class Served:
    """A server that runs. `log`: what it logged; `base`: its address."""

    def __init__(
        self,
        settings: ServerSettings,
        upstream: ChatSettings | None = None,
        joining: Mapping[str, Join] | None = None,
        spans: Spans | None = None,
    ) -> None:
        """Make it; `start` runs it."""
        self.log = io.StringIO()
        parts = replace(outside(ModelChoice()), upstream=upstream, joining=joining or {})
        self.service = Service(settings, parts, logger(self.log), spans)
        self.http_server: HttpServer = http_server(self.service)
        self._thread = threading.Thread(target=self.http_server.run, daemon=True)
        self.base = ""

    def start(self) -> None:
        """Run it and wait until it listens, and its kernels are there."""
        self._thread.start()
        ends = time.monotonic() + READY_S
        while not self.http_server.started:
            assert time.monotonic() < ends, "the server does not start"
            time.sleep(0.01)
        assert self.service.warming.done.wait(COMPILED_S), "the kernels do not compile"
        port = self.http_server.servers[0].sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        """Stop it as a signal does, and wait for it."""
        self.service.stopping.set()
        self.http_server.should_exit = True
        self._thread.join(READY_S)
        assert not self._thread.is_alive(), "the server does not stop"

    def client(self, key: str | None = None) -> httpx.Client:
        """A client, with a key where one is told."""
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        options = {"timeout": 30.0, "trust_env": False, "verify": False}  # certificates take 0.1 s
        return httpx.Client(base_url=self.base, headers=headers, **options)


@contextmanager
def serving(
    folder: Path,
    *,
    limits: ServerLimits | None = None,
    upstream: ChatSettings | None = None,
    joining: Mapping[str, Join] | None = None,
    spans: Spans | None = None,
    **settings: object,
) -> Iterator[Served]:
    """A server over a folder for the length of a block."""
    made = ServerSettings(folder=folder, port=0, limits=limits or ServerLimits())
    served = Served(replace(made, **settings), upstream, joining, spans)  # type: ignore[arg-type]
    served.start()
    try:
        yield served
    finally:
        served.stop()
