"""How long a sleep takes, rule by rule.

    python -m benchmarks.timing.sleep [--nodes 1000,10000,100000] [--seed 0]

Synthetic memories of average degree 9.3 (arcs a node), a third of them structure: nodes in
groups of 50, four fifths of the associations inside a group, ages and uses at random. Words
and vectors come from memory, so consolidation is timed without a model or an embedder. The
first sleep looks at everything anew; the second, 200 ticks of light use later, is the usual
case. Times are medians over `--repeat` runs in milliseconds, after one run that compiles;
`cpu` is processor time, which other work on the machine lengthens less. A thread that wants to
run every half millisecond meanwhile says how long it was kept waiting.
"""

from __future__ import annotations

import argparse
import gc
import resource
import threading
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Delta
from mags.graph.graph import Graph
from mags.graph.records import ARC, ArcKind, Content, NodeKind, blank_node
from mags.plasticity.cycle import Sleep, Slept, rebase
from mags.plasticity.frozen import FrozenGraph, altered, created
from mags.plasticity.themes import ThemeWriter

DEGREE = 9.3
GROUP = 50
TICKS = 3000
DIMENSION = 384


def build(nodes: int, rng: np.random.Generator) -> Graph:
    """A memory of that many nodes and 9.3 arcs a node."""
    records = np.repeat(blank_node(), nodes)
    records["id"] = np.arange(1, nodes + 1)
    records["kind"] = rng.choice(
        [NodeKind.EPISODE, NodeKind.ENTITY, NodeKind.FACT], nodes, p=[0.6, 0.1, 0.3]
    )
    records["importance"] = rng.random(nodes)
    records["strength_tick"] = rng.integers(0, TICKS, nodes)
    graph = Graph()
    graph.apply(
        Delta(
            kind="import", nodes=created(records), arcs=created(arcs(nodes, rng)), tick_after=TICKS
        )
    )
    return graph


def arcs(nodes: int, rng: np.random.Generator) -> NDArray[np.void]:
    """Distinct arcs: a third structure, the rest associations."""
    count = int(nodes * DEGREE * 1.02)
    src = rng.integers(0, nodes, count)
    near = (src // GROUP) * GROUP + rng.integers(0, GROUP, count)
    dst = np.where(
        rng.random(count) < 0.8, np.minimum(near, nodes - 1), rng.integers(0, nodes, count)
    )
    kind = np.where(
        rng.random(count) < 1 / 3,
        rng.choice([ArcKind.MENTIONS, ArcKind.SUBJECT, ArcKind.SOURCE], count),
        int(ArcKind.ASSOCIATION),
    )
    key = np.unique((src * nodes + dst) * 16 + kind)
    key = np.sort(rng.permutation(key)[: int(nodes * DEGREE)])
    out = np.zeros(len(key), ARC)
    out["src"], out["dst"], out["kind"] = key // 16 // nodes + 1, key // 16 % nodes + 1, key % 16
    out = out[out["src"] != out["dst"]]
    liquid = out["kind"] == ArcKind.ASSOCIATION
    out["w"] = np.where(liquid, rng.uniform(0.05, 1.0, len(out)), 1.0)
    out["t0"] = rng.integers(0, TICKS, len(out))
    out["uses"] = np.where(liquid, rng.geometric(0.4, len(out)) - 1, 0)
    out["days"] = np.minimum(out["uses"], 8)
    return out


class WaitWatch:
    """A thread that wants to run every half millisecond, as a recall would; its longest wait."""

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        last = time.perf_counter()
        while not self._over.wait(0.0005):
            now = time.perf_counter()
            self.longest_ms = max(self.longest_ms, 1e3 * (now - last))
            last = now

    def __enter__(self) -> WaitWatch:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._over.set()
        self._thread.join()


class SyntheticWords:
    """Words and vectors of synthetic nodes, and ids for new ones."""

    def __init__(self, nodes: int, rng: np.random.Generator) -> None:
        centre = rng.normal(size=(nodes // GROUP + 1, DIMENSION))
        rows = centre[np.arange(nodes + 1) // GROUP] + rng.normal(size=(nodes + 1, DIMENSION))
        self.rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        self.next = nodes + 1

    def take(self, n: int = 1) -> int:
        """Reserve ids."""
        first = self.next
        self.next += n
        return first

    def words(self, ids: Sequence[int]) -> list[Content]:
        """Contents of ids."""
        return [Content(id=i, node=i, text=f"Something about {i}.") for i in ids]

    def vectors(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Vectors of ids."""
        return self.rows[np.minimum(ids, len(self.rows) - 1)]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Some vectors, one a text."""
        return self.rows[: len(texts)]

    def scribe(self) -> ThemeWriter:
        """What consolidation takes from outside."""
        return ThemeWriter(words=self.words, vectors=self.vectors, embed=self.embed, ids=self)


def light_use(graph: Graph, rng: np.random.Generator) -> Delta:
    """200 ticks later, a hundredth of the associations used."""
    frozen = FrozenGraph.of(graph)
    liquid = np.flatnonzero(frozen.liquid)
    used = np.sort(rng.choice(liquid, len(liquid) // 100, replace=False))
    before = frozen.arcs[used]
    ticks = graph.tick + rng.integers(1, 200, len(used))
    changes = altered(before, t0=ticks, uses=before["uses"] + 1)
    return Delta(kind="ask", arcs=changes, tick_before=graph.tick, tick_after=graph.tick + 200)


class StepTimer:
    """Wall-clock and processor milliseconds of one step after another."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[float, float]] = {}
        self.skip()

    def skip(self) -> None:
        """Begin anew here."""
        self._wall, self._cpu = time.perf_counter(), time.thread_time()

    def mark(self, step: str) -> None:
        """What has passed since the last mark was this step."""
        wall, cpu = time.perf_counter(), time.thread_time()
        self.steps[step] = 1e3 * (wall - self._wall), 1e3 * (cpu - self._cpu)
        self.skip()


def timed_sleep(graph: Graph, words: SyntheticWords, seed: int) -> tuple[Slept, StepTimer, float]:
    """Sleep once, apply it; the steps, and the longest wait of another thread."""
    gc.collect()
    stopwatch = StepTimer()
    frozen = FrozenGraph.of(graph)
    stopwatch.mark("still")
    rng = np.random.default_rng(seed)
    with WaitWatch() as watch:
        stopwatch.skip()
        slept = Sleep()(
            frozen,
            rng=rng,
            now_s=0.0,
            scribe=words.scribe(),
            on_rule=lambda rule, _did: stopwatch.mark(rule),
        )
        stopwatch.mark("compose")
    wall, cpu = zip(*stopwatch.steps.values(), strict=True)
    stopwatch.steps["sleep"] = sum(wall), sum(cpu)
    stopwatch.skip()
    rebased = rebase(slept.delta, graph)
    stopwatch.mark("rebase")
    graph.apply(rebased)
    stopwatch.mark("apply")
    return slept, stopwatch, watch.longest_ms


def run(nodes: int, seed: int, repeat: int) -> None:
    """Print a table for one size."""
    first, later, waits = [], [], []
    for _ in range(repeat):
        rng = np.random.default_rng(seed)
        graph, words = build(nodes, rng), SyntheticWords(nodes, rng)
        count = len(graph.arcs())
        slept, stopwatch, wait = timed_sleep(graph, words, seed)
        first.append(stopwatch.steps)
        graph.apply(light_use(graph, rng))
        again, stopwatch, other_wait = timed_sleep(graph, words, seed)
        later.append(stopwatch.steps)
        waits += [wait, other_wait]
    print(f"\n{nodes:,} nodes, {count:,} arcs; live {slept.report.before.live:,}")
    print(f"{'step':14}{'first ms':>10}{'cpu ms':>10}{'later ms':>10}{'cpu ms':>10}")
    for step in first[0]:
        columns = [np.median([t[step] for t in times], axis=0) for times in (first, later)]
        print(f"{step:14}" + "".join(f"{x:10.1f}" for pair in columns for x in pair))
    print(f"another thread waited {max(waits):.0f} ms at most")
    for name, done in (("first", slept), ("later", again)):
        size = len(done.delta.arcs), len(done.delta.nodes)
        print(f"{name}: {size[0]:,} arcs and {size[1]:,} nodes changed: {dict(done.report.rules)}")


def main() -> None:
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", default="1000,10000,100000")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    began = time.perf_counter()
    rng = np.random.default_rng(0)
    timed_sleep(build(500, rng), SyntheticWords(500, rng), 0)
    print(f"first run, compiling where the cache is cold: {time.perf_counter() - began:.2f} s")
    for nodes in map(int, arguments.nodes.split(",")):
        run(nodes, arguments.seed, arguments.repeat)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
