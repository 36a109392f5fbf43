"""`mags serve` as a process of its own, on the embedded default."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

READY_S = 120.0


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def running(
    folder: Path,
    port: int,
    *,
    core: int | None = None,
    options: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server until the block ends; on one core, where one is told. `settings`: by environment."""
    words = [sys.executable, "-m", "mags", "serve", "--folder", str(folder), "--port", str(port)]
    words += ["--rate", "1000000"]  # what it can do is asked, not what it lets one client do
    words += options
    if core is not None:
        words = ["taskset", "-c", str(core), *words]
    given = {"MAGS_CONFIG": os.devnull, **(settings or {})}
    with subprocess.Popen(
        words, env=os.environ | given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as made:
        try:
            wait(made, port)
            yield made
        finally:
            if made.poll() is None:
                made.terminate()
                made.wait(60)


def wait(made: subprocess.Popen[bytes], port: int) -> None:
    """Until it is ready."""
    ends = time.monotonic() + READY_S
    while time.monotonic() < ends and made.poll() is None:
        try:
            if Client(port).send("GET", "/readyz")[0] == 200:
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server does not answer")


class Client:
    """One connection that is kept open; as little work on this side as can be."""

    def __init__(self, port: int) -> None:
        """Connects at the first request."""
        self._port = port
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=120.0)

    def send(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """Status and body. A line that was closed raises OSError or HTTPException."""
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if sent else {}
        self._line.request(method, path, sent, headers)
        answer = self._line.getresponse()
        return answer.status, answer.read()

    def close(self) -> None:
        """Close the line."""
        self._line.close()


def memory_mb(process: subprocess.Popen[bytes]) -> float:
    """What the process has in RAM, in MB (Linux)."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """Processor time that the process has used, user and system, in seconds (Linux)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
