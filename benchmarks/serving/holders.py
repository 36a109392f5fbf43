"""Several holders of memories: recalls by so many processes, and one of three killed under load."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.serving.loads import BROKEN, asked, filled
from benchmarks.serving.process import Client, free_port, running

MEMORIES, NODES, CLIENTS = 8, 100, 8
QUIET_S, AFTER_S = 3.0, 12.0
"""How long the load is on before the kill, and after it."""
HEALTH = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_worker_niceness": "0",
}


def processes(pid: int) -> list[int]:
    """A process and all that it has started (Linux)."""
    words = ["ps", "-o", "pid=", "--ppid", str(pid)]
    found = subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
    return [pid, *(one for child in found for one in processes(int(child)))]


def cpu_seconds(pid: int) -> float:
    """Processor time of a process and all that it has started (Linux)."""
    spent = 0
    for one in processes(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def shared(folder: Path, *, each: int) -> dict[str, float]:
    """Recalls by 8 clients without pause, each over a memory of its own, by 1 and by 2 processes.

    Clients and servers share the cores of this process.
    """
    found: dict[str, float] = {"clients": CLIENTS, "memories": MEMORIES}
    for workers in (1, 2):
        port = free_port()
        options = ("--workers", str(workers))
        with running(folder / str(workers), port, options=options) as server:
            for n in range(MEMORIES):
                filled(port, f"m{n}", NODES)
            ask = partial(asked, port, each=each)
            used, begun = cpu_seconds(server.pid), time.perf_counter()
            with ThreadPoolExecutor(CLIENTS) as pool:
                lists = pool.map(lambda n: ask(seed=n, name=f"m{n % MEMORIES}"), range(CLIENTS))  # noqa: B023
                spent = sorted(one for some in lists for one in some)
            wall = time.perf_counter() - begun
            found |= {
                f"recall_ms_p50_{workers}": spent[len(spent) // 2],
                f"recall_ms_p95_{workers}": spent[int(0.95 * len(spent))],
                f"recalls_a_second_{workers}": len(spent) / wall,
                f"cpu_ms_a_recall_{workers}": 1e3 * (cpu_seconds(server.pid) - used) / len(spent),
            }
    return found


def one_of_three(folder: Path) -> dict[str, float]:
    """One of three workers killed under load."""
    port = free_port()
    with running(folder, port, options=("--workers", "3")) as server:
        workers = processes(server.pid)[-3:]
        return {"workers": 3, **disturbed(port, partial(os.kill, workers[0], signal.SIGKILL))}


def one_node(folder: Path) -> dict[str, float]:
    """One of three machines of a Ray cluster killed under load, all of them on this one."""
    os.environ.update(HEALTH)
    with cluster(folder) as (port, machines):
        gone = machines.pop()
        return {"machines": 3, **disturbed(port, gone)}


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[int, list[Callable[[], None]]]]:
    """The port of a cluster of a head and three machines, and what kills each machine."""
    import ray
    from ray.cluster_utils import Cluster

    from mags.cli.service import service_of
    from mags.server.cluster import deploy
    from mags.server.settings import ServerLimits, ServerSettings

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [made.add_node(num_cpus=1) for _ in range(3)]
    ray.init(address=made.address, log_to_driver=False)
    limits = ServerLimits(rate=1e6, burst=10**6)
    settings = ServerSettings(folder=folder, port=free_port(), limits=limits)
    try:
        deploy(
            settings,
            3,
            partial(service_of, settings, traces=False, processes=3),
            location="HeadOnly",
        )
        kills = [partial(made.remove_node, node, allow_graceful=False) for node in nodes]
        yield settings.port, kills
    finally:
        ray.shutdown()
        made.shutdown()


def disturbed(port: int, kill: Callable[[], object]) -> dict[str, float]:
    """Requests that failed and how long a memory was not answered, with one killed meanwhile.

    Each client writes into a memory of its own and recalls from it, without pause; what is refused
    (503) is counted, and sent again with the same key.
    """
    until, lock = threading.Event(), threading.Lock()
    known: dict[str, list[str]] = {f"m{n}": [] for n in range(CLIENTS)}
    refused, pauses, done = 0, [0.0], 0

    def work(name: str) -> None:
        nonlocal refused, done
        client, last_s = Client(port), time.monotonic()
        while not until.is_set():
            text = f"{name} counted {len(known[name])} geese."
            calls = (
                ("turns", {"text": text, "speaker": "user", "key": text}),
                ("recall", {"query": "How many geese?"}),
            )
            for kind, body in calls:
                status = 0
                while not 200 <= status < 300:
                    try:
                        status, _ = client.send("POST", f"/memories/{name}/{kind}", body)
                    except BROKEN:
                        client = Client(port)
                    with lock:
                        refused += not 200 <= status < 300
                now_s = time.monotonic()
                with lock:
                    pauses.append(now_s - last_s)
                    done += 1
                last_s = now_s
            known[name].append(text)
        client.close()

    client = Client(port)
    for name in (*known, *known):  # opened, and its kernels compiled
        client.send("POST", f"/memories/{name}/turns", {"text": f"{name} begins."})
        client.send("POST", f"/memories/{name}/recall", {"query": "What begins?"})
    client.close()
    with ThreadPoolExecutor(CLIENTS) as pool:
        futures = [pool.submit(work, name) for name in known]
        time.sleep(QUIET_S)
        before, pauses[:] = max(pauses), [0.0]
        kill()
        time.sleep(AFTER_S)
        until.set()
        for future in futures:
            future.result()
    client, lost = Client(port), 0
    for name, texts in known.items():
        there = client.send("GET", f"/memories/{name}/export?vectors=false")[1].decode()
        lost += sum(text not in there for text in texts)
    return {
        "clients": CLIENTS,
        "requests": done,
        "refused": refused,
        "acknowledged": sum(map(len, known.values())),
        "lost": lost,
        "pause_s_before": before,
        "pause_s": max(pauses),
    }
