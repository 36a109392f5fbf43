"""A server says that it compiles until its kernels are there, and answers all the same."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from mags.server.service import Warming, warm

ENDS_S = 300.0
COMPILING = 503, {"ready": False, "reason": "compiling"}
READY = 200, {"ready": True}


def told(client: httpx.Client) -> tuple[int, object]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def test_a_server_is_ready_when_its_kernels_are_there(served, monkeypatch: pytest.MonkeyPatch):
    with served.client() as client:
        assert told(client) == READY
        monkeypatch.setattr(served.service, "warming", Warming())  # one that has not begun
        assert told(client) == COMPILING
        assert client.get("/healthz").status_code == 200
        turn = client.post("/memories/a/turns", json={"text": "Ana lives in Porto."})
        assert turn.status_code == 201


def test_what_was_compiled_in_this_process_is_not_done_again():
    warm()
    done = warm.cache_info().misses
    warming = Warming()
    warming.begin()
    warming.close()
    assert warming.done.is_set()
    assert warm.cache_info().misses == done


def test_warming_that_never_began_is_closed_at_once():
    Warming().close()


@pytest.mark.full
def test_a_first_start_compiles_before_it_is_ready_and_answers_meanwhile(tmp_path: Path):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    kept = tmp_path / "kernels"
    environment = {**os.environ, "MAGS_CONFIG": os.devnull, "NUMBA_CACHE_DIR": str(kept)}
    command = [sys.executable, "-m", "mags", "serve", "--folder", str(tmp_path / "memories")]
    with (
        subprocess.Popen([*command, "--port", str(port)], env=environment) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=ENDS_S, trust_env=False) as http,
    ):
        try:
            ends_s = time.monotonic() + ENDS_S
            while True:
                assert time.monotonic() < ends_s
                try:
                    first = told(http)
                    break
                except httpx.TransportError:
                    time.sleep(0.05)
            assert first == COMPILING
            http.post("/memories/a/turns", json={"text": "Ana lives in Porto.", "speaker": "Bo"})
            found = http.post("/memories/a/recall", json={"query": "Where does Ana live?"})
            assert "Porto" in found.json()["context"]
            while told(http) != READY:
                assert time.monotonic() < ends_s
                time.sleep(0.1)
            assert len(list(kept.rglob("*.nbc"))) > 50
        finally:
            process.terminate()
            assert process.wait(ENDS_S) in (0, -15)
