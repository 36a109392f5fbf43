"""Many memories of 200 turns behind one server, and what one of them costs.

The memories lie in .cache/benchmarks/memories and are made once: `KINDS` different ones are told
their turns, and all others are copies of these files. So each is opened, held and read like any
other, but the disk holds the same bytes many times; no recall finds another memory's words faster
by that, as each has its own file and its own state. A run that was broken off goes on where it
stopped. They take 3 MB each: remove the folder afterwards.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import statistics
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mags
from benchmarks.results import CACHE
from benchmarks.serving.loads import PEOPLE, told
from benchmarks.serving.process import Client, cpu_seconds, free_port, memory_mb, running
from mags.app import make_parts, make_store
from mags.memory.memory import Memory
from mags.settings import Settings

TURNS, KINDS, SESSION = 200, 8, 10
"""Turns of a memory, different memories, turns of a session."""
HELD = 100
"""Memories that are asked again while they are open; a server holds 128."""
AGAIN = 4


def turns(kind: int) -> list[dict[str, str]]:
    """What one of the different memories is told."""
    begin = kind * TURNS
    return [
        {"text": told(n), "speaker": "user", "session": f"s{n // SESSION}"}
        for n in range(begin, begin + TURNS)
    ]


def built(count: int) -> Path:
    """The folder with so many memories."""
    folder = CACHE / "memories"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / f"p{number:05}.mags"
        if path.exists():
            continue
        half = path.with_suffix(".half")
        if number < KINDS:
            with mags.open(half, settings=Settings()) as memory:
                memory.observe_many(turns(number))
        else:
            shutil.copyfile(folder / f"p{number % KINDS:05}.mags", half)
        half.rename(path)
    for more in folder.glob("p*.mags*"):  # of a larger run, or left by a server that was killed
        if int(more.name[1:6]) >= count:
            more.unlink()
    return folder


def served(count: int, *, cold: int) -> dict[str, float]:
    """Milliseconds of recalls one after another: of memories that the server has not open, then of
    some that it has; and its size.
    """
    folder, port = built(count), free_port()
    with running(folder, port) as server:
        client, step = Client(port), max(1, count // cold)
        asked = [f"p{n:05}" for n in range(0, count, step)][-cold:]
        _asked(client, [f"p{count - 1:05}"])  # the connection, and what is loaded once
        empty_mb, used = memory_mb(server), cpu_seconds(server)
        opened = _asked(client, asked)
        cold_cpu = cpu_seconds(server) - used
        held = asked[-HELD:]
        used = cpu_seconds(server)
        again = [ms for _ in range(AGAIN) for ms in _asked(client, held)]
        warm_cpu = cpu_seconds(server) - used
        return {
            "memories": count,
            "cold_ms_p50": statistics.median(opened),
            "cold_ms_p95": _p95(opened),
            "cold_cpu_ms": 1e3 * cold_cpu / len(opened),
            "warm_ms_p50": statistics.median(again),
            "warm_ms_p95": _p95(again),
            "warm_cpu_ms": 1e3 * warm_cpu / len(again),
            "rss_mb_first": empty_mb,
            "rss_mb": memory_mb(server),
            "load_average": os.getloadavg()[0],
        }


def _asked(client: Client, names: Sequence[str]) -> list[float]:
    spent = []
    for place, name in enumerate(names):
        n = time.perf_counter_ns() % 10**6  # so that no vector is kept from another time
        query = f"Where does {PEOPLE[n % 10]} Number{(place * 7 + n) % 200} live, and what of {n}?"
        begun = time.perf_counter()
        status, answer = client.send("POST", f"/memories/{name}/recall", {"query": query})
        spent.append(1e3 * (time.perf_counter() - begun))
        if status != 200 or not json.loads(answer)["hits"]:
            raise RuntimeError(f"recall answered {status}")
    return spent


def _p95(spent: Sequence[float]) -> float:
    return sorted(spent)[int(0.95 * len(spent))]


def costs() -> dict[str, float]:
    """What one memory of 200 turns costs, in one process: bytes, processor time, RAM."""
    folder = CACHE / "memory-costs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    found: dict[str, float] = {}
    for name, settings in (("reader", Settings()), ("rules", _rules())):
        path = folder / f"{name}.mags"
        with mags.open(path, settings=settings) as memory:
            memory.observe("Eva lives in Rome.")  # what is loaded once
            begun = time.process_time()
            for turn in turns(0):
                memory.observe(turn["text"], speaker=turn["speaker"], session=turn["session"])
            found[f"{name}_cpu_ms_a_turn"] = 1e3 * (time.process_time() - begun) / TURNS
            journal_bytes = path.stat().st_size + path.with_name(path.name + "-wal").stat().st_size
            found[f"{name}_bytes_open"] = journal_bytes
        found[f"{name}_bytes"] = path.stat().st_size
    return found | _held(folder / "reader.mags")


def _rules() -> Settings:
    settings = Settings()
    return replace(settings, policy=replace(settings.policy, kind="rules"))


def _held(path: Path, count: int = 64) -> dict[str, float]:
    """Opening and recalling of copies, and the RAM that each takes while it is open."""
    parts, copies = make_parts(Settings()), []
    for n in range(count):
        copies.append(path.with_name(f"copy{n}.mags"))
        shutil.copyfile(path, copies[-1])
    with Memory(make_store(path), parts) as memory:
        memory.recall("Who lives in Rome?")
    gc.collect()
    before = _rss_mb()
    begun = time.process_time()
    held = [Memory(make_store(copy), parts) for copy in copies]
    opened = time.process_time() - begun
    spent = []
    for ask in range(2):
        begun = time.process_time()
        for n, memory in enumerate(held):
            memory.recall(f"Where does {PEOPLE[n % 10]} Number{n} live, and what of {ask}?")
        spent.append(1e3 * (time.process_time() - begun) / count)
    mb = (_rss_mb() - before) / count
    for memory in held:
        memory.close()
    return {
        "open_cpu_ms": 1e3 * opened / count,
        "first_recall_cpu_ms": spent[0],
        "recall_cpu_ms": spent[1],
        "rss_mb_each": mb,
    }


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
