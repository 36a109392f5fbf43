"""How fast and how large the durable side is, without the rest of MAGS.

    python -m benchmarks.timing.storage [--nodes 1000,10000,100000] [--turns 500] [--folder DIR]

Appending: a turn of 3 new nodes, 8 altered ones, 30 new arcs and 2 contents with vectors of 384
halves, durable on return; beside it the time of a bare 8 KiB write with fsync on the same disk,
several times over, since disks differ and shared ones waver. Then for each size a memory of that
many nodes of average degree 9.3: opened (with its check), its checkpoint saved and loaded, its
journal replayed and compacted, a node erased. Loads are the median of 5, the file in the
system's cache. Times in milliseconds; `cpu` is processor time. Every line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags.graph.delta import Changes, Delta
from mags.graph.graph import Graph
from mags.graph.records import ARC, NODE, ArcKind, Content, blank_node
from mags.ports.store import Checkpoint
from mags.store.sqlite import SqliteStore

DIMENSION = 384
DEGREE = 9.3
WORDS = "The quick brown fox met Ana in Oslo and they spoke about the harbour until it was late. "
Report = dict[str, float]


def created(records: NDArray[np.void]) -> Changes:
    """Changes that bring records into being."""
    before = np.zeros(len(records), records.dtype)
    for name in ("id",) if records.dtype == NODE else ("src", "dst", "kind"):
        before[name] = records[name]
    none = np.zeros(len(records), np.bool_)
    return Changes(before, records, none, ~none)


def nodes_of(first: int, count: int, rng: np.random.Generator) -> NDArray[np.void]:
    """NODE records with ids from `first`, filled as a lived-in memory's are."""
    out = np.repeat(blank_node(kind=1), count)
    out["id"] = out["content"] = np.arange(first, first + count)
    for name in ("strength", "importance", "confidence"):
        out[name] = rng.random(count)
    out["recorded_at"] = out["valid_from"] = 1.7e9 + 60.0 * out["id"]
    out["strength_tick"] = out["last_used_tick"] = out["id"]
    out["session"] = rng.integers(0, 2**62, count)
    return out


def arcs_of(nodes: int, count: int, rng: np.random.Generator) -> NDArray[np.void]:
    """Distinct ARC records between nodes 1 to `nodes`, two thirds of them associations."""
    key = np.unique(rng.integers(0, nodes, (2, int(count * 1.05))), axis=1).T
    out = np.zeros(len(key), ARC)
    out["src"], out["dst"] = key[:, 0] + 1, key[:, 1] + 1
    out["kind"] = rng.choice([ArcKind.ASSOCIATION, ArcKind.ASSOCIATION, ArcKind.MENTIONS], len(key))
    out["w"], out["t0"] = rng.random(len(key)), rng.integers(0, 9999, len(key))
    return rng.permutation(out)[:count]


def contents_of(first: int, count: int, rng: np.random.Generator) -> tuple[Content, ...]:
    """Contents of 90 to 180 characters with unit vectors."""
    vectors = rng.normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return tuple(
        Content(
            id=first + i,
            node=first + i,
            text=WORDS + WORDS[: (first + i) % len(WORDS)],
            meta={"speaker": "Ben", "session": "s1"},
            vector=vector,
        )
        for i, vector in enumerate(vectors.astype(np.float16))
    )


def turn(number: int, rng: np.random.Generator) -> Delta:
    """What a turn of `observe` changes."""
    first = 1000 + 3 * number
    new = created(nodes_of(first, 3, rng))
    old = nodes_of(1 + 8 * (number % 100), 8, rng)
    later = old.copy()
    later["strength"], later["uses"] = 1.0, later["uses"] + 1
    same = np.ones(8, np.bool_)
    both = [new, Changes(old, later, same, same)]
    arcs = arcs_of(1000, 30, rng)
    arcs["src"] = first
    return Delta(
        kind="observe",
        key=f"{number:032x}",
        payload="0" * 32,
        nodes=Changes(
            *(
                np.concatenate([getattr(c, n) for c in both])
                for n in ("before", "after", "had", "has")
            )
        ),
        arcs=created(np.unique(arcs)),
        reasons=tuple({"rule": "arbiter", "fact": first + i} for i in range(3)),
        result={"episode": first},
        contents=contents_of(first, 2, rng),
    )


def spread(name: str, seconds: Sequence[float]) -> Report:
    """Median and 95th percentile in milliseconds."""
    p50, p95 = 1000 * np.percentile(seconds, [50, 95])
    return {f"{name}_p50_ms": round(p50, 3), f"{name}_p95_ms": round(p95, 3)}


def timed(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def once(name: str, work: Callable[[], object]) -> Report:
    """Time of one run by the clock and of the processor, in milliseconds."""
    cpu = time.process_time()
    wall = timed(work)
    return {f"{name}_ms": 1000 * wall, f"{name}_cpu_ms": 1000 * (time.process_time() - cpu)}


def measure_appends(folder: Path, turns: int) -> Report:
    """Durable appends and bare writes with fsync, taking turns on the same disk."""
    rng = np.random.default_rng(0)
    store = SqliteStore.open(folder / "appends.mags")
    deltas = [turn(i, rng) for i in range(turns)]
    appended, synced = [], []
    began = time.process_time()
    with tempfile.TemporaryFile(dir=folder) as file:
        for delta in deltas:
            appended.append(timed(lambda delta=delta: store.journal.append(delta)))  # type: ignore[misc]
            os.pwrite(file.fileno(), b"x" * 8192, os.fstat(file.fileno()).st_size)
            synced.append(timed(lambda: os.fsync(file.fileno())))
    cpu = (time.process_time() - began) / turns
    size = store.facts.size()
    store.close()
    return {
        "turns": turns,
        **spread("append", appended),
        **spread("fsync", synced),
        "cpu_ms_a_turn": round(1000 * cpu, 3),
        "journal_bytes_a_turn": size["journal_bytes"] / turns,
    }


def build(path: Path, nodes: int) -> Graph:
    """A file with a memory of that many nodes, written as imports of 5,000 nodes."""
    rng = np.random.default_rng(0)
    store, graph = SqliteStore.open(path), Graph()
    store.contents.next_id(nodes)
    for first in range(1, nodes + 1, 5000):
        count = min(5000, nodes + 1 - first)
        delta = Delta(
            kind="import",
            nodes=created(nodes_of(first, count, rng)),
            contents=contents_of(first, count, rng),
        )
        graph.apply(delta)
        store.journal.append(delta)
    drawn = arcs_of(nodes, int(DEGREE * nodes), rng)
    for start in range(0, len(drawn), 50_000):
        delta = Delta(kind="import", arcs=created(drawn[start : start + 50_000]))
        graph.apply(delta)
        store.journal.append(delta)
    store.close()
    return graph


def packed(graph: Graph, rng: np.random.Generator) -> dict[str, NDArray[np.generic]]:
    """What a checkpoint holds: the graph, vectors, and postings of 12 terms a node."""
    count = len(graph)
    terms = 12 * count
    return {
        **{f"graph.{name}": array for name, array in graph.packed().items()},
        "vectors.rows": rng.normal(size=(count, DIMENSION)).astype(np.float16),
        "lexicon.row": rng.integers(0, count, terms).astype(np.int32),
        "lexicon.term": rng.integers(0, 2**60, terms),
    }


def measure_memory(path: Path, nodes: int) -> Report:
    """Opening, checkpoint, replay, compaction, erasing and bytes of a memory of that size."""
    out: Report = {"nodes": nodes}
    began = time.perf_counter()
    graph = build(path, nodes)
    out["build_s"] = round(time.perf_counter() - began, 2)
    store = SqliteStore.open(path)
    arrays = packed(graph, np.random.default_rng(1))
    head = store.journal.head()
    point = Checkpoint(seq=head, branch="main", tick=graph.tick, arrays=arrays)
    out |= once("save", lambda: store.points.save(point))
    store.close()
    out["bytes_a_node"] = path.stat().st_size / nodes
    opened: list[SqliteStore] = []
    loaded: list[Any] = []
    runs: list[Report] = []
    for _ in range(5):
        runs.append(once("open", lambda: opened.append(SqliteStore.open(path))))
        runs[-1] |= once("load", lambda: loaded.append(opened[-1].points.load()))
        own = {k[6:]: v for k, v in loaded[-1].arrays.items() if k.startswith("graph.")}
        runs[-1] |= once("unpack_graph", lambda own=own: Graph.unpack(own, 0))  # type: ignore[misc]
        opened[-1].close()
    out |= {name: float(np.median([run[name] for run in runs])) for name in runs[0]}
    store, digest = SqliteStore.open(path), graph.digest()
    size = store.facts.size()
    for part in ("journal", "content", "checkpoint"):
        out[f"{part}_bytes_a_node"] = size[f"{part}_bytes"] / nodes
    out |= once("replay", lambda: replay(store, digest))
    out |= once("compact", lambda: store.journal.compact(head))
    out |= once("erase", lambda: store.contents.erase([1]))
    store.close()
    out["bytes_a_node_without_checkpoint"] = path.stat().st_size / nodes
    return {name: round(float(value), 2) for name, value in out.items()}


def replay(store: SqliteStore, digest: str) -> None:
    """Rebuild the graph from the journal alone."""
    graph = Graph()
    for entry in store.journal.since(0):
        graph.apply(entry.delta)
    if graph.digest() != digest:
        raise AssertionError("the journal does not give the graph back")


def measure_apply() -> Report:
    """Graph.apply in bulk: a million arcs drawn, a tenth of them altered, all removed."""
    rng = np.random.default_rng(0)
    graph = Graph()
    graph.apply(Delta(kind="import", nodes=created(nodes_of(1, 100_000, rng))))
    empty = graph.digest()
    drawn = arcs_of(100_000, 1_000_000, rng)
    draw = Delta(kind="import", arcs=created(drawn))
    old = drawn[:100_000]
    new = old.copy()
    new["w"] /= 2
    yes = np.ones(len(old), np.bool_)
    steps = {
        "draw": draw,
        "alter_tenth": Delta(kind="sleep", arcs=Changes(old, new, yes, yes)),
        "restore_tenth": Delta(kind="sleep", arcs=Changes(new, old, yes, yes)),
        "remove": draw.inverse(),
    }
    out = {"arcs": float(len(drawn))}
    for name, delta in steps.items():
        out |= once(name, lambda delta=delta: graph.apply(delta))  # type: ignore[misc]
    if graph.digest() != empty:
        raise AssertionError("removing does not undo drawing")
    return {name: round(value, 1) for name, value in out.items()}


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.storage")
    parser.add_argument("--nodes", default="1000,10000,100000")
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--folder", type=Path, default=None, help="on the disk to be measured")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        # A small memory first: it compiles and loads what is not a matter of size.
        measure_memory(folder / "warm.mags", 200)
        print(json.dumps(measure_appends(folder, options.turns)), flush=True)
        print(json.dumps(measure_apply()), flush=True)
        for nodes in map(int, options.nodes.split(",")):
            found = measure_memory(folder / f"{nodes}.mags", nodes)
            print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
