"""How fast and how large: recall, engram, opening, sleep, bytes, by size of the memory.

    python -m benchmarks.timing.speed [--nodes 1000,10000,100000,1000000]

Each size is built as a file (see `benchmarks.timing.synthetic`), then measured in a
process of its own. Embedding is left out of every time. Recall is by a plan of
one query in the tier `fast`; engram is `observe`, durable on return, read by the rules
(`benchmarks.timing.bulk` tells what the trained reader takes); opening is `mags.open` on a
file the system has cached, in a process that has opened a small memory before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import mags
from benchmarks.results import CACHE, ROOT, result, save
from benchmarks.systems import System
from benchmarks.timing.synthetic import GraphShape, TopicEmbedder, deltas, question
from benchmarks.vectors import Timed
from mags.memory.live import Live
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Plan
from mags.recall.settings import RecallSettings
from mags.settings import Settings
from mags.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from mags.store.sealing import Keyring

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_QUESTIONS = 300
_WARM = 30
_TURNS = 200
_OPENINGS = 5
Facts = dict[str, float]
_FAST = RecallSettings(tier="fast")
# Nobody's config file, no sleep by itself.
_AWAKE = Settings(memory=MemorySettings(sleep_every=0, recall=_FAST))


def build(path: Path, nodes: int, keyring: Keyring | None = None) -> GraphShape:
    """Write a memory of that many nodes to a new file, with a checkpoint."""
    store = SqliteStore.open(path, keyring=keyring)
    shape = GraphShape(nodes=nodes, first_id=store.contents.next_id(nodes))
    live = Live(store, TopicEmbedder(shape), time.time)
    for delta in deltas(shape):
        with live.writing():
            live.commit(delta)
    live.checkpoint()
    live.close()
    return shape


def measure(path: Path, shape: GraphShape) -> Facts:
    """Measure an open memory of that shape, the size of its file first."""
    facts: Facts = {"nodes": shape.nodes, "disk_bytes_a_node": _size(path) / shape.nodes}
    embedder = Timed(TopicEmbedder(shape))
    before = _resident()
    memory = mags.open(path, embedder=embedder, settings=_AWAKE, policy=RulePolicy())
    _recall(memory, shape, embedder, 1)
    facts["memory_bytes_a_node"] = (_resident() - before) / shape.nodes
    _recall(memory, shape, embedder, _WARM)
    facts |= _both("recall", lambda: _recall(memory, shape, embedder, _QUESTIONS))
    facts |= _both("engram", lambda: _engram(memory, shape, embedder))
    facts |= _sleep(memory, shape, embedder)
    memory.close()
    return facts | _openings(path, shape, embedder)


def _recall(
    memory: Memory, shape: GraphShape, embedder: Timed, count: int, *, seed: int = 7
) -> NDArray[np.float64]:
    """Milliseconds of `count` recalls by plans of one query."""
    rng = np.random.default_rng(seed)
    spent = []
    for topic in rng.integers(0, shape.topics, count):
        plan = Plan(queries=(question(int(topic), rng),))
        spent.append(_timed(lambda plan=plan: memory.recall(plan, k=10), embedder))  # type: ignore[misc]
    return np.array(spent)


def _engram(memory: Memory, shape: GraphShape, embedder: Timed) -> NDArray[np.float64]:
    """Milliseconds of observing turns that hold a fact each, durable on return."""
    rng = np.random.default_rng(8)
    spent = []
    for number in range(_TURNS):
        town = f"Town{number}"
        text = f"My neighbour Ana{number} moved to {town} in May. {question(number, rng)}"
        at = 1_900_000_000 + number
        spent.append(
            _timed(
                lambda text=text, at=at: memory.observe(text, speaker="Ben", at=at),  # type: ignore[misc]
                embedder,
            )
        )
    return np.array(spent)


def _sleep(memory: Memory, shape: GraphShape, embedder: Timed) -> Facts:
    """Seconds of a sleep, and recall meanwhile (the first sleep looks at everything anew)."""
    began, cpu = time.perf_counter(), time.process_time()
    memory.sleep()
    first, first_cpu = time.perf_counter() - began, time.process_time() - cpu
    memory._live.wait_for_tidying()  # the checkpoint that a sleep leaves to a thread
    settled, settled_cpu = time.perf_counter() - began, time.process_time() - cpu
    _recall(memory, shape, embedder, _WARM)
    took: list[float] = []
    sleeper = threading.Thread(target=lambda: took.append(_seconds(memory.sleep)))
    during: list[float] = []
    sleeper.start()
    while sleeper.is_alive():
        during += _recall(memory, shape, embedder, 1, seed=len(during)).tolist()
    sleeper.join()
    facts = {"first_sleep_s": first, "first_sleep_cpu_s": first_cpu}
    facts |= {"first_sleep_kept_s": settled, "first_sleep_kept_cpu_s": settled_cpu}
    facts["sleep_with_recalls_s"] = took[0]
    return facts | _spread("recall_during_sleep_ms", np.array(during)) | {"recalls": len(during)}


def _openings(path: Path, shape: GraphShape, embedder: Timed) -> Facts:
    opened, cpu, first = [], [], []
    for _ in range(_OPENINGS):
        began, spent = time.perf_counter(), time.process_time()
        memory = mags.open(path, embedder=embedder, settings=_AWAKE)
        opened.append(time.perf_counter() - began)
        cpu.append(time.process_time() - spent)
        first.append(_recall(memory, shape, embedder, 1)[0] / 1000)
        memory.close()
    return {
        "open_s": float(np.median(opened)),
        "open_cpu_s": float(np.median(cpu)),
        "first_recall_s": float(np.median(first)),
    }


def _timed(work: Callable[[], object], embedder: Timed) -> float:
    apart = embedder.seconds
    return 1000 * (_seconds(work) - (embedder.seconds - apart))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _both(name: str, work: Callable[[], NDArray[np.float64]]) -> Facts:
    """The times that `work` returns, and its mean processor time (of all threads)."""
    began = time.process_time()
    ms = work()
    cpu = 1000 * (time.process_time() - began) / len(ms)
    return _spread(f"{name}_ms", ms) | {f"{name}_cpu_ms": cpu}


def _spread(name: str, ms: NDArray[np.float64]) -> Facts:
    p50, p95 = np.percentile(ms, [50, 95])
    return {f"{name}_p50": float(p50), f"{name}_p95": float(p95), f"{name}_max": float(ms.max())}


def _size(path: Path) -> int:
    return sum(p.stat().st_size for p in path.parent.glob(path.name + "*"))


def _resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def fsync_ms(folder: Path, count: int = 50) -> float:
    """Milliseconds of one fsync after a small write on the disk of `folder`, median."""
    spent = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(count):
            file.write(b"x" * 4096)
            file.flush()
            spent.append(_seconds(lambda: os.fsync(file.fileno())))
    return float(np.median(spent) * 1000)


def run(sizes: Sequence[int], command: str) -> list[Facts]:
    """Measure every size in a process of its own; save and return the facts."""
    CACHE.mkdir(parents=True, exist_ok=True)
    found = []
    for nodes in sizes:
        child = [sys.executable, "-m", "benchmarks.timing.speed", "--child", str(nodes)]
        done = subprocess.run(child, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        facts: Facts = json.loads(done.stdout.splitlines()[-1])
        found.append(facts)
        save(result(f"speed-{nodes}", System(name="MAGS"), {}, facts, command))
        print(json.dumps(facts), flush=True)
    return found


def _child(nodes: int) -> None:
    # The small one first: it compiles and loads everything that is not a matter of size.
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        small = Path(folder) / "small.mags"
        shape = build(small, 500)
        with mags.open(small, embedder=TopicEmbedder(shape), settings=_AWAKE) as memory:
            memory.observe("My sister Ana moved to Oslo in May.")
            memory.recall("Where does Ana live?")
            memory.sleep()
        path = Path(folder) / "memory.mags"
        began = time.perf_counter()
        # Built elsewhere, so that this process holds nothing but the memory when it is opened.
        command = [sys.executable, "-m", "benchmarks.timing.speed", "--build", str(path)]
        command += ["--nodes", str(nodes)]
        built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        facts = {"build_s": time.perf_counter() - began, "fsync_ms": fsync_ms(CACHE)}
        shape = GraphShape(nodes=nodes, first_id=int(built.stdout))
        print(json.dumps(facts | measure(path, shape)))


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.speed")
    parser.add_argument("--nodes", default=",".join(map(str, SIZES)))
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.build:
        print(build(options.build, int(options.nodes)).first_id)
    elif options.child:
        _child(options.child)
    else:
        run([int(n) for n in options.nodes.split(",")], "python -m benchmarks.timing.speed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
