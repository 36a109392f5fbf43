"""`python -m benchmarks.use.cold`: under capacity, does what will be asked for stay warm?

A memory is told a stream, asked half of its questions (answers cite the evidence), and put to
sleep with room for half of its nodes. Counted: of the turns that the other questions rest on, how
many went cold, beside how many of all turns did (chance), for evidence cited before (`again`) and
not (`fresh`); with every rule, without importance from the graph, without the time of low degree,
and without the use that answers made.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.places import CACHE
from benchmarks.results import result, save
from benchmarks.systems import System
from benchmarks.use.days import OFFERED, Citing, Told, opened, tell
from benchmarks.use.streams import STREAMS, Ask, Stream
from benchmarks.vectors import shipped
from mags.evaluation.metrics import Interval, bootstrap
from mags.graph.node import NodeFlag
from mags.memory.memory import Memory
from mags.plasticity.cold import Capacity
from mags.ports.embedder import Embedder
from mags.settings import Settings

PARTS = ("", "importance", "low_degree", "use")


def cold_turns(memory: Memory, told: Told) -> dict[str, bool]:
    """Which turns are cold."""
    with memory._live.reading() as state:
        return {
            turn: bool(int(state.graph.node(i)["flags"][0]) & NodeFlag.COLD)
            for i, turn in told.turn_of.items()
        }


def slept(
    stream: Stream, told: Told, embedder: Embedder, part: str
) -> tuple[dict[str, bool], list[Ask], set[str]]:
    """Cold turns, the questions still to come, and the turns that were cited."""
    path = told.path.with_name(f"{part or 'whole'}.mags")
    path.write_bytes(told.path.read_bytes())
    citing = Citing(told.told_by)
    memory = opened(path, embedder, Settings(), citing)
    asks = list(stream.asks)
    random.Random(0).shuffle(asks)
    half = len(asks) // 2
    for ask in asks[:half] if part != "use" else ():
        citing.gold = ask.gold
        memory.ask(ask.text, k=OFFERED)
    room = sum(memory.stats().nodes.values()) // 2
    memory.close()
    sleep = replace(Settings().sleep, capacity=Capacity(max_nodes=room))
    if part not in ("", "use"):
        sleep = sleep.without(part)
    memory = opened(path, embedder, replace(Settings(), sleep=sleep), citing)
    memory.sleep()
    cold = cold_turns(memory, told)
    memory.close()
    return cold, asks[half:], {turn for ask in asks[:half] for turn in ask.gold}


def figures(cold: Mapping[str, bool], asks: list[Ask], cited: set[str]) -> dict[str, Interval]:
    """Shares that went cold: of evidence cited before, of other evidence, of all turns."""
    wanted = {turn for ask in asks for turn in ask.gold if turn in cold}
    groups = {"again": wanted & cited, "fresh": wanted - cited, "chance": set(cold)}
    return {
        name: bootstrap([float(cold[turn]) for turn in sorted(some)])
        for name, some in groups.items()
        if some
    }


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stream", action="append", choices=sorted(STREAMS))
    given = parser.parse_args()
    embedder = shipped(CACHE)
    for name in given.stream or ("lifebench", "hotpotqa"):
        with tempfile.TemporaryDirectory() as folder:
            stream = STREAMS[name]()[0]
            told = tell(stream, embedder, Path(folder) / "told.mags", Settings())
            for part in PARTS:
                found = figures(*slept(stream, told, embedder, part))
                title = f"MAGS without {part}" if part else "MAGS"
                cells = (
                    f"{m} {100 * i.mean:.1f} [{100 * i.low:.1f}, {100 * i.high:.1f}] n {i.n}"
                    for m, i in found.items()
                )
                print(f"{name:10} {title:24} cold: " + "  ".join(cells), flush=True)
                command = "python -m benchmarks.use.cold"
                save(result(f"use-cold-{name}", System(name=title), {"all": found}, {}, command))


if __name__ == "__main__":
    main()
