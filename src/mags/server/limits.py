"""How much one asks at a time: size, rate, concurrency and time, before anything is parsed.

Plain ASGI: a layer costs microseconds, and streams pass through piece by piece.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable

import anyio
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mags.server.problems import problem
from mags.server.settings import Limits

OPEN = ("/healthz", "/readyz", "/metrics")
"""Paths that answer at any time, or nobody could see how busy a server is."""
EVENTS, IMPORT = (re.compile(f"/memories/[^/]+/{name}") for name in ("events", "import"))
"""Paths with limits of their own; a path that merely ends so has none."""


class TooLarge(HTTPException):
    """A body is over its limit; ends the reading of it, whoever reads."""


class Buckets:
    """A token bucket for each name, the least used ones forgotten."""

    def __init__(self, rate: float, burst: int, *, most: int = 10_000) -> None:
        """`rate`: tokens a second; `burst`: what a bucket holds."""
        self._rate, self._burst, self._most = rate, burst, most
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, now_s: float) -> float:
        """Take one token: 0.0, or the seconds until there is one."""
        level, then = self._levels.pop(name, (float(self._burst), now_s))
        level = min(float(self._burst), level + (now_s - then) * self._rate)
        enough = level >= 1.0
        self._levels[name] = (level - enough, now_s)
        while len(self._levels) > self._most:
            self._levels.popitem(last=False)
        return 0.0 if enough else (1.0 - level) / self._rate


class Limited:
    """An app behind its limits."""

    def __init__(self, app: ASGIApp, limits: Limits, who: Callable[[Scope], str]) -> None:
        """`who`: the name whose bucket a request draws from."""
        self._app, self._limits, self._who = app, limits, who
        self._buckets = Buckets(limits.rate, limits.burst)
        self._room = asyncio.Semaphore(limits.busy)
        self._queued = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer 413, 429, 503 or 504."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        wait_s = self._buckets.take(self._who(scope), time.monotonic())
        if wait_s:
            answer = problem(429, "Too many requests", f"wait {wait_s:.2f} s, then ask again")
            await answer(scope, receive, send)
        elif _announced(scope) > self._most(scope):
            answer = problem(413, "Too large", _too_large(self._most(scope)))
            await answer(scope, receive, send)
        elif scope["method"] == "GET" and EVENTS.fullmatch(scope["path"]):
            # An event stream waits more than it works; they are counted by themselves.
            await self._app(scope, receive, send)
        else:
            await self._in_turn(scope, receive, send)

    async def _in_turn(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._room.locked():
            answer = await self._waited()
            if answer is not None:
                await answer(scope, receive, send)
                return
        else:
            await self._room.acquire()  # at once
        await self._timed(scope, receive, send)

    async def _waited(self) -> ASGIApp | None:
        """Wait for room: None where there is some, else what to answer."""
        title = "Too much at once"
        if self._queued >= self._limits.waiting:
            return problem(503, title, f"{self._limits.busy} requests are at work: try again")
        self._queued += 1
        try:
            async with asyncio.timeout(self._limits.request_s):
                await self._room.acquire()
        except TimeoutError:
            return problem(503, title, "there was no room in time: try again")
        finally:
            self._queued -= 1
        return None

    async def _timed(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve what has room; the room is free again when the work has truly ended.

        Cancelled by a scope of anyio, which waits for threads: cancelled otherwise, a thread would
        go on uncounted, and answers that come too late would pile threads up.
        """
        loop, limit_s, begun = asyncio.get_running_loop(), self._limits.request_s, False
        sending_since_s = math.inf
        clock: asyncio.TimerHandle
        woken: asyncio.Future[None] = loop.create_future()
        room, measured = anyio.CancelScope(), self._measured(scope, receive)

        def wake(_work: asyncio.Future[None] | None = None) -> None:
            if not woken.done():
                woken.set_result(None)

        def look() -> None:
            nonlocal clock
            if not begun:
                wake()
            elif loop.time() >= sending_since_s + limit_s:
                room.cancel()  # nobody reads on: no place is held for that
            else:
                clock = loop.call_at(min(sending_since_s, loop.time()) + limit_s, look)

        async def noted(message: Message) -> None:
            nonlocal begun, sending_since_s
            begun = True
            wake()
            # Looked at when the clock strikes: a deadline set anew for each message costs more.
            sending_since_s = loop.time()
            await send(message)
            sending_since_s = math.inf

        async def serve() -> None:
            try:
                with room:
                    await self._app(scope, measured, noted)
            finally:
                self._room.release()

        work = asyncio.ensure_future(serve())
        work.add_done_callback(wake)
        clock = loop.call_later(limit_s, look)
        try:
            await woken
            if not work.done() and not begun:
                room.cancel()
                work.add_done_callback(_looked_at)
                await _late(limit_s)(scope, receive, send)
                return
            await asyncio.shield(work)
        finally:
            clock.cancel()
            if not work.done():
                room.cancel()

    def _measured(self, scope: Scope, receive: Receive) -> Receive:
        most, size = self._most(scope), 0

        async def measured() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > most:
                raise TooLarge(413, _too_large(most))
            return message

        return measured

    def _most(self, scope: Scope) -> int:
        large = scope["method"] == "POST" and IMPORT.fullmatch(scope["path"])
        return self._limits.import_bytes if large else self._limits.body_bytes


def _late(limit_s: float) -> ASGIApp:
    """What is answered where nothing has been in time."""
    return problem(
        504,
        "Out of time",
        f"not answered within {limit_s:g} s; a write may still be done: "
        "repeat it with the same idempotency key",
    )


def _looked_at(work: asyncio.Future[None]) -> None:
    """What fails when nobody waits for it any more is no news."""
    if not work.cancelled():
        work.exception()


def _too_large(most: int) -> str:
    return f"a body may have {most:,} bytes here"


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0
