"""Recall alone, by size of the memory: processor and wall time of plans of one query.

    python -m benchmarks.timing.recall_latency [--nodes 1000,10000,100000] [--questions 300]

Embedding is left out of both times. The processor's time is that of the asking thread, so
that it says the same on a busy machine. Each size is built in a process of its own and asked
in another (see `benchmarks.timing.synthetic`); `--at FILE` keeps what was built, for a single size.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import mags
from benchmarks.results import CACHE, ROOT
from benchmarks.timing.synthetic import GraphShape, TopicEmbedder, question
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.ports.policy import Plan
from mags.settings import Settings

_WARM = 30
_AWAKE = Settings(memory=MemorySettings(sleep_every=0))


class _Apart:
    """An embedder whose own time is counted: `spent`, seconds of processor and of wall."""

    def __init__(self, inner: TopicEmbedder) -> None:
        self._inner = inner
        self.name, self.dimension = inner.name, inner.dimension
        self.spent = np.zeros(2)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the embedder inside."""
        began = _clocks()
        found = self._inner.embed(texts)
        self.spent += _clocks() - began
        return found


def _clocks() -> NDArray[np.float64]:
    return np.array([time.thread_time(), time.perf_counter()])


def ask(memory: Memory, shape: GraphShape, embedder: _Apart, count: int) -> NDArray[np.float64]:
    """Milliseconds of processor and of wall of `count` recalls, shape (count, 2)."""
    rng = np.random.default_rng(7)
    spent = np.empty((count, 2))
    for i, topic in enumerate(rng.integers(0, shape.topics, count).tolist()):
        plan = Plan(queries=(question(topic, rng),))
        apart, began = embedder.spent.copy(), _clocks()
        memory.recall(plan, k=10)
        spent[i] = _clocks() - began - (embedder.spent - apart)
    return 1000 * spent


def measure(path: Path, shape: GraphShape, count: int) -> str:
    """One line about a memory of that shape."""
    embedder = _Apart(TopicEmbedder(shape))
    with mags.open(path, embedder=embedder, settings=_AWAKE) as memory:
        ms = ask(memory, shape, embedder, _WARM + count)[_WARM:]
    cpu, wall = np.percentile(ms, [50, 95], axis=0).T
    return (
        f"{shape.nodes:>9,} nodes: processor p50 {cpu[0]:.2f} ms, p95 {cpu[1]:.2f} ms; "
        f"wall p50 {wall[0]:.2f} ms, p95 {wall[1]:.2f} ms"
    )


def run(nodes: int, count: int, kept: Path | None) -> None:
    """Build a memory (or take the kept one) and print its line."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        path = kept or Path(folder) / "memory.mags"
        note = path.with_suffix(".first")
        if not path.exists():
            command = [sys.executable, "-m", "benchmarks.timing.speed", "--build", str(path)]
            command += ["--nodes", str(nodes)]
            built = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            note.write_text(built.stdout)
        shape = GraphShape(nodes=nodes, first_id=int(note.read_text()))
        print(measure(path, shape, count), flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.recall_latency")
    parser.add_argument("--nodes", default="1000,10000,100000")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--at", type=Path)
    options = parser.parse_args(arguments)
    for nodes in options.nodes.split(","):
        run(int(nodes), options.questions, options.at)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
