"""A server that stops or is killed loses nothing that it acknowledged."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

from mags.store.sqlite import SqliteStore
from tests.server.serving import serving

READY_S = 60.0
READY = 200, {"ready": True}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def process(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    """`mags serve` as a process of its own."""
    environment = {**os.environ, "MAGS_CONFIG": os.devnull, "MAGS_POLICY": "rules"}
    command = [sys.executable, "-m", "mags", "serve", "--folder", str(folder), "--port", str(port)]
    with (
        subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as served,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0, trust_env=False) as client,
    ):
        try:
            ends = time.monotonic() + READY_S
            while True:
                assert served.poll() is None, "the server ended"
                assert time.monotonic() < ends, "the server does not answer"
                try:
                    if client.get("/readyz").status_code == 200:
                        break
                except httpx.TransportError:
                    time.sleep(0.05)
            yield served, client
        finally:
            if served.poll() is None:
                served.kill()


def write_on(client: httpx.Client, name: str, known: set[str], until: threading.Event) -> None:
    """Write turns one after another; those that were acknowledged are `known`."""
    number = len(known)
    while not until.is_set():
        text = f"{name} counted {number} geese."
        try:
            answer = client.post(f"/memories/{name}/turns", json={"text": text, "key": text})
        except httpx.TransportError:
            return
        if not answer.is_success:  # one that nobody heard of before the kill is told again
            return
        known.add(text)
        number += 1


def test_a_server_that_stops_is_alive_but_not_ready(folder: Path):
    with serving(folder) as served, served.client() as client:
        assert (client.get("/readyz").status_code, client.get("/readyz").json()) == READY
        served.service.stopping.set()  # what a signal does first, while connections are open
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"ready": False, "reason": "stopping"})
        assert client.get("/healthz").status_code == 200


def test_a_signal_says_that_the_server_stops_before_it_stops(folder: Path):
    with serving(folder) as served:
        served.http_server.handle_exit(signal.SIGTERM, None)
        assert served.service.stopping.is_set()


def test_every_acknowledged_turn_is_there_after_the_server_is_gone(tmp_path: Path):
    folder, port = tmp_path / "memories", free_port()
    names = ("ana", "bo", "cy")
    known: dict[str, set[str]] = {name: set() for name in names}
    for how in (signal.SIGKILL, signal.SIGTERM):
        until = threading.Event()
        with process(folder, port) as (served, client):
            for name, texts in known.items():  # what the one before has acknowledged
                lines = client.get(f"/memories/{name}/export", params={"vectors": False}).text
                assert [text for text in sorted(texts) if text not in lines] == []
            threads = [
                threading.Thread(target=write_on, args=(client, name, known[name], until))
                for name in names
            ]
            enough = 5 + max(map(len, known.values()))
            for thread in threads:
                thread.start()
            ends = time.monotonic() + READY_S
            while min(map(len, known.values())) < enough:
                assert time.monotonic() < ends
                time.sleep(0.01)
            served.send_signal(how)
            for thread in threads:
                thread.join(READY_S)
            code = served.wait(READY_S)
        assert code == -how  # uvicorn stops in peace, then lets the signal end the process
    for name, texts in known.items():
        with closing(SqliteStore.open(folder / f"{name}.mags")) as store:
            assert texts <= {content.text for content in store.contents.scan()}
