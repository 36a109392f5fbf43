"""Several processes behind one address: each memory is held by one, and a kill loses nothing."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from mags.errors import ConfigurationError
from mags.server.front import Request
from mags.server.run import http_server
from mags.server.service import Service
from mags.server.settings import ServerSettings
from mags.server.workers import Workers
from tests.server.serving import made

PATIENCE_S = 120.0
SPACES = tuple(f"m{n}" for n in range(8))


class Running:
    """Two workers and their front, in this process."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        settings = ServerSettings(folder=folder, port=0)
        self.workers = Workers(settings, workers, partial(made, settings))
        self.http_server = http_server(self.workers)
        self.workers.start()
        self._thread = threading.Thread(target=self.http_server.run, daemon=True)
        self._thread.start()
        wait(lambda: self.http_server.started)
        self.port = self.http_server.servers[0].sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.workers.tell_stopping()
        self.http_server.should_exit = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    @property
    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self.workers._workers]

    def holder(self, namespace: str) -> int:
        """The process that holds a memory now."""
        return self.workers._holder(namespace).process.pid


def wait(until) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    made = Running(tmp_path_factory.mktemp("workers"))
    yield made
    made.stop()


@pytest.fixture
def client(running: Running) -> Iterator[httpx.Client]:
    wait(lambda: all(worker.up for worker in running.workers._workers))
    with httpx.Client(base_url=running.base, timeout=PATIENCE_S, trust_env=False) as found:
        yield found


def test_memories_are_spread_and_each_is_held_by_one(running: Running, client: httpx.Client):
    assert {running.holder(name) for name in SPACES} == set(running.pids)
    for name in SPACES:
        client.post(f"/memories/{name}/turns", json={"text": "I like tea.", "speaker": "Ana"})
        trace = client.post(f"/memories/{name}/recall", json={"query": "tea"}).json()["trace"]
        assert client.get(f"/memories/{name}/traces/{trace}").status_code == 200
    assert set(client.get("/memories").json()["memories"]) >= set(SPACES)


@pytest.mark.parametrize("name", SPACES[:4])
def test_the_proxy_and_mcp_lead_to_who_holds_the_memory(client: httpx.Client, name: str):
    body = {"model": "m", "user": name, "messages": [{"role": "user", "content": "I like jazz."}]}
    assert client.post("/v1/chat/completions", json=body).status_code == 502  # there is no model
    call = {"name": "recall", "arguments": {"query": "jazz"}}
    found = client.post(
        "/mcp",
        params={"memory": name},
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={"Accept": "application/json, text/event-stream"},
    ).text
    trace = found.partition('trace\\": \\"')[2].partition("\\")[0]
    assert client.get(f"/memories/{name}/traces/{trace}").status_code == 200


def test_every_worker_is_counted_and_hears_of_another_model(client: httpx.Client):
    chosen = {"url": "http://127.0.0.1:9/v1", "model": "tiny"}
    assert client.put("/settings/model", json=chosen).status_code == 200
    seen = [client.get("/settings/model").json()["model"] for _ in range(4)]  # in turns
    assert client.delete("/settings/model").status_code == 200
    told = client.get("/metrics").text
    assert seen == ["tiny"] * 4
    for worker in "01":
        route = f'route="/settings/model",status="200",worker="{worker}"'
        assert f'mags_requests_total{{method="GET",{route}}} 2.0' in told
    assert "mags_workers_up 2.0" in told


def test_a_web_page_of_another_site_is_refused_as_by_one_process(client: httpx.Client):
    for path in ("/memories/a/stats", "/v1/chat/completions", "/metrics", "/memories"):
        assert client.get(path, headers={"Origin": "https://evil.example"}).status_code == 403


def test_events_pass_as_they_come_and_end_when_the_front_stops(tmp_path: Path):
    made = Running(tmp_path / "memories", workers=1)
    with httpx.Client(base_url=made.base, timeout=PATIENCE_S, trust_env=False) as client:
        client.post("/memories/a/turns", json={"text": "I like tea."})
        with client.stream("GET", "/memories/a/events", params={"after": 0}) as events:
            lines = events.iter_lines()
            assert any(line.startswith("id: 1") for line in lines)
            made.stop()
            assert not any(line.startswith("id: 2") for line in lines)
    assert not any(worker.process.is_alive() for worker in made.workers._workers)


def test_half_an_upload_is_not_taken_for_a_whole_one(running: Running, client: httpx.Client):
    client.post("/memories/whole/turns", json={"text": "I like tea."})
    lines = client.get("/memories/whole/export").content
    with socket.create_connection(("127.0.0.1", running.port)) as line:
        head = "POST /memories/half/import HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += f"Content-Length: {len(lines) + 9}\r\n\r\n"
        line.sendall(head.encode() + lines)
    time.sleep(0.2)
    assert client.get("/memories/half/stats").status_code == 404
    assert client.post("/memories/half/import", content=lines).status_code == 201


def test_a_worker_that_is_killed_under_load_loses_nothing_that_was_acknowledged(
    running: Running, client: httpx.Client
):
    until = threading.Event()
    known: dict[str, list[str]] = {name: [] for name in SPACES[:4]}

    def write_on(name: str) -> None:
        while not until.is_set():
            text = f"{name} counted {len(known[name])} geese."
            answer = client.post(f"/memories/{name}/turns", json={"text": text, "key": text})
            assert answer.is_success, answer.text  # also what was under way: it has a key
            known[name].append(text)

    pool = ThreadPoolExecutor(len(known) + 1)
    writing = [pool.submit(write_on, name) for name in known]
    wait(lambda: min(map(len, known.values())) >= 3)
    killed = running.holder(SPACES[0])
    os.kill(killed, signal.SIGSTOP)
    without_key = {"text": "I like jazz."}
    doubtful = pool.submit(client.post, f"/memories/{SPACES[0]}/turns", json=without_key)
    time.sleep(0.3)  # it has reached the worker, which does nothing with it
    os.kill(killed, signal.SIGKILL)
    before = {name: len(texts) for name, texts in known.items()}
    wait(lambda: all(len(known[name]) >= before[name] + 3 for name in known))
    until.set()
    for one in writing:
        one.result(PATIENCE_S)
    answer = doubtful.result(PATIENCE_S)
    assert (answer.status_code, "Retry-After" in answer.headers) == (503, True)
    assert "idempotency key" in answer.json()["detail"]
    assert running.holder(SPACES[0]) != killed
    wait(lambda: all(worker.up for worker in running.workers._workers))
    assert killed not in running.pids
    for name, texts in known.items():
        lines = client.get(f"/memories/{name}/export", params={"vectors": False}).text
        assert [text for text in texts if text not in lines] == []


def refuse() -> Service:
    raise ConfigurationError("the reader is not there")


def test_workers_that_cannot_start_are_told_of(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    workers = Workers(ServerSettings(folder=tmp_path), 1, refuse)
    with pytest.raises(ConfigurationError, match="did not start"):
        workers.start()
    assert "mags: the reader is not there" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("method", "path", "body", "harmless"),
    [
        ("GET", "/memories/a/stats", b"", True),
        ("POST", "/memories/a/recall", b'{"query": "?"}', True),
        ("POST", "/memories/a/turns", b'{"text": "x", "key": "1"}', True),
        ("POST", "/memories/a/turns", b'{"text": "x", "key": ""}', False),
        ("POST", "/memories/a/turns/bulk", b'{"turns": [{"text": "x", "key": "1"}]}', True),
        ("POST", "/memories/a/turns/bulk", b'{"turns": [{"key": "1"}, {"text": "x"}]}', False),
        ("POST", "/memories/a/ask", b'{"question": "?"}', False),
        ("POST", "/memories/a/turns", b"no json", False),
        ("POST", "/games", b'{"key": "1"}', False),
        ("DELETE", "/memories/a", b"", False),
    ],
)
def test_what_writes_without_a_key_is_not_repeated(method, path, body, harmless):
    async def receive():
        raise AssertionError

    scope = {"type": "http", "method": method, "path": path, "headers": []}
    assert Request(scope, receive, body, more=False).may_repeat == harmless
