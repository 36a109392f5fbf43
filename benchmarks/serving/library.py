"""The mixture without a server: calls of a library, one after another, in one process.

    python -m benchmarks.serving.library MAGS     in this environment
    python -m benchmarks.serving.library mem0     in that of the peers (see benchmarks.peers)

Half the calls remember a turn and half look something up, over many users; both have the shipped
embedder. mem0 keeps texts as they are (`infer=False`) in its default store; MAGS also reads facts
out of them, in a file for each user.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import mags
from mags.app import embedded
from mags.settings import Settings

USERS, CALLS = 100, 3_000
Do = Callable[[str, str], None]
"""A user and a text."""


def main() -> int:
    """Print the figures of one system as JSON; return the exit status."""
    name = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="mags-library-") as folder:
        add, search = _mem0() if name == "mem0" else _mags(Path(folder))
        print(json.dumps(mixture(add, search)))
    return 0


def mixture(add: Do, search: Do) -> dict[str, float]:
    """Calls a second, and milliseconds of processor time of a call of each kind."""
    chance = random.Random(3)
    spent = {"add": 0.0, "search": 0.0}
    done = {"add": 0, "search": 0}
    begun = time.perf_counter()
    for count in range(CALLS):
        user = f"m{chance.randrange(USERS)}"
        kind = chance.choice(("add", "search"))
        from_s = time.process_time()
        if kind == "add":
            add(user, f"Client {count % 64} counted {count} geese for {user}.")
        else:
            search(user, "How many geese were counted?")
        spent[kind] += time.process_time() - from_s
        done[kind] += 1
    wall_s = time.perf_counter() - begun
    return {
        "users": USERS,
        "calls": CALLS,
        "calls_a_second": CALLS / wall_s,
        "cpu_ms_a_call": 1e3 * sum(spent.values()) / CALLS,
        **{f"{kind}_cpu_ms": 1e3 * spent[kind] / done[kind] for kind in spent},
    }


def _mags(folder: Path) -> tuple[Do, Do]:
    memories: dict[str, mags.Memory] = {}

    def of(user: str) -> mags.Memory:
        if user not in memories:
            memories[user] = mags.open(folder / f"{user}.mags", settings=Settings())
        return memories[user]

    def search(user: str, query: str) -> None:
        of(user).recall(query)

    def add(user: str, text: str) -> None:
        of(user).observe(text)

    return add, search


def _mem0() -> tuple[Do, Do]:
    from benchmarks.peers.mem0_memory import Mem0

    store = Mem0(embedded())  # its folder goes with it

    def add(user: str, text: str) -> None:
        store.memory.add(text, user_id=user, infer=False)

    def search(user: str, query: str) -> None:
        store.memory.search(query, top_k=10, filters={"user_id": user}, threshold=0.0)

    return add, search


if __name__ == "__main__":
    sys.exit(main())
