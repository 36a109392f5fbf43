"""How much a server takes at a time, and what it says when that is too much."""

import asyncio
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from mags.memory.memory import Memory
from mags.ports.store import Store
from mags.server.auth import EVERYTHING, GRANT
from mags.server.concurrency import RateLimiter
from mags.server.middleware import LimitsMiddleware
from mags.server.settings import ServerLimits
from tests.server.serving import open_memory, serving
from tests.server.test_concurrency import burn


def test_a_bucket_gives_its_burst_and_then_its_rate():
    limiter = RateLimiter(10.0, 3)
    assert [limiter.take("a", 0.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert limiter.take("a", 0.0) == pytest.approx(0.1)
    assert limiter.take("b", 0.0) == 0.0
    assert limiter.take("a", 0.1) == 0.0
    assert limiter.take("a", 0.1) == pytest.approx(0.1)


def test_buckets_forget_who_has_not_asked_for_longest():
    limiter = RateLimiter(1.0, 1, most=2)
    for name in ("a", "b", "c"):
        limiter.take(name, 0.0)
    assert limiter.take("a", 0.0) == 0.0
    assert limiter.take("c", 0.0) > 0.0


def test_a_body_over_its_limit_is_refused_before_it_is_read(folder: Path):
    with (
        serving(folder, limits=ServerLimits(body_bytes=1_000)) as served,
        served.client() as client,
    ):
        path = "/memories/a/turns"
        told = client.post(path, json={"text": "x" * 2_000})
        pieces = (b'{"text": "' + b"x" * 500 for _ in range(10))
        untold = client.post(path, content=pieces, headers={"Content-Type": "application/json"})
        assert [told.status_code, untold.status_code] == [413, 413]
        assert client.post(path, json={"text": "x" * 500}).status_code == 201


def test_who_asks_too_often_is_told_to_wait(folder: Path):
    with (
        serving(folder, limits=ServerLimits(rate=0.01, burst=2)) as served,
        served.client() as client,
    ):
        answers = [client.get("/memories") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[-1].headers["retry-after"] == "100"
        assert client.get("/healthz").status_code == 200


def held(release: threading.Event, begun: threading.Event):
    """What opens memories whose stats wait until they are let go."""

    class Slow(Memory):
        def stats(self):
            begun.set()
            assert release.wait(30.0)
            return super().stats()

    def open_slow(store: Store) -> Memory:
        memory = open_memory(store)
        memory.__class__ = Slow
        return memory

    return open_slow


def test_more_requests_than_may_queue_are_turned_away(folder: Path, monkeypatch):
    release, begun = threading.Event(), threading.Event()
    monkeypatch.setattr("tests.server.serving.open_memory", held(release, begun))
    limits = ServerLimits(busy=1, waiting=1)
    with serving(folder, limits=limits) as served, served.client() as client:
        client.post("/memories/a/turns", json={"text": "I am here."})
        with ThreadPoolExecutor(3) as pool:
            first = pool.submit(client.get, "/memories/a/stats")
            assert begun.wait(10.0)
            others = [pool.submit(client.get, "/memories") for _ in range(2)]
            turned_away = next(as_completed(others)).result()
            release.set()
            assert turned_away.status_code == 503
            assert first.result().status_code == 200
            assert sorted(other.result().status_code for other in others) == [200, 503]


def test_what_takes_too_long_is_answered_all_the_same(folder: Path, monkeypatch):
    release, begun = threading.Event(), threading.Event()
    monkeypatch.setattr("tests.server.serving.open_memory", held(release, begun))
    limits = ServerLimits(request_s=0.5)
    with serving(folder, limits=limits) as served, served.client() as client:
        client.post("/memories/a/turns", json={"text": "I am here."})
        answer = client.get("/memories/a/stats")
        release.set()
        assert answer.status_code == 504
        assert "idempotency key" in answer.json()["detail"]
        assert client.get("/memories/a/facts").status_code == 200


def test_more_memories_than_may_be_open_take_turns(folder: Path):
    with serving(folder, limits=ServerLimits(open=2)) as served, served.client() as client:
        for name in "abcde":
            client.post(f"/memories/{name}/turns", json={"text": f"My name is {name}."})
        assert len(served.service.memories) <= 2
        for name in "abcde":
            stats = client.get(f"/memories/{name}/stats").json()
            assert stats["nodes"]["episode"] == 1


def test_nothing_that_was_said_is_in_the_log(folder: Path):
    with serving(folder) as served, served.client() as client:
        client.post("/memories/secretname/turns", json={"text": "My PIN is 4711."})
        client.post("/memories/secretname/recall", json={"query": "PIN 4711"})
        client.get("/memories/secretname/profile", params={"of": "4711"})
    lines = served.log.getvalue()
    assert lines.count('"event": "request"') == 3
    assert "4711" not in lines
    assert "secretname" not in lines


def test_metrics_count_by_route_and_name_no_memory(folder: Path):
    with serving(folder) as served, served.client() as client:
        client.post("/memories/secretname/turns", json={"text": "I am here."})
        text = client.get("/metrics").text
    route = 'route="/memories/{namespace}/turns",status="201"'
    assert f'mags_requests_total{{method="POST",{route}}} 1.0' in text
    assert "mags_memories_open 1.0" in text
    assert "secretname" not in text


def test_work_that_goes_on_too_long_keeps_its_place_until_it_ends(folder: Path, monkeypatch):
    release, begun = threading.Event(), threading.Event()
    monkeypatch.setattr("tests.server.serving.open_memory", held(release, begun))
    limits = ServerLimits(busy=1, request_s=2.0)
    with serving(folder, limits=limits) as served, served.client() as client:
        assert client.post("/memories/a/turns", json={"text": "I am here."}).is_success
        assert client.get("/memories/a/stats").status_code == 504
        assert client.get("/memories").status_code == 503
        assert client.get("/healthz").status_code == 200
        release.set()
        ends = time.monotonic() + 10.0
        while client.get("/memories").status_code != 200:
            assert time.monotonic() < ends


def test_who_does_not_read_its_answer_holds_no_place():
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    async def run() -> None:
        limited = LimitsMiddleware(app, ServerLimits(busy=1, request_s=0.1), lambda *_: None)
        scope = {"type": "http", "method": "GET", "path": "/memories", "headers": []}
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request"}

        async def stuck(message: Message) -> None:
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        async def taken(message: Message) -> None:
            sent.append(message)

        await limited(scope, receive, stuck)
        await limited(scope, receive, taken)
        assert [message["type"] for message in sent] == [
            "http.response.start", "http.response.body",
        ]  # fmt: skip

    asyncio.run(asyncio.wait_for(run(), 10.0))


def test_what_the_event_loop_does_for_a_request_is_counted_as_its_tenants():
    charged = Counter[str]()

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["path"] == "/memories/busy":
            burn(0.1)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> None:
        limited = LimitsMiddleware(
            app, ServerLimits(), lambda tenant, seconds: charged.update({tenant: seconds})
        )

        async def receive() -> Message:
            return {"type": "http.request"}

        async def send(_message: Message) -> None:
            pass

        for name in ("idle", "busy", "idle", "busy"):
            scope = {"type": "http", "method": "GET", "path": f"/memories/{name}", "headers": []}
            await limited({**scope, GRANT: EVERYTHING}, receive, send)

    asyncio.run(run())
    assert charged["busy"] >= 0.2
    assert charged["idle"] < 0.1
