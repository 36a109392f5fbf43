"""Runs the suites on every peer; started by `python -m benchmarks.peers` in its environment."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version

from benchmarks.peers.mem0_memory import Mem0
from benchmarks.peers.memory import PeerMemory, as_system
from benchmarks.peers.stores import Chroma, LangGraphStore, LlamaIndexFusion
from benchmarks.peers.txtai_index import Txtai
from benchmarks.results import CACHE, save
from benchmarks.scored import SUITES, run_suite
from benchmarks.systems import System
from benchmarks.vectors import DiskEmbedder, shipped

_COMMAND = "make peers"


def peers(embedder: DiskEmbedder) -> list[System]:
    """Every peer, with its version in the note."""
    made: dict[str, tuple[str, str, Callable[[], PeerMemory]]] = {
        "mem0 without LLM": ("mem0ai", "infer=False", partial(Mem0, embedder)),
        "txtai hybrid": ("txtai", "BM25 + dense, half and half", partial(Txtai, embedder)),
        "txtai graph": ("txtai", "graph search over hybrid", partial(Txtai, embedder, graph=True)),
        "LangGraph store": ("langgraph", "InMemoryStore", partial(LangGraphStore, embedder)),
        "Chroma": ("chromadb", "in memory, cosine", partial(Chroma, embedder)),
        "LlamaIndex fusion": (
            "llama-index-core",
            "vector + BM25, reciprocal ranks",
            partial(LlamaIndexFusion, embedder),
        ),
    }
    return [
        as_system(name, f"{package} {version(package)}; {note}", make)
        for name, (package, note, make) in made.items()
    ]


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers")
    parser.add_argument("--suite", action="append", choices=list(SUITES))
    parser.add_argument("--system", action="append")
    options = parser.parse_args(arguments)
    embedder = shipped(CACHE)
    for system in peers(embedder):
        if options.system and system.name not in options.system:
            continue
        for name in options.suite or SUITES:
            began = time.perf_counter()
            for item in run_suite(name, system, embedder, _COMMAND):
                print(f"{save(item).name}  ({time.perf_counter() - began:.0f} s)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
