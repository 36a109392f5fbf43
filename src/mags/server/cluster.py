"""`mags cluster`: the same server as replicas of Ray Serve, on the machines of a Ray cluster.

Every machine answers HTTP and leads a request to the replica that holds its memory, which Ray
chooses by consistent hashing of the memory's name (`ConsistentHashRouter`). Where a replica ends,
the next on the ring opens what it held. The memories lie where every machine reaches them: in a
database, or in a folder that all of them share.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import ModuleType
from typing import Any

import ray
import uvicorn
from prometheus_client import CollectorRegistry
from ray import serve
from ray.exceptions import RayError
from ray.serve.config import HTTPOptions, RequestRouterConfig
from ray.serve.exceptions import RayServeException
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp, Message, Scope, Send
from threadpoolctl import threadpool_limits
from uvicorn.lifespan.on import LifespanOn

from mags.errors import ConfigurationError
from mags.server.auth import KeyRing
from mags.server.front import Answer, Front, HolderLost, Request
from mags.server.run import GRACE_S, check_keys
from mags.server.service import Service
from mags.server.settings import ServerSettings

APP, HOLDERS = "mags", "holders"
LOOK_S, SILENT_S = 1.0, 3.0
"""How often Ray asks a replica whether it answers, and after how much silence it has ended."""
ROUTING = RequestRouterConfig(
    request_router_class="ray.serve.experimental.consistent_hash_router.ConsistentHashRouter",
    request_router_kwargs={"num_fallback_replicas": 0},  # a memory has one holder, busy or not
)
KNOWN = frozenset(
    (
        *("type", "http_version", "method", "scheme", "path", "raw_path", "query_string"),
        *("headers", "client", "server", "root_path"),
    )
)
"""What of a scope goes to another process."""


class Replica:
    """A replica: a whole server but for its socket."""

    async def __init__(  # type: ignore[misc]  # Ray awaits it
        self, make: Callable[[], Service]
    ) -> None:
        """`make`: makes the server, here."""
        threadpool_limits(limits=1, user_api="blas")  # other replicas use the other cores
        self._service = make()
        self._life = LifespanOn(uvicorn.Config(self._service.app, log_level="warning"))
        await self._life.startup()

    async def __del__(self) -> None:
        """Ray calls it when every request is answered."""
        await self._life.shutdown()

    async def answer(self, scope: Scope, body: bytes) -> AsyncIterator[Message]:
        """The messages of an answer, as they come."""
        messages = asyncio.Queue[Message | None]()
        asked = asyncio.Queue[Message]()
        asked.put_nowait({"type": "http.request", "body": body, "more_body": False})
        work = asyncio.ensure_future(self._service.app(scope, asked.get, messages.put))
        work.add_done_callback(lambda _: messages.put_nowait(None))
        try:
            while (message := await messages.get()) is not None:
                yield message
            await work
        finally:  # its reader may have left before the end of a stream
            asked.put_nowait({"type": "http.disconnect"})
            work.cancel()

    async def whole(self, scope: Scope, body: bytes) -> tuple[str, Answer]:
        """The name of this replica, and its whole answer."""
        messages = [message async for message in self.answer(scope, body)]
        told = b"".join(message.get("body", b"") for message in messages)
        name = serve.get_replica_context().replica_id.unique_id
        return name, (messages[0]["status"], messages[0]["headers"], told)


class Replicas:
    """The front before the replicas, in one replica of its own on each machine."""

    def __init__(self, settings: ServerSettings, holders: Any) -> None:  # noqa: ANN401 - a handle
        self._most = settings.limits.import_bytes
        self._holders = holders
        front = Front(settings, self.forward, self.everybody, CollectorRegistry())
        self.app: ASGIApp = front.app(_nothing)

    async def forward(self, namespace: str | None, request: Request, send: Send) -> None:
        """See `Forward`."""
        await request.read(self._most)
        chosen = self._holders.options(
            method_name="answer", stream=True, session_id=namespace or ""
        )
        messages = chosen.remote(_sent(request), request.body)
        try:
            first = await anext(messages)
            headers = first["headers"]
            if any(name == b"content-length" for name, _ in headers):
                # Whole before any of it is sent, so that 503 can still be said.
                for message in [first, *[message async for message in messages]]:
                    await send(message)
            else:
                bodies = (message.get("body", b"") async for message in messages)
                response = StreamingResponse(bodies, first["status"])
                response.raw_headers = headers
                await response(request.scope, request.receive, send)
        except (RayError, RayServeException) as failure:
            raise HolderLost(unsent=False) from failure
        finally:
            messages.cancel()

    async def everybody(self, request: Request) -> Mapping[str, Answer | None]:
        """See `Everybody`."""
        await request.read(self._most)
        try:
            asked = self._holders.broadcast("whole", _sent(request), request.body)
            found = await asked.results_async()
        except (RayError, RayServeException):
            return {"": None}
        return dict(found)


@asynccontextmanager
async def _nothing(_app: object) -> AsyncIterator[None]:
    yield


class Entrance:
    """What Ray replicates of the front: its app is made in each replica."""

    def __init__(self, _holders: object) -> None:
        """`_holders`: named, so that Ray starts them too."""


def _sent(request: Request) -> Scope:
    return {name: value for name, value in request.scope.items() if name in KNOWN}


def deploy(
    settings: ServerSettings,
    replicas: int,
    make: Callable[[], Service],
    *,
    location: str = "EveryNode",
) -> None:
    """Have the Ray cluster that this process is connected to serve; returns when it does.

    `make`: makes the server of each replica, with the same settings; `location`: which machines
    answer HTTP, as Ray names them. Raises ConfigurationError.
    """
    check_keys(settings, KeyRing(settings.folder))
    serve.start(http_options=HTTPOptions(host=settings.host, port=settings.port, location=location))
    holders = serve.deployment(
        Replica,
        name=HOLDERS,
        num_replicas=replicas,
        max_ongoing_requests=settings.limits.busy + settings.limits.waiting,
        health_check_period_s=LOOK_S,
        health_check_timeout_s=SILENT_S,
        graceful_shutdown_timeout_s=GRACE_S,
        request_router_config=ROUTING,
    )

    def front() -> ASGIApp:
        return Replicas(settings, serve.get_deployment_handle(HOLDERS, app_name=APP)).app

    entrance = serve.deployment(
        serve.ingress(front)(Entrance),
        name="entrance",
        num_replicas=sum(node["Alive"] for node in ray.nodes()),
        max_replicas_per_node=1,
        max_ongoing_requests=10_000,  # how many there may be is the holders' to say
        ray_actor_options={"num_cpus": 0},
        health_check_period_s=LOOK_S,
        health_check_timeout_s=SILENT_S,
    )
    serve.run(entrance.bind(holders.bind(make)), name=APP)


def stop() -> None:
    """Answer what was begun, and serve no more."""
    serve.shutdown()


@contextmanager
def connected(address: str | None) -> Iterator[ModuleType]:
    """Ray, connected to the cluster at an address, or to one that is begun on this machine.

    What is set of MAGS in the environment here is set there. Raises ConfigurationError.
    """
    own = {name: value for name, value in os.environ.items() if name.startswith("MAGS_")}
    if address is None:
        # Ray gives its processes way to all others by default; these answer requests.
        os.environ.setdefault("RAY_worker_niceness", "0")
    try:
        ray.init(address=address or "local", runtime_env={"env_vars": own})
    except ConnectionError as failure:
        raise ConfigurationError(
            f"there is no Ray cluster at {address}: begin one with `ray start --head`",
            value=address,
        ) from failure
    try:
        yield ray
    finally:
        ray.shutdown()
