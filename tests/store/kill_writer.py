"""Writers to be killed: a warm process that forks one for each round.

Run as a script with a folder, a number of rounds and a seed. Each round forks a child that opens
the memory and appends, marks, saves, compacts and erases as fast as it can, telling through a
pipe what it was told is done; the parent kills it at a random moment, opens the file and counts
what is missing. Prints one JSON object.
"""

import json
import os
import random
import select
import signal
import struct
import sys
import time
from pathlib import Path

from mags.store.sqlite import SqliteStore
from tests.store.samples import checkpoint, note

ROUNDS_PER_FILE = 20
LONGEST_S, SOON_S = 0.06, 0.0003
AIMED = 4
"""One of so many rounds is killed in a long step, each in turn; the others anywhere."""
SAID = struct.Struct("<BQ")
APPENDED, ERASED, SAVED, COMPACTED, MARKED, FORKED, BEGUN = range(1, 8)
NAMES = {ERASED: "erase", SAVED: "save", COMPACTED: "compact", MARKED: "mark", FORKED: "fork"}


def word(node: int) -> str:
    """The word of a node: long enough to be found in a file only where it was written."""
    return f"zebrafish-{node:012d}-" + "x" * (node % 700)


def write_until_killed(path: Path, pipe: int, rng: random.Random) -> None:
    """Write for ever; say what is about to begin, and what is done."""

    def say(what: int, number: int = 0) -> None:
        os.write(pipe, SAID.pack(what, number))

    store = SqliteStore.open(path)
    while True:
        node = store.contents.next_id(1)
        store.journal.append(note(node, word(node), key=f"k{node}"))
        say(APPENDED, node)
        what = rng.choice([APPENDED, APPENDED, APPENDED, *NAMES])
        if what == APPENDED:
            continue
        say(BEGUN, what)
        if what == ERASED:
            store.contents.erase([node])
        elif what == SAVED:
            store.points.save(checkpoint(store, store.journal.head(), *range(2000, 2400)))
        elif what == COMPACTED:
            store.points.save(checkpoint(store, store.journal.head()))
            store.journal.compact(store.journal.head())
        elif what == MARKED:
            store.points.mark("here", store.journal.head(), 0.0)
        elif what == FORKED:
            child = store.fork(f"branch {node}")
            child.close()
        say(what, node)


def kill_one(path: Path, rng: random.Random, step: int = 0) -> list[tuple[int, int]]:
    """Fork a writer, kill it at a random moment, and return what it said.

    `step`: it is killed just after it began this one, 0 for whatever it does.
    """
    end, start = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(end)
            write_until_killed(path, start, rng)
        finally:
            os._exit(1)
    os.close(start)
    # The clock starts with the first write, so that no round is spent on opening alone.
    select.select([end], [], [], 10)
    told = b""
    while step and SAID.pack(BEGUN, step) not in told and (more := os.read(end, SAID.size)):
        told += more
    time.sleep(rng.random() * (SOON_S if step else LONGEST_S))
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(end, "rb") as said:
        heard = list(SAID.iter_unpack(told + said.read()))
    assert os.WIFSIGNALED(status), "the writer failed before it was killed"
    return heard


def missing(path: Path, done: set[int], erased: set[int], begun: set[int]) -> list[str]:
    """What was acknowledged and is not there (or was erased and still is)."""
    store = SqliteStore.open(path)
    store.check()
    out = []
    words = {content.node: content.text for content in store.contents.scan()}
    replayed = set()
    for entry in store.journal.since(0):
        replayed |= set(entry.delta.nodes.after["id"].tolist())
    for node in done - erased - begun:
        if words.get(node) != word(node):
            out.append(f"the word of {node}")
        if node not in replayed:
            out.append(f"the entry of {node}")
    for node in done:
        if store.journal.find_key(f"k{node}") is None:
            out.append(f"the key of {node}")
    if store.contents.next_id(1) <= max(done, default=0):
        out.append("the count of ids")
    store.close()
    files = [Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")]
    left = b"".join(file.read_bytes() for file in files if file.exists())
    gone = erased | (begun - set(words))
    out += [f"erased, yet there: {node}" for node in gone if word(node)[:22].encode() in left]
    return out


def main(folder: Path, rounds: int, seed: int) -> None:
    """Kill `rounds` writers and print what was lost."""
    rng = random.Random(seed)
    lost: list[str] = []
    during = dict.fromkeys(NAMES.values(), 0)
    acknowledged = 0
    done: set[int] = set()
    erased: set[int] = set()
    begun: set[int] = set()
    for number in range(rounds):
        path = folder / f"{number // ROUNDS_PER_FILE}.mags"
        if number % ROUNDS_PER_FILE == 0:
            done, erased, begun = set(), set(), set()
        aimed, turn = number % AIMED == 0, number // AIMED
        step = (SAVED, COMPACTED, ERASED)[turn % 3] if aimed else 0
        heard = kill_one(path, random.Random(rng.random()), step)
        done |= {node for what, node in heard if what == APPENDED}
        erased |= {node for what, node in heard if what == ERASED}
        acknowledged += sum(what != BEGUN for what, _ in heard)
        if heard and heard[-1][0] == BEGUN:
            during[NAMES[heard[-1][1]]] += 1
            if heard[-1][1] == ERASED:
                begun.add(heard[-2][1])
        lost += missing(path, done, erased, begun)
    found = {"rounds": rounds, "acknowledged": acknowledged, "during": during, "lost": lost}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
