"""Fairness: how much slower seven readers are beside one hostile tenant."""

from __future__ import annotations

import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from benchmarks.serving.loads import BROKEN, PEOPLE, told
from benchmarks.serving.process import Client, free_port, running

READERS, TURNS = 7, 200
LINES = 12
"""Connections of the hostile tenant, where it has many."""
WORDS = ("tea", "jazz", "chess", "Oslo", "Porto", "bees", "maps", "clocks", "plums")
DOES = ("likes", "does not like", "no longer visits", "now lives near", "left", "only sells")
Request = tuple[str, str, object]
"""Method, path (under the memory, or with a slash of its own), body."""


def talk(size: int, seed: int) -> str:
    """Short sentences about one person that contradict one another: the most work of a text."""
    chance, text = random.Random(seed), ""
    while len(text) < size:
        text += f"Alice {chance.choice(DOES)} {chance.choice(WORDS)}. "
    return text[:size]


def _turn(size: int) -> Callable[[int], Request]:
    return lambda n: ("POST", "turns", {"text": talk(size, n)})


def _bulk(number: int) -> Request:
    turns = [{"text": told(number * 200 + n), "speaker": "user"} for n in range(200)]
    return "POST", "turns/bulk", {"turns": turns}


def _query(number: int) -> Request:
    return "POST", "recall", {"query": talk(100_000, number), "k": 1_000}


def _walk(number: int) -> Request:
    who = f"{PEOPLE[number % 10]} Number{number % 28}"
    return "GET", f"connect?start={who.replace(' ', '%20')}&end=chess", None


def _signs(number: int) -> Request:
    text = ("a" * 60 + "," + "-" * 60 + "\"' (" + "1" * 30 + " " * 60) * 36
    return "POST", "turns", {"text": f"{number} {text}"}


def _asked(number: int) -> Request:
    return "POST", "ask", {"question": f"Where does {PEOPLE[number % 10]} Number{number} live?"}


def _vectors(number: int) -> Request:
    texts = [talk(2_000, number * 200 + n) for n in range(200)]
    return "POST", "/v1/embeddings", {"model": "mags", "input": texts}


HOSTILE: dict[str, tuple[Callable[[int], Request], int]] = {
    "one reader more": (
        lambda n: ("POST", "recall", {"query": f"Where does Ana Number{n} live?"}),
        1,
    ),
    "one turn of 487 kB after another": (_turn(487_000), 1),
    "turns of 7.7 kB, one line": (_turn(7_700), 1),
    "turns of 7.7 kB, twelve lines": (_turn(7_700), LINES),
    "200 turns at once, again and again": (_bulk, 1),
    "questions, twelve lines": (_asked, LINES),
    "recalls of 100 kB": (_query, 1),
    "walks, twelve lines": (_walk, LINES),
    "signs for the patterns, twelve lines": (_signs, LINES),
    "sleeps": (lambda _: ("POST", "sleep", None), 1),
    "vectors of 200 texts": (_vectors, 1),
}
"""By kind what is sent for the n-th time, and on how many lines at once."""


def filled(folder: Path) -> None:
    """Make the memories of all readers and of the hostile tenant, the same for each server."""
    port = free_port()
    with running(folder, port):
        turns = [{"text": told(n), "speaker": "user"} for n in range(TURNS)]
        for name in (*(f"r{reader}" for reader in range(READERS)), "hostile"):
            client = Client(port)
            status, body = client.send("POST", f"/memories/{name}/turns/bulk", {"turns": turns})
            client.close()
            if status not in (200, 201):
                raise RuntimeError(f"filling failed: {status} {body[:200]!r}")


def fairness(
    folder: Path, kind: str, *, seconds: float, rounds: int, options: Sequence[str] = ()
) -> dict[str, float | str]:
    """The readers' milliseconds alone and beside one kind: medians of so many servers.

    Each server is asked first without and then with the hostile tenant, and killed.
    """
    make, lines = HOSTILE[kind]
    alone, beside, answers = list[list[float]](), list[list[float]](), Counter[int]()
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="mags-fairness-") as copied:
            shutil.copytree(folder, copied, dirs_exist_ok=True)
            port = free_port()
            with running(Path(copied), port, options=options) as server:
                _read(port, 1.0)  # opens the memories
                alone.append(_read(port, seconds))
                with _sending(port, make, lines, answers), _killing(server):
                    time.sleep(1.0)
                    beside.append(_read(port, seconds))
    found: dict[str, float | str] = {"kind": kind, "rounds": rounds}
    for name, place in (("p50", 0.5), ("p95", 0.95)):
        a, b = (
            statistics.median(some[int(place * len(some))] for some in runs)
            for runs in (alone, beside)
        )
        found |= {f"alone_{name}": a, f"beside_{name}": b, f"{name}_fold": b / a}
    done = sorted((status, count) for status, count in answers.items() if status)
    found["answers"] = ", ".join(f"{count} x {status}" for status, count in done)
    return found


def every_kind(folder: Path, *, seconds: float, rounds: int) -> dict[str, float]:
    """By kind how many times the readers' p95 is what it is without; `alone`: that, in ms."""
    filled(folder)
    found, alone = dict[str, float](), list[float]()
    for kind in HOSTILE:
        one = fairness(folder, kind, seconds=seconds, rounds=rounds)
        print(one, flush=True)
        found[kind] = float(one["p95_fold"])
        alone.append(float(one["alone_p95"]))
    return {"alone": statistics.median(alone), **found}


def _read(port: int, seconds: float) -> list[float]:
    """Milliseconds of all recalls of the readers within so long, least first."""
    ends = time.monotonic() + seconds

    def work(reader: int) -> list[float]:
        client, spent, chance = Client(port), list[float](), random.Random()
        while time.monotonic() < ends:
            n = chance.randrange(10**6)
            query = f"Where does {PEOPLE[n % 10]} Number{n % 200} live, and what about {n}?"
            begun = time.perf_counter()
            status, _ = client.send("POST", f"/memories/r{reader}/recall", {"query": query})
            spent.append(1e3 * (time.perf_counter() - begun))
            if status != 200:
                raise RuntimeError(f"recall answered {status}")
        client.close()
        return spent

    with ThreadPoolExecutor(READERS) as pool:
        return sorted(ms for some in pool.map(work, range(READERS)) for ms in some)


@contextmanager
def _killing(server: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:  # in any case, or those who send would wait for their answers
        server.kill()


@contextmanager
def _sending(
    port: int, make: Callable[[int], Request], lines: int, answers: Counter[int]
) -> Iterator[None]:
    """Requests of the hostile tenant on so many lines, until the block ends."""
    over, numbers = threading.Event(), count(random.randrange(10**6) * 1_000)

    def run() -> None:
        client = Client(port)
        while not over.is_set():
            method, path, body = make(next(numbers))
            path = path if path.startswith("/") else f"/memories/hostile/{path}"
            try:
                status, _ = client.send(method, path, body)
            except BROKEN:  # the server was killed
                return
            answers[status] += 1
            if status >= 400:
                time.sleep(0.05)

    threads = [threading.Thread(target=run) for _ in range(lines)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
