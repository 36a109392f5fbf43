"""A Ray cluster of several machines, on this one: what is acknowledged outlives any of them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

import mags
from mags.server.settings import ServerSettings
from mags.store.ram import RamStore
from tests.server.serving import made, open_memory
from tests.server.test_stopping import free_port
from tests.store.server import shared

ray = pytest.importorskip("ray", reason="needs the extra: pip install 'mags[cluster]'")
pytestmark = [
    pytest.mark.full,  # Ray alone takes half a minute to start
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
MACHINES, SPACES = 3, tuple(f"m{n}" for n in range(12))
PATIENCE_S = 120.0
SOON = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}
"""How soon a machine that is silent is given up, as docs/server.md says it."""


class Running:
    """A cluster that serves. `cluster`: Ray's own; the head holds no memory.

    `store`: the database with the memories; None: they lie in a folder.
    """

    def __init__(self, folder: Path, store: str | None) -> None:
        from ray.cluster_utils import Cluster

        from mags.server.cluster import deploy

        head = {"num_cpus": 0, "include_dashboard": False}
        self.store = store
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        for _ in range(MACHINES):
            self.cluster.add_node(num_cpus=1)
        ray.init(address=self.cluster.address, log_to_driver=False)
        settings = ServerSettings(folder=folder, port=free_port(), store=store, tenant="cluster")
        deploy(settings, MACHINES, partial(made, settings), location="HeadOnly")
        self.base = f"http://127.0.0.1:{settings.port}"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.base, timeout=PATIENCE_S, trust_env=False)

    def machine(self):
        """A machine with a replica, which holds some of the memories."""

        wait(lambda: bool(self.holding()))
        return self.holding()[0]

    def holding(self) -> list:
        """The machines that have a replica now."""
        return [node for node in self.cluster.worker_nodes if "mags:holders" in names(node)]


@pytest.fixture(scope="module", params=["folder", "postgres"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    store = shared().url if request.param == "postgres" else None
    with open_memory(RamStore()) as one:  # kernels are compiled here, not by each replica at once
        one.observe("I like tea.")
        one.recall("tea")
        one.sleep()
    with pytest.MonkeyPatch.context() as patch:
        storage = tmp_path_factory.mktemp("gcs")
        kept = {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": str(storage)}
        for name, value in {**SOON, **kept, "RAY_worker_niceness": "0"}.items():
            patch.setenv(name, value)
        made = Running(tmp_path_factory.mktemp("memories"), store)
        yield made
        ray.shutdown()
        made.cluster.shutdown()


def raylet(node) -> int:
    """The process that has started all others of a machine."""
    return node.all_processes["raylet"][0].process.pid


def names(node) -> str:
    """The command lines of a machine."""
    paths = [Path(f"/proc/{pid}/cmdline") for pid in processes(raylet(node))]
    return " ".join(path.read_text() for path in paths if path.exists())


def processes(pid: int) -> list[int]:
    """A process and all that it has started."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [pid, *(found for child in listed.stdout.split() for found in processes(int(child)))]


def wait(until: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.05)


def lost_under(running: Running, disturb: Callable[[], None]) -> list[str]:
    """What is gone of the turns that were acknowledged before, in and after a disturbance."""
    known: dict[str, list[str]] = {name: [] for name in SPACES}
    until, number = threading.Event(), time.monotonic_ns()

    def write_on(name: str) -> None:
        with running.client() as client:
            while not until.is_set():
                text = f"{name} counted {len(known[name])} geese in {number}."
                answer = client.post(f"/memories/{name}/turns", json={"text": text, "key": text})
                if answer.is_success:
                    known[name].append(text)
                else:  # tried again with its key, as a client does
                    assert answer.status_code == 503, answer.text

    with ThreadPoolExecutor(len(SPACES)) as pool:
        writing = [pool.submit(write_on, name) for name in SPACES]
        try:
            wait(lambda: min(map(len, known.values())) >= 2)
            disturb()
            before = {name: len(texts) for name, texts in known.items()}
            wait(lambda: all(len(known[name]) >= before[name] + 2 for name in SPACES))
        finally:  # the pool waits for its threads, also where it took too long
            until.set()
        for one in writing:
            one.result(PATIENCE_S)
    with running.client() as client:
        there = {name: client.get(f"/memories/{name}/export").text for name in SPACES}
    return [text for name, texts in known.items() for text in texts if text not in there[name]]


def test_a_memory_is_held_by_one_replica(running: Running):
    with running.client() as client:
        for name in SPACES:
            client.post(f"/memories/{name}/turns", json={"text": "I like tea."})
            trace = client.post(f"/memories/{name}/recall", json={"query": "tea"}).json()["trace"]
            found = [client.get(f"/memories/{name}/traces/{trace}").status_code for _ in range(4)]
            assert found == [200] * 4
        told = client.get("/metrics").text
    workers = {line.partition('worker="')[2] for line in told.splitlines() if "worker=" in line}
    assert len({one.partition('"')[0] for one in workers}) == MACHINES


def test_a_machine_that_is_killed_takes_nothing_with_it(running: Running):
    gone = running.machine()
    assert (
        lost_under(running, lambda: running.cluster.remove_node(gone, allow_graceful=False)) == []
    )
    running.cluster.add_node(num_cpus=1)
    # A head that starts again while a replica begins loses the core that was given to it: Ray's
    # worker stays idle and keeps it.
    wait(lambda: len(running.holding()) == MACHINES)


def test_the_head_may_start_again(running: Running):
    def again() -> None:
        running.cluster.head_node.kill_gcs_server()
        time.sleep(1.0)
        running.cluster.head_node.start_gcs_server()

    assert lost_under(running, again) == []


def test_a_machine_that_is_cut_off_takes_nothing_with_it(running: Running):
    gone = running.machine()
    stopped = processes(raylet(gone))

    def send(number: int) -> None:
        for pid in stopped:
            os.kill(pid, number)

    def cut() -> None:  # neither packets nor answers come from it any more
        send(signal.SIGSTOP)
        # A lock of a file that was held at that moment would be held for good, unlike that of a
        # machine which is gone.
        while locks_of(stopped):
            send(signal.SIGCONT)
            time.sleep(0.01)
            send(signal.SIGSTOP)

    try:
        assert lost_under(running, cut) == []
    finally:
        send(signal.SIGCONT)
    running.cluster.remove_node(gone, allow_graceful=False)


def locks_of(pids: list[int]) -> list[str]:
    """The locks for writing that these processes hold (proc_locks(5))."""
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    own = {str(pid) for pid in pids}
    return [
        " ".join(one) for one in held if "->" not in one and one[3] == "WRITE" and one[4] in own
    ]


def test_a_job_is_shared_out_among_the_machines(running: Running, tmp_path: Path):
    running.cluster.add_node(num_cpus=2)  # replicas take one of each machine
    tenant = {} if running.store is None else {"tenant": "slept"}
    for name in ("ana", "bo"):
        place = running.store or tmp_path / f"{name}.mags"
        with mags.open(place, memory=name if tenant else None, **tenant) as memory:
            memory.observe("I moved from Lisbon to Porto.", speaker="Ana")
    command = [sys.executable, "-m", "mags", "sleep", "--all", "--ray", running.cluster.address]
    there = [] if running.store is None else ["--store", running.store, "--tenant", "slept"]
    said = subprocess.run(
        [*command, "--folder", str(tmp_path), *there],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    ).stdout
    assert said.count("slept,") == 2
    assert "2 memories done, 0 failed" in said
