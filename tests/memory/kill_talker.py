"""Talkers to be killed: a warm process that forks one for each round.

Run as a script with a folder, a number of rounds and a seed; rounds go on, up to three times as
many, until every verb of `NEEDED` was torn and more was acknowledged than a word a round, which a
busy machine takes longer for. Each round forks a child that opens
the memory and observes, asks, sleeps, rolls back and forgets, telling through a pipe what it is
about to do and what it was told is done; the parent kills it at a random moment, opens the memory
and looks for what is missing. Prints one JSON object.
"""

import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.settings import PolicySettings, Settings
from tests.memory.replaying import assert_whole, files_hold

ROUNDS_PER_FILE = 10
LONGEST_S = 0.4
VERBS = ("observe", "observe", "observe", "many", "many", "ask", "sleep", "forget", "forget")
NEEDED = ("many", "forget")
RULES = Settings(policy=PolicySettings(kind="rules"))
"""What is read of a turn is no matter here; the trained reader would be most of the time."""


def opened(path: Path) -> Memory:
    return mags.open(path, embedder=HashEmbedder(16), settings=RULES)


def secret(number: int) -> str:
    """A word found in the file only where it was told."""
    return f"zebrafish{number:09d}"


def talk_until_killed(path: Path, pipe: int, rng: random.Random) -> None:
    """Talk for ever; say what is about to begin, and what is done."""

    def say(*what: object) -> None:
        os.write(pipe, (json.dumps(what) + "\n").encode())

    memory = opened(path)
    for _ in range(10**6):
        verb, number = rng.choice(VERBS), rng.randrange(10**9)
        text = f"My code is {secret(number)}."
        if verb == "observe":
            say("begun", verb, number)
            memory.observe(text, speaker="Ana", session="s", key=f"k{number}")
            say("told", number, "s")
        elif verb == "many":
            say("begun", verb, number)
            turns = [{"text": text, "speaker": "Ana", "key": f"k{number}"}]
            memory.observe_many([*turns, *(f"Line {i} of a book." for i in range(20))])
            say("told", number, "")
        elif verb == "forget":
            memory.observe(text, speaker="Ana", session="s", key=f"k{number}")
            say("begun", verb, number)
            memory.forget(secret(number))
            say("forgot", number)
        else:
            say("begun", verb, number)
            _ = memory.ask("What is the code?") if verb == "ask" else memory.sleep()
            say("done", verb)


def kill_one(path: Path, rng: random.Random) -> list[list[object]]:
    """Fork a talker, kill it at a random moment, and return what it said."""
    end, start = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(end)
            talk_until_killed(path, start, rng)
        finally:
            os._exit(1)
    os.close(start)
    # The clock starts when a chosen verb begins: on a slow machine a moment after the first word
    # would never reach the later ones.
    awaited, heard = f'["begun", "{rng.choice(VERBS)}"'.encode(), b""
    while awaited not in heard and select.select([end], [], [], 20)[0]:
        word = os.read(end, 65536)
        if not word:
            break
        heard += word
    time.sleep(rng.random() * rng.random() * LONGEST_S)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with os.fdopen(end, "rb") as said:
        lines = (heard + said.read()).splitlines(keepends=True)
    assert os.WIFSIGNALED(status), "the talker failed before it was killed"
    return [json.loads(line) for line in lines if line.endswith(b"\n")]


def missing(path: Path, told: dict[int, str], forgot: set[int], torn: list[object]) -> list[str]:
    """What was acknowledged and is not so."""
    out = []
    with opened(path) as memory:
        assert_whole(memory)
        for number in told.keys() - forgot:
            text, key = f"My code is {secret(number)}.", f"k{number}"
            again = memory.observe(text, speaker="Ana", session=told[number], key=key)
            if not again.repeated or memory.get(again.episode_id).text != text:
                out.append(f"told {number}")
        if torn[:1] == ["forget"]:
            # Not acknowledged: it happened whole, or not at all.
            number = int(str(torn[1]))
            held = any(secret(number) in hit.text for hit in memory.recall(secret(number), k=5))
            if not held and files_hold(path.parent, secret(number)):
                out.append(f"half forgot {number}")
            if held:
                memory.forget(secret(number))
            forgot.add(number)
    files = b"".join(file.read_bytes() for file in path.parent.iterdir() if path.stem in file.name)
    out += [f"forgot {n}, yet there" for n in forgot if secret(n).encode() in files]
    return out


def main(folder: Path, rounds: int, seed: int) -> None:
    """Kill `rounds` talkers and print what was lost."""
    rng = random.Random(seed)
    lost: list[str] = []
    during: dict[str, int] = {}
    acknowledged = 0
    told: dict[int, str] = {}
    forgot: set[int] = set()
    with opened(folder / "warm.mags") as memory:  # What children share is loaded before them.
        memory.observe("Ana lives in Oslo.")
    for number in range(3 * rounds):
        if number >= rounds < acknowledged and during.keys() >= set(NEEDED):
            break
        path = folder / f"memory{number // ROUNDS_PER_FILE}.mags"
        if number % ROUNDS_PER_FILE == 0:
            told, forgot = {}, set()
        heard = kill_one(path, random.Random(rng.random()))
        told |= {int(str(said[1])): str(said[2]) for said in heard if said[0] == "told"}
        forgot |= {int(str(said[1])) for said in heard if said[0] == "forgot"}
        acknowledged += sum(said[0] != "begun" for said in heard)
        torn = heard[-1][1:] if heard and heard[-1][0] == "begun" else []
        if torn:
            during[str(torn[0])] = during.get(str(torn[0]), 0) + 1
        lost += missing(path, told, forgot, torn)
    found = {"rounds": number, "acknowledged": acknowledged, "during": during, "lost": lost}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
