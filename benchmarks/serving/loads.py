"""The loads: recall alone, a mixture over many memories, and kills under it."""

from __future__ import annotations

import http.client
import json
import random
import re
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from benchmarks.serving.process import Client, cpu_seconds, free_port, memory_mb, running

PEOPLE = ("Ana", "Bo", "Cy", "Dora", "Emil", "Finn", "Gita", "Hugo", "Ida", "Jon")
TOWNS = ("Oslo", "Porto", "Lima", "Graz", "Turin", "Cork", "Basel", "Riga", "Kyoto", "Quito")
THINGS = ("chess", "tea", "bees", "jazz", "maps", "kites", "plums", "clocks", "poems", "tides")
TOLD_TO = re.compile(r" geese for (m\d+)")
BROKEN = (OSError, http.client.HTTPException)


def told(number: int) -> str:
    """A sentence, each number another one."""
    who, town, thing = (
        names[(number // step) % 10] for names, step in ((PEOPLE, 1), (TOWNS, 10), (THINGS, 100))
    )
    return (
        f"{who} Number{number // 7} lives in {town} since {1900 + number % 120} and likes {thing}."
    )


def filled(port: int, name: str, nodes: int) -> int:
    """Observe until a memory has so many nodes; how many there are."""
    client, number, there = Client(port), 0, 0
    while there < nodes:
        turns = [{"text": told(n), "speaker": "user"} for n in range(number, number + 200)]
        status, body = client.send("POST", f"/memories/{name}/turns/bulk", {"turns": turns})
        if status != 201:
            raise RuntimeError(f"filling failed: {status} {body[:200]!r}")
        number += 200
        stats = json.loads(client.send("GET", f"/memories/{name}/stats")[1])
        there = sum(stats["nodes"].values())
    client.close()
    return there


RESTED_S = 0.1
"""What a client that rests waits between two recalls, in the mean."""


def recalls(folder: Path, *, nodes: int, clients: int, each: int) -> dict[str, float]:
    """Milliseconds of recall by so many clients at once, the server on one core of its own.

    First each asks again as soon as it is answered, then each rests between ("rested").
    """
    port = free_port()
    with running(folder, port, core=0) as server:
        there = filled(port, "large", nodes)
        asked(port, each=each, seed=0)
        used, begun = cpu_seconds(server), time.perf_counter()
        spent = _crowded(port, clients=clients, each=each)
        wall, used = time.perf_counter() - begun, cpu_seconds(server) - used
        begun = time.perf_counter()
        rested = _crowded(port, clients=clients, each=each, rest_s=RESTED_S)
        rested_wall = time.perf_counter() - begun
        return {
            "nodes": there,
            "clients": clients,
            "recall_ms_p50": statistics.median(spent),
            "recall_ms_p95": spent[int(0.95 * len(spent))],
            "recalls_a_second": len(spent) / wall,
            "cpu_ms_a_recall": 1e3 * used / len(spent),
            "rested_ms_p50": statistics.median(rested),
            "rested_ms_p95": rested[int(0.95 * len(rested))],
            "rested_a_second": len(rested) / rested_wall,
            "memory_mb": memory_mb(server),
        }


def _crowded(port: int, *, clients: int, each: int, rest_s: float = 0.0) -> list[float]:
    """Milliseconds of all recalls of clients side by side, least first."""
    work = partial(asked, port, each=each, rest_s=rest_s)
    with ThreadPoolExecutor(clients) as pool:
        found = list(pool.map(lambda seed: work(seed=seed), range(1, clients + 1)))
    return sorted(one for some in found for one in some)


def asked(
    port: int, *, each: int, seed: int, rest_s: float = 0.0, name: str = "large"
) -> list[float]:
    """Milliseconds of one client's recalls; it rests before each (exponential, mean `rest_s`)."""
    client, spent = Client(port), []
    chance = random.Random(seed)
    for _ in range(each):
        n = chance.randrange(10**6)
        query = f"Where does {PEOPLE[n % 10]} Number{n % 200} live, and what about {n}?"
        if rest_s:
            time.sleep(chance.expovariate(1 / rest_s))
        begun = time.perf_counter()
        status, _ = client.send("POST", f"/memories/{name}/recall", {"query": query})
        spent.append(1e3 * (time.perf_counter() - begun))
        if status != 200:
            raise RuntimeError(f"recall answered {status}")
    client.close()
    return spent


@dataclass(slots=True)
class LoadTally:
    """What a load came to. `known`: turns that were acknowledged, by memory.

    `killed`: the server is to be killed under it, so that a line that breaks is no failure: what
    was not acknowledged may then be there or not.
    """

    done: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    killed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, status: int, name: str, text: str) -> None:
        """Count one answer."""
        with self.lock:
            if status >= 400:
                self.failed[f"{kind} {status}"] = self.failed.get(f"{kind} {status}", 0) + 1
                return
            self.done[kind] = self.done.get(kind, 0) + 1
            if kind == "turns":
                self.known.setdefault(name, []).append(text)


MIXED = (5, 3, 2)
"""Half observe, three in ten recall, two in ten ask."""
ASKING = (0, 3, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """So many clients over so many memories; what they do, in which shares."""

    clients: int
    memories: int
    shares: tuple[int, int, int] = MIXED


def mixed(
    port: int, tally: LoadTally, crowd: Crowd, *, until: Callable[[], bool], begin: int
) -> None:
    """Observe, recall and ask, over many memories at once."""

    def work(number: int) -> None:
        client, chance, count = Client(port), random.Random(begin + number), 0
        while not until():
            name = f"m{chance.randrange(crowd.memories)}"
            count += 1
            text = f"Client {begin + number} counted {count} geese for {name}."
            kind, body = chance.choices(
                (
                    ("turns", {"text": text, "speaker": "user", "key": text}),
                    ("recall", {"query": "How many geese were counted?"}),
                    ("ask", {"question": "Who counted geese?"}),
                ),
                crowd.shares,
            )[0]
            try:
                status, _ = client.send("POST", f"/memories/{name}/{kind}", body)
            except BROKEN:
                if not tally.killed:
                    tally.add(f"{kind} broken,", 503, name, text)
                break
            if status != 404 or kind == "turns":  # 404: nobody has told this memory anything yet
                tally.add(kind, status, name, text)
        client.close()

    with ThreadPoolExecutor(crowd.clients) as pool:
        list(pool.map(work, range(crowd.clients)))


def missing(port: int, tally: LoadTally) -> tuple[int, int]:
    """Acknowledged turns that are not there, and turns in a memory that they were not told to."""
    client, lost, crossed = Client(port), 0, 0
    for name, texts in tally.known.items():
        _, lines = client.send("GET", f"/memories/{name}/export?vectors=false")
        there = lines.decode()
        lost += sum(text not in there for text in texts)
        crossed += sum(other != name for other in TOLD_TO.findall(there))
    client.close()
    return lost, crossed


def mixture(folder: Path, crowd: Crowd, *, seconds: float) -> dict[str, float]:
    """Requests a second, failures, losses and memory of the mixture.

    After it the same clients only ask, half as long: what grows then is not what was told.
    """
    port, tally, asked = free_port(), LoadTally(), LoadTally()
    with running(folder, port) as server:
        told = watched(server, tally, partial(mixed, port, tally, crowd, begin=0), seconds)
        only = replace(crowd, shares=ASKING)
        asking = watched(server, asked, partial(mixed, port, asked, only, begin=0), seconds / 2)
        lost, crossed = missing(port, tally)
    half, end = told[len(told) // 2], told[-1]
    return {
        "clients": crowd.clients,
        "memories": crowd.memories,
        "requests": sum(tally.done.values()),
        "requests_a_second": sum(tally.done.values()) / seconds,
        "failed": sum(tally.failed.values()) + sum(asked.failed.values()),
        "lost": lost,
        "crossed": crossed,
        "memory_mb_half": half.mb,
        "memory_mb_end": end.mb,
        "kb_a_turn": 1000 * (end.mb - half.mb) / max(end.turns - half.turns, 1),
        "asked": sum(asked.done.values()),
        "memory_mb_asked_half": asking[len(asking) // 2].mb,
        "memory_mb_asked": asking[-1].mb,
        **{f"{kind}_done": count for kind, count in tally.done.items()},
    }


@dataclass(frozen=True, slots=True)
class Size:
    """Memory of a server, in MB, when so many turns were acknowledged."""

    mb: float
    turns: int


def watched(
    server: subprocess.Popen[bytes], tally: LoadTally, load: Callable[..., None], seconds: float
) -> list[Size]:
    """Put a load on for so long; the server's size second by second, the median of three each."""
    ends, sizes = time.monotonic() + seconds, list[Size]()

    def watch() -> None:
        while time.monotonic() < ends:
            sizes.append(Size(memory_mb(server), tally.done.get("turns", 0)))
            time.sleep(1.0)

    watching = threading.Thread(target=watch)
    watching.start()
    load(until=lambda: time.monotonic() >= ends)
    watching.join()
    return [
        Size(statistics.median(one.mb for one in three), three[1].turns)
        for three in zip(sizes, sizes[1:], sizes[2:], strict=False)
    ]


ROUND = 25
"""Kills of one folder, after which what was acknowledged is looked for."""


def kills(folder: Path, crowd: Crowd, *, times: int, state: Path) -> dict[str, float]:
    """Kill a server under the mixture so many times, in rounds; what of the acknowledged is gone.

    `state`: a folder that keeps the sums of the rounds, from which a stopped campaign goes on.
    """
    state.mkdir(parents=True, exist_ok=True)
    kept = state / "kills.json"
    found: dict[str, float] = json.loads(kept.read_text()) if kept.exists() else {}
    while (done := int(found.get("kills", 0))) < times:
        some = _round(folder / str(done), crowd, times=min(ROUND, times - done), seed=5 + done)
        found = {name: found.get(name, 0) + value for name, value in some.items()}
        kept.write_text(json.dumps(found))
        print(found, flush=True)
    return found


def _round(folder: Path, crowd: Crowd, *, times: int, seed: int) -> dict[str, float]:
    folder.mkdir()
    port, tally, chance = free_port(), LoadTally(killed=True), random.Random(seed)
    for number in range(times):
        with running(folder, port) as server:
            over = threading.Event()
            load = threading.Thread(
                target=mixed,
                args=(port, tally, crowd),
                kwargs={"until": over.is_set, "begin": 1_000 * (number + 1)},
            )
            load.start()
            time.sleep(1.0 + 2.0 * chance.random())
            server.send_signal(signal.SIGKILL)
            over.set()
            load.join()
    with running(folder, port):
        lost, crossed = missing(port, tally)
    return {
        "kills": times,
        "acknowledged": sum(map(len, tally.known.values())),
        "lost": lost,
        "crossed": crossed,
        "failed": sum(tally.failed.values()),
    }
