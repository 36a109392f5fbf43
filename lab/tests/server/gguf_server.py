"""llama-cpp-python's own server over a GGUF, for tests."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

READY_S = 90.0


@contextmanager
def llama_cpp_serving(model: Path, folder: Path) -> Iterator[str]:
    """The address of a server of a model, for the length of a block; it logs to `folder`."""
    port = _free_port()
    given = ["--model", model, "--host", "127.0.0.1", "--port", port, "--n_ctx", 1024]
    command = [sys.executable, "-m", "llama_cpp.server", *map(str, given), "--n_threads", "1"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    ends = time.monotonic() + READY_S
    try:
        while not _answers(url):
            assert server.poll() is None, (folder / "server.log").read_text(errors="replace")
            assert time.monotonic() < ends
            time.sleep(0.3)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/models", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
