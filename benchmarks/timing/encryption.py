"""What encryption costs: observe, recall and opening of the same memory in the clear and encrypted.

    python -m benchmarks.timing.encryption [--nodes 1000,10000]

Two files of one shape (see `benchmarks.timing.synthetic`) are used in turns, so that what else the
machine does meets both alike. Embedding is left out. Times are in milliseconds, `cpu` is of the
process; an opening is by a master key in a variable, so what a command to a KMS takes comes on top.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.results import CACHE
from benchmarks.timing.speed import build
from benchmarks.timing.synthetic import GraphShape, TopicEmbedder, question
from benchmarks.vectors import Timed
from mags.app import Models, make_parts
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Plan
from mags.recall.settings import RecallSettings
from mags.settings import Settings
from mags.store.sealing import Keyring, Sealer
from mags.store.sqlite import SqliteStore

_AWAKE = Settings(memory=MemorySettings(sleep_every=0, recall=RecallSettings(tier="fast")))
_TURNS, _OPENINGS, _WARM = 200, 15, 10
WAYS = ("clear", "encrypted")
Spent = dict[str, list[tuple[float, float]]]
"""By way, seconds and processor seconds of each time."""


def measure(folder: Path, nodes: int) -> dict[str, object]:
    """Every time of both, at one size."""
    master = {"MASTER": base64.b64encode(os.urandom(32)).decode()}
    keyrings = {"clear": None, "encrypted": Keyring("env:MASTER", folder / "keys", master)}
    paths = {way: folder / f"{way}-{nodes}.mags" for way in WAYS}
    shapes = {way: build(paths[way], nodes, keyrings[way]) for way in WAYS}
    embedder = Timed(TopicEmbedder(shapes["clear"]))
    parts = make_parts(_AWAKE, Models(embedder=embedder, policy=RulePolicy()))

    def opened(way: str) -> Memory:
        return Memory(SqliteStore.open(paths[way], keyring=keyrings[way]), parts)

    found: dict[str, object] = {"nodes": nodes}
    opening: Spent = {way: [] for way in WAYS}
    for number in range(_OPENINGS + 1):
        for way in WAYS:
            spent = opening[way] if number else []
            _time(spent, lambda way=way: opened(way).close(), embedder)  # type: ignore[misc]
    found["open and close"] = _told(opening)
    memories = {way: opened(way) for way in WAYS}
    found["sealed values a turn"] = _seals(memories["encrypted"])
    for name, work, count in (
        ("observe", _observe, _TURNS),
        ("recall", _recall(shapes["clear"]), _TURNS),
        ("checkpoint", lambda memory, number: memory._live.checkpoint(), _OPENINGS),
    ):
        times: Spent = {way: [] for way in WAYS}
        for number in range(-_WARM, count):
            for way in WAYS if number % 2 else WAYS[::-1]:
                counted = times[way] if number >= 0 else []
                _time(counted, partial(work, memories[way], number), embedder)
        found[name] = _told(times)
    for memory in memories.values():
        memory.close()
    found["bytes"] = {way: paths[way].stat().st_size for way in WAYS}
    return found


def _observe(memory: Memory, number: int) -> None:
    text = f"My neighbour Ana{number} moved to Town{number} in May. t{number % 5} we met."
    memory.observe(text, speaker="Ben", at=1_900_000_000 + number)


def _recall(shape: GraphShape) -> Callable[[Memory, int], object]:
    def recall(memory: Memory, number: int) -> object:
        rng = np.random.default_rng(number + _WARM)
        asked = question(int(rng.integers(0, shape.topics)), rng)
        return memory.recall(Plan(queries=(asked,)), k=10)

    return recall


def _seals(memory: Memory, turns: int = 20) -> float:
    """How many values a turn seals, on average."""
    count: Counter[str] = Counter()
    seal = Sealer.seal

    def counted(self: Sealer, data: bytes, *place: object) -> bytes:
        count["seals"] += 1
        return seal(self, data, *place)

    Sealer.seal = counted  # type: ignore[method-assign]
    try:
        for number in range(turns):
            _observe(memory, 10_000 + number)
    finally:
        Sealer.seal = seal  # type: ignore[method-assign]
    return count["seals"] / turns


def _time(spent: list[tuple[float, float]], work: Callable[[], object], embedder: Timed) -> None:
    apart, began, cpu = embedder.seconds, time.perf_counter(), time.process_time()
    work()
    apart = embedder.seconds - apart
    spent.append((time.perf_counter() - began - apart, time.process_time() - cpu - apart))


def _told(spent: Spent) -> dict[str, dict[str, float]]:
    out = {}
    for way, times in spent.items():
        wall, cpu = 1000 * np.array(times).T
        p50, p95 = np.percentile(wall, [50, 95])
        out[way] = {"p50": p50, "p95": p95, "cpu p50": float(np.median(cpu))}
    return {way: {name: round(float(v), 3) for name, v in one.items()} for way, one in out.items()}


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.encryption")
    parser.add_argument("--nodes", default="1000,10000")
    options = parser.parse_args(arguments)
    CACHE.mkdir(parents=True, exist_ok=True)
    for nodes in options.nodes.split(","):
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            print(json.dumps(measure(Path(folder), int(nodes)), indent=1), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
