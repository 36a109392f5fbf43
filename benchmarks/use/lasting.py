"""`python -m benchmarks.use.lasting [--talk 0]`: what a memory still groups, as time passes.

One of LoCoMo's conversations is told; then nothing is asked, and it sleeps every 200 ticks. Counted
from time to time, as it is, without what triangles lengthen (`support`), with crowding and births
(`life`): associations, regions and themes, the share of the turns that lie in one; and of the
pairs of turns that are evidence of one question, the share that lies in the same one, beside that
of all pairs (`chance`).
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import tempfile
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from benchmarks.results import CACHE, result, save
from benchmarks.systems import System
from benchmarks.use.days import ToldMemory, opened, pass_time, tell
from benchmarks.use.streams import Stream, locomo
from benchmarks.vectors import shipped
from mags import inspect
from mags.graph.records import ArcKind
from mags.memory.memory import Memory
from mags.settings import Settings
from mags_lab.evaluation.proving.ablations import SWITCHES

EVERY = 200
TICKS = 4_000
SHOWN = (200, 1_000, 2_000, 4_000)
"""Ticks after which it is looked at."""

PARTS = ("", "support", "life")


def figures(memory: Memory, stream: Stream, told: ToldMemory) -> dict[str, float]:
    """Counts, and shares in per cent."""
    with memory._live.reading() as state:
        members = state.graph.arcs(ArcKind.MEMBER)
    themes: dict[int, set[int]] = {}
    for theme, member in zip(members["src"].tolist(), members["dst"].tolist(), strict=True):
        themes.setdefault(theme, set()).add(member)
    pairs = [
        frozenset(pair)
        for ask in stream.asks
        for pair in itertools.combinations(sorted(ask.gold), 2)
    ]
    found = {"associations": float(memory.stats().arcs["association"])}
    found |= grouped(
        "regions", [set(region.members) for region in inspect.regions(memory)], pairs, told
    )
    return found | grouped("themes", list(themes.values()), pairs, told)


def grouped(
    name: str, groups: Sequence[Set[int]], pairs: Sequence[frozenset[str]], told: ToldMemory
) -> dict[str, float]:
    """How many groups hold turns, how many of the turns, how much evidence lies together."""
    turns = [{told.turn_of[i] for i in group if i in told.turn_of} for group in groups]
    turns = [group for group in turns if group]
    n = len(told.turn_of)
    within = {
        frozenset(pair) for group in turns for pair in itertools.combinations(sorted(group), 2)
    }
    return {
        name: len(turns),
        f"turns in {name}": 100 * len(set().union(*turns)) / n,
        f"together in {name}": 100 * sum(pair in within for pair in pairs) / len(pairs),
        f"chance in {name}": 100 * len(within) / (n * (n - 1) / 2),
    }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--talk", type=int, default=0, help="which conversation, from 0")
    given = parser.parse_args()
    embedder = shipped(CACHE)
    stream = locomo()[given.talk]
    with tempfile.TemporaryDirectory() as folder:
        told = tell(stream, embedder, Path(folder) / "told.mags", Settings())
        for part in PARTS:
            settings = SWITCHES[part].settings(Settings()) if part else Settings()
            settings = replace(settings, memory=replace(settings.memory, sleep_every=10**9))
            path = told.path.with_name("lived.mags")
            shutil.copy(told.path, path)
            memory = opened(path, embedder, settings, None)
            facts: dict[str, float] = {}
            for ticks in range(EVERY, TICKS + 1, EVERY):
                pass_time(memory, EVERY)
                memory.sleep()
                if ticks in SHOWN:
                    seen = figures(memory, stream, told)
                    shown = ", ".join(f"{name} {value:.1f}" for name, value in seen.items())
                    print(f"{part or 'whole':12} {ticks:5} ticks: {shown}", flush=True)
                    facts |= {f"{name} @{ticks}": value for name, value in seen.items()}
            memory.close()
            system = System(name=f"MAGS, {part} switched" if part else "MAGS")
            command = f"python -m benchmarks.use.lasting --talk {given.talk}"
            save(result(f"use-lasting-{given.talk}", system, {}, facts, command))


if __name__ == "__main__":
    main()
