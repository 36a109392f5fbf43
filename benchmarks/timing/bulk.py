"""How fast a talk is taken in: at once, turn by turn, and kept to be read later, in turns a second.

    python -m benchmarks.timing.bulk [--words 0 16 600] [--turns 500] [--rounds 3]
        [--against ../before/src]

Turns of LoCoMo go into a new file with the default policy and the shipped embedder, by each way
in turn, every round in a process of its own that has written a few turns before. `--words`: 0 takes
turns as they are; else they are of about so many words, punctuation among them, made of turns that
follow each other. 16 are some 20 tokens, 600 the longest that are read (some 620 tokens).
`--against`: the `src` of another MAGS, which writes the same turns in the same rounds. Printed are
the medians of wall time and of processor time (of all threads), and how many facts and closings
were left; `read` is of the reading alone, where that came later.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median

import mags
from benchmarks.results import CACHE, DATA, ROOT
from mags.memory.memory import Memory
from mags.memory.settings import MemorySettings
from mags.models.policy.reader.network import WORD
from mags.ports.policy import Turn
from mags.settings import Settings
from mags_lab.evaluation.datasets.locomo import load_locomo

LATER = "observe, read later"
WAYS = ("observe_many", "observe", LATER)
_WARM = 8
_AWAKE = MemorySettings(sleep_every=0)  # no sleep by itself


def said(count: int, words: int = 0) -> list[Turn]:
    """The first `count` turns of LoCoMo, talk after talk, as they are or of so many words."""
    talks = load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz")
    turns = [
        Turn(
            text=turn.text,
            speaker=turn.speaker,
            at=turn.at.timestamp(),
            session=f"{talk.id} {turn.session}",
        )
        for talk in talks
        for turn in talk.turns
    ]
    return (of_words(turns, words) if words else turns)[:count]


def of_words(turns: Sequence[Turn], most: int) -> list[Turn]:
    """Turns of a talk joined while they have at most so many words, those of 3/4 and more.

    A joined turn is the first one's; what is too long by itself is left out.
    """
    made: list[Turn] = []
    for turn in turns:
        last = made[-1] if made else None
        joined = replace(last, text=f"{last.text} {turn.text}") if last else turn
        if last and last.at <= turn.at and len(WORD.findall(joined.text)) <= most:
            made[-1] = joined
        else:
            made.append(turn)
    return [one for one in made if 0.75 * most <= len(WORD.findall(one.text)) <= most]


def take_in(memory: Memory, turns: Sequence[Turn], way: str) -> None:
    """Observe turns together or one by one."""
    if way == "observe_many":
        memory.observe_many(turns)
        return
    for turn in turns:
        memory.observe(turn.text, speaker=turn.speaker, at=turn.at, session=turn.session)


def measure(way: str, count: int, words: int) -> dict[str, float]:
    """Turns a second of a way, by the clock and by processor time, and what was left."""
    turns = said(count + _WARM, words)
    warm, turns = turns[-_WARM:], turns[:-_WARM]
    held = replace(_AWAKE, read_every=len(turns) + 1) if way == LATER else _AWAKE
    settings = Settings(memory=held)  # nobody's config file
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        with mags.open(Path(folder) / "warm.mags", settings=settings) as memory:
            take_in(memory, warm, way)
        with mags.open(Path(folder) / "talk.mags", settings=settings) as memory:
            clocks = [(time.perf_counter(), time.process_time())]
            take_in(memory, turns, way)
            clocks.append((time.perf_counter(), time.process_time()))
            memory.observe_many([])  # reads what waits
            clocks.append((time.perf_counter(), time.process_time()))
            facts = memory.facts()
    (began, spent), (kept, kept_spent), (read, read_spent) = clocks
    figures = {
        "turns": len(turns),
        "turns_a_second": len(turns) / (kept - began),
        "turns_a_cpu_second": len(turns) / (kept_spent - spent),
        "facts": len(facts),
        "closed": sum(fact.valid_to is not None for fact in facts),
    }
    if way == LATER:
        figures["read_a_second"] = len(turns) / (read - kept)
        figures["read_a_cpu_second"] = len(turns) / (read_spent - kept_spent)
    return figures


def run(sources: Mapping[str, Path], words: Sequence[int], count: int, rounds: int) -> None:
    """Print the medians of every source, length and way, measured by turns."""
    CACHE.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[str, int, str], list[dict[str, float]]] = {}
    for _ in range(rounds):
        for name, of, way in product(sources, words, WAYS):
            command = [sys.executable, "-m", "benchmarks.timing.bulk", "--child", way]
            command += ["--turns", str(count), "--words", str(of)]
            where = {**os.environ, "PYTHONPATH": str(sources[name])}
            done = subprocess.run(
                command, cwd=ROOT, env=where, check=True, stdout=subprocess.PIPE, text=True
            )
            figures = json.loads(done.stdout.splitlines()[-1])
            found.setdefault((name, of, way), []).append(figures)
    for (name, of, way), each in found.items():
        middle = {key: round(median(one[key] for one in each), 1) for key in each[0]}
        print(json.dumps({"source": name, "words": of, "way": way, **middle}), flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.bulk", description=__doc__)
    parser.add_argument("--words", type=int, nargs="+", default=[0], help="of a turn (0: as it is)")
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path, help="`src` of another MAGS")
    parser.add_argument("--child", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        print(json.dumps(measure(options.child, options.turns, options.words[0])))
        return 0
    sources = {"this": Path(mags.__file__).parents[1]}
    if options.against:
        sources["other"] = options.against.resolve()
    run(sources, options.words, options.turns, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
