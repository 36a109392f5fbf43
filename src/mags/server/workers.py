"""`mags serve --workers N`: N processes that hold memories, behind one that leads to them.

Each is a whole server on a Unix socket. One that ends is started again; its memories are held by
the others from the next request on, and stay there, so that no two hold the same one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from urllib.parse import quote

import aiohttp
from prometheus_client import CollectorRegistry, Counter, Gauge
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from threadpoolctl import threadpool_limits
from yarl import URL

from mags.errors import ConfigurationError, MagsError
from mags.server.auth import KeyRing
from mags.server.front import PAUSE_S, Answer, Front, HolderLost, Request
from mags.server.run import GRACE_S, HttpServer, http_server
from mags.server.service import Service
from mags.server.settings import ServerSettings

START_S = 300.0
"""How long a worker may take to listen; kernels are compiled after that."""
LOOK_S, SILENT_S = 1.0, 30.0
"""How often a worker is asked whether it answers, and after how much silence it is killed."""
AGAIN_S = 1.0
"""What is waited before a worker that ended is started again."""
SMALL = 1 << 20
"""Bytes of an answer that is taken whole, not piece by piece."""
CLIENT = b"x-mags-client"
"""From whom a request came; the front alone says that."""
ONE_HOP = frozenset(
    b"connection keep-alive te trailer transfer-encoding upgrade proxy-authenticate "
    b"proxy-authorization proxy-connection expect".split()
) | {CLIENT}
"""Headers of one connection (RFC 9110, section 7.6.1), not of the request."""
ASCII = "".join(map(chr, range(0x21, 0x7F)))
STOPPING, _SPAWN = "stopping", multiprocessing.get_context("spawn")
MakeService = Callable[[], Service]


class Worker:
    """A process that holds memories. `up`: it listens, and was not seen to end."""

    def __init__(self, number: int, path: Path, make: MakeService) -> None:
        self.name, self.path, self.up = str(number), path, False
        self._make = make
        self.process: multiprocessing.process.BaseProcess
        self._line: Connection
        self.session: aiohttp.ClientSession

    def start(self) -> None:
        """Start the process."""
        theirs, self._line = _SPAWN.Pipe(duplex=False)
        self.process = _SPAWN.Process(
            target=work, args=(self._make, self.path, theirs), name="mags worker"
        )
        self.process.start()
        theirs.close()

    def tell_stopping(self) -> None:
        """Have it end its event streams; the rest is answered as before."""
        with suppress(OSError):  # it has ended
            self._line.send(STOPPING)

    def stop(self) -> None:
        """Have it answer what it began, and end."""
        self._line.close()

    def listens(self) -> bool:
        """Whether it can be asked."""
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(str(self.path)) == 0

    def connect(self) -> None:
        """Open a session with it; needs the event loop."""
        self.session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(str(self.path), limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )

    async def answers(self) -> bool:
        """Whether it answers within `SILENT_S`."""
        limit = aiohttp.ClientTimeout(total=SILENT_S)
        try:
            async with self.session.get("http://worker/", timeout=limit) as answer:
                return answer.status == 200
        except (aiohttp.ClientError, TimeoutError):
            return False

    @asynccontextmanager
    async def asked(self, request: Request) -> AsyncIterator[aiohttp.ClientResponse]:
        """Its answer to a request, the body not read yet; raises HolderLost."""
        scope, whole = request.scope, not request.more
        path = quote(scope["raw_path"] or scope["path"], safe=ASCII)
        query = "?" + quote(scope["query_string"], safe=ASCII) if scope["query_string"] else ""
        url = URL(f"http://worker/{path.removeprefix('/')}{query}", encoded=True)
        headers = [(_text(n), _text(v)) for n, v in scope["headers"] if n not in ONE_HOP]
        headers.append((CLIENT.decode(), scope["client"][0] if scope.get("client") else ""))
        body = request.body if whole else request.pieces()
        try:
            async with self.session.request(
                scope["method"], url, headers=headers, data=body or None, allow_redirects=False
            ) as answer:
                yield answer
        except aiohttp.ClientConnectorError as failure:
            raise HolderLost(unsent=True) from failure
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as failure:
            raise HolderLost(unsent=False) from failure


def _text(header: bytes) -> str:
    try:
        return header.decode()
    except UnicodeDecodeError:
        return header.decode("latin-1")


class Workers:
    """N workers and the front before them: what `http_server` serves."""

    def __init__(self, settings: ServerSettings, workers: int, make: MakeService) -> None:
        """`make`: makes the server of each, in its process, with the same settings."""
        self.settings, self.keys = settings, KeyRing(settings.folder)
        self.stopping = threading.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="mags-workers-"))  # of this user alone
        self._workers = [Worker(n, self._folder / f"{n}.sock", make) for n in range(workers)]
        self._moved: dict[str, Worker] = {}
        self._next = count()
        registry = CollectorRegistry()
        up = Gauge("mags_workers_up", "Workers that answer.", registry=registry)
        up.set_function(lambda: sum(worker.up for worker in self._workers))
        self._ended = Counter("mags_workers_ended", "Workers that ended by themselves.",
                              registry=registry)  # fmt: skip
        self.app: ASGIApp = Front(settings, self.forward, self.everybody, registry).app(self._life)

    def start(self) -> None:
        """Start them and wait until they listen; raises ConfigurationError."""
        for worker in self._workers:
            worker.start()
        ends_s = time.monotonic() + START_S
        while not all(worker.listens() for worker in self._workers):
            broken = any(worker.process.exitcode is not None for worker in self._workers)
            if broken or time.monotonic() > ends_s:
                self.close()
                raise ConfigurationError("a worker did not start; it has said above why")
            time.sleep(PAUSE_S)

    def close(self) -> None:
        """End them, as far as they have not ended; what they began is answered first."""
        for worker in self._workers:
            worker.stop()
        ends_s = time.monotonic() + 2 * GRACE_S
        for worker in self._workers:
            worker.process.join(max(0.0, ends_s - time.monotonic()))
            worker.process.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def tell_stopping(self) -> None:
        """The front stops: event streams end, so that it need not wait for them."""
        self.stopping.set()
        for worker in self._workers:
            worker.tell_stopping()

    @asynccontextmanager
    async def _life(self, _app: object) -> AsyncIterator[None]:
        for worker in self._workers:
            worker.connect()
            worker.up = True
        keeping = [asyncio.ensure_future(self._keep(worker)) for worker in self._workers]
        yield
        for task in keeping:
            task.cancel()
        for worker in self._workers:
            await worker.session.close()
        await asyncio.to_thread(self.close)

    async def _keep(self, worker: Worker) -> None:
        """Look after a worker: kill it where it is silent, start it again where it ended."""
        loop = asyncio.get_running_loop()
        while True:
            ended = asyncio.Event()
            sentinel = worker.process.sentinel
            loop.add_reader(sentinel, ended.set)
            try:
                while not ended.is_set():
                    if not worker.up:
                        worker.up = await worker.answers()
                    elif not await worker.answers() and not ended.is_set():
                        worker.process.kill()
                    with suppress(TimeoutError):
                        wait_s = LOOK_S if worker.up else PAUSE_S
                        await asyncio.wait_for(ended.wait(), wait_s)
            finally:
                loop.remove_reader(sentinel)
            self._lost(worker)
            self._ended.inc()
            worker.process.join()
            await asyncio.sleep(AGAIN_S)
            worker.path.unlink(missing_ok=True)
            await asyncio.to_thread(worker.start)

    def _lost(self, worker: Worker) -> None:
        worker.up = False
        self._moved = {name: to for name, to in self._moved.items() if to is not worker}

    def _holder(self, namespace: str | None) -> Worker:
        """Who holds a memory: the first in its own order of those that are up; raises HolderLost.

        A worker that was started again gets back none of the memories that others took over.
        """
        up = [worker for worker in self._workers if worker.up]
        if not up:
            raise HolderLost(unsent=True)
        if namespace is None:
            return up[next(self._next) % len(up)]
        if namespace in self._moved:
            return self._moved[namespace]
        found = max(up, key=lambda worker: _rank(namespace, worker))
        if len(up) < len(self._workers):
            first = max(self._workers, key=lambda worker: _rank(namespace, worker))
            if found is not first:
                self._moved[namespace] = found
        return found

    async def forward(self, namespace: str | None, request: Request, send: Send) -> None:
        """See `Forward`."""
        worker = self._holder(namespace)
        try:
            async with worker.asked(request) as answer:
                response: Response
                if (answer.content_length or SMALL) < SMALL:
                    response = Response(await answer.read(), answer.status)
                else:
                    response = StreamingResponse(answer.content.iter_any(), answer.status)
                response.raw_headers = _kept(answer.raw_headers)
                await response(request.scope, request.receive, send)
        except HolderLost:
            # Seen here before its end is told; where it has not ended it is asked again.
            worker.process.join(0)
            if worker.process.exitcode is not None:
                self._lost(worker)
            raise

    async def everybody(self, request: Request) -> dict[str, Answer | None]:
        """See `Everybody`."""
        await request.read(self.settings.limits.body_bytes)
        found: dict[str, Answer | None] = {worker.name: None for worker in self._workers}
        for worker in self._workers:
            if worker.up:
                with suppress(HolderLost):
                    async with worker.asked(request) as answer:
                        kept = _kept(answer.raw_headers)
                        found[worker.name] = answer.status, kept, await answer.read()
        return found


def _kept(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    named = ((name.lower(), value) for name, value in headers)
    return [(name, value) for name, value in named if name not in ONE_HOP and name != b"date"]


def _rank(namespace: str, worker: Worker) -> bytes:
    """Highest random weight: Thaler and Ravishankar 1998, A Name-Based Mapping Scheme."""
    return blake2b(f"{worker.name} {namespace}".encode(), digest_size=8).digest()


# -- in the process of a worker


def work(make: MakeService, path: Path, line: Connection) -> None:
    """Serve on a socket until the other end of `line` is closed, by a stop or by a kill."""
    try:
        service = make()
        service.app = _from_front(service.app)
        server = http_server(service, socket=path, kind=Led)
    except MagsError as failure:
        sys.exit(f"mags: {failure}")

    def follow() -> None:
        with suppress(EOFError):
            while line.recv() == STOPPING:
                service.tell_stopping()
        service.tell_stopping()
        server.should_exit = True

    threading.Thread(target=follow, name="mags-front", daemon=True).start()
    with threadpool_limits(limits=1, user_api="blas"):  # other processes use the other cores
        server.run()


class Led(HttpServer):
    """A server that stops with its front, not by the signals that the whole group gets."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The front gets the same signal, and asks for more until its own requests are answered."""


def _from_front(app: ASGIApp) -> ASGIApp:
    async def led(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client = next((value for name, value in scope["headers"] if name == CLIENT), None)
            if client is None:  # the front itself asks whether this process answers
                await Response()(scope, receive, send)
                return
            scope["client"] = (client.decode("latin-1"), 0) if client else None
        await app(scope, receive, send)

    return led
