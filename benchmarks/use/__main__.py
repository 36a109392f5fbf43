"""What use over time buys, part by part.

    python -m benchmarks.use [--stream musique ...] [--without hebb ...] [--nights 8] [--ticks 200]

One memory a stream is told once; each part is then taken out of a copy of it, which is asked the
same questions in the same order (`benchmarks/use/streams.py`, `days.py`). Printed and kept: the
difference that the part makes, question by question, to recall of turns at 5 and 10, with its 95%
interval, for questions that rest on evidence cited before (`again`) and for the others
(`fresh`), on the half that nothing was chosen on (`test`) and on the other.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.results import CACHE, result, save
from benchmarks.systems import System
from benchmarks.use.days import Lived, MemoryLife, ToldMemory, live, tell
from benchmarks.use.streams import STREAMS, Stream
from benchmarks.use.words import in_words
from benchmarks.vectors import shipped
from mags.plasticity.importance import Importance
from mags.ports.embedder import Embedder
from mags.settings import Settings
from mags_lab.evaluation.metrics import Interval, bootstrap
from mags_lab.evaluation.proving.ablations import SWITCHES, Switch

PARTS = (
    *("hebb", "wired", "spread", "hull", "decay", "support", "life", "prune", "consolidate"),
    *("importance", "sleep"),
)
"""Parts taken out unless told."""

WHOLE = "whole"
LONG = 1000
"""Ticks between blocks from which on a life is kept apart as a long one."""


def _no_wires(settings: Settings) -> Settings:
    recall = settings.memory.recall
    recall = replace(recall, wired=replace(recall.wired, weight=0.0))
    return replace(settings, memory=replace(settings.memory, recall=recall))


def _standing(settings: Settings) -> Settings:
    return replace(settings, sleep=replace(settings.sleep, importance=Importance()))


SWITCHED: Mapping[str, Switch] = {
    **SWITCHES,
    "wired": Switch(name="wired", says="what use wired lifts nothing", settings=_no_wires),
    "importance": Switch(name="importance", says="with standing", settings=_standing),
}
"""Every part that can be taken out."""

TOLD_ANEW = frozenset({"attention"})
"""Parts that work while a memory is told: without them it is told anew."""


def run(stream: Stream, told: ToldMemory, embedder: Embedder, part: str, life: MemoryLife) -> Lived:
    """A stream lived without a part."""
    settings = Settings() if part == WHOLE else SWITCHED[part].settings(Settings())
    # Sleep comes at night, not in the middle of a block.
    every = 10**9 if settings.memory.sleep_every else 0
    settings = replace(settings, memory=replace(settings.memory, sleep_every=every))
    if part in TOLD_ANEW:
        told = tell(stream, embedder, told.path.with_name(f"{part}.mags"), settings)
    return live(stream, told, embedder, settings, life)


def groups(whole: Sequence[Lived], less: Sequence[Lived]) -> Mapping[str, Mapping[str, Interval]]:
    """Recall without the part, and what the part adds to it, by group of questions."""
    pairs = [
        (a, b)
        for one, other in zip(whole, less, strict=True)
        for a, b in zip(one.found, other.found, strict=True)
    ]
    out = {}
    for half in ("test", "dev", "all"):
        for again in (True, False):
            some = [(a, b) for a, b in pairs if half in ("all", a.ask.half) and a.again is again]
            if some:
                out[f"{half} {'again' if again else 'fresh'}"] = {
                    "recall@5": bootstrap([b.at5 for _, b in some]),
                    "recall@10": bootstrap([b.at10 for _, b in some]),
                    "gain@5": bootstrap([a.at5 - b.at5 for a, b in some]),
                    "gain@10": bootstrap([a.at10 - b.at10 for a, b in some]),
                }
    return out


def shown(
    name: str, found: Mapping[str, Mapping[str, Interval]], facts: Mapping[str, float]
) -> str:
    """One line a group."""
    lines = []
    for group, measured in found.items():
        lines.append(f"{name:18} {group:10} n {measured['gain@5'].n:4} {in_words(measured)}")
    lines.append("   " + ", ".join(f"{k} {v:,.1f}" for k, v in facts.items()))
    return "\n".join(lines)


def facts(lived: Sequence[Lived]) -> dict[str, float]:
    """Sizes summed, times averaged over the memories of a stream."""
    found = {name: sum(one.facts[name] for one in lived) for name in lived[0].facts}
    return {n: v / len(lived) if n.endswith("_ms") else v for n, v in found.items()}


def main() -> None:
    """Read the arguments, live every stream with and without each part, keep what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stream", action="append", choices=sorted(STREAMS))
    parser.add_argument("--without", action="append", choices=sorted(SWITCHED))
    parser.add_argument("--nights", type=int, default=8)
    parser.add_argument("--ticks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=5, help="memories of a stream (LoCoMo has 5)")
    parser.add_argument("--keep", action="store_true", help="write the results of the repository")
    given = parser.parse_args()
    embedder = shipped(CACHE)
    life = MemoryLife(nights=given.nights, ticks=given.ticks, seed=given.seed)
    for name in given.stream or STREAMS:
        with tempfile.TemporaryDirectory() as folder:
            lives(name, given, life, embedder, Path(folder))


def lives(
    name: str, given: argparse.Namespace, life: MemoryLife, embedder: Embedder, folder: Path
) -> None:
    """One stream, whole and without each part."""
    streams = STREAMS[name]()[: given.most]
    told = []
    for number, stream in enumerate(streams):
        (folder / str(number)).mkdir()
        told.append(tell(stream, embedder, folder / str(number) / "told.mags", Settings()))
    whole: list[Lived] = []
    for part in (WHOLE, *(given.without or PARTS)):
        began = time.process_time()
        lived = [run(s, t, embedder, part, life) for s, t in zip(streams, told, strict=True)]
        whole = whole or lived
        found = groups(whole, lived)
        took = time.process_time() - began
        print(f"{name}, {took:.0f} s\n{shown(part, found, facts(lived))}", flush=True)
        if given.keep:
            title = "MAGS" if part == WHOLE else f"MAGS without {part}"
            note = "" if part == WHOLE else SWITCHED[part].says
            suite = f"use-{name}" if life.ticks < LONG else f"use-{name}-long"
            command = f"python -m benchmarks.use --stream {name} --ticks {life.ticks} --keep"
            save(result(suite, System(name=title, note=note), found, facts(lived), command))


if __name__ == "__main__":
    main()
