"""`python -m benchmarks.ranking`: fit the weights of the ranking and say what they reach.

Fitted on the dev halves of LongMemEval, LifeBench, HotpotQA, MuSiQue and MQuAKE-hard and on
two made-up sets of chats (benchmarks/ranking). LoCoMo may not be fitted on: it is measured
with `--measure`. Building the memories takes some 20 minutes on two cores the first time;
vectors are kept under .cache/benchmarks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.ranking.fit import Fit, fit
from benchmarks.ranking.sets import memories
from benchmarks.ranking.table import CandidateTable, tables
from benchmarks.results import CACHE
from benchmarks.vectors import shipped
from mags.recall.settings import WEIGHTS, RecallSettings

GROUPS = {
    "retold": 1.0,
    "chats": 0.5,
    "lifebench": 0.5,
    "longmemeval": 3.0,
    "mquake": 1.0,
    "hotpotqa": 1.0,
    "musique": 1.0,
}
"""Sets that are fitted on, each with the weight of the whole set."""

DESIGNED = {"stale": -1.0, "recency": 0.05, "importance": 0.05, "confidence": 0.02,
            "strength": 0.02}  # fmt: skip
"""Set by design: no set we may fit on has a question that these decide."""

WALKED = ("walk", "chain")
"""Fitted first, on MQuAKE-hard alone with four times its weight, and then held."""

LEFT_OUT = {*DESIGNED, "spread", "question"}
"""`spread` alone: within a chat session and speaker say more (it stays for documents)."""

FREE = {"length", "fact", "document", "similarity@document", "cover@document",
        "cover_near@document", "entity@document", "spread@document"}  # fmt: skip
"""Weights that may fall below 0."""


def main(arguments: Sequence[str]) -> int:
    """Fit, print the weights and the table of recalls; return the exit status."""
    options = _options(arguments)
    embedder = shipped(CACHE)
    settings = RecallSettings(traces=False)
    wanted = (*GROUPS, *options.measure)
    found: dict[str, list[CandidateTable]] = {name: [] for name in wanted}
    for memory in memories(wanted):
        found[memory.suite].extend(tables(memory, memory.world(embedder, settings)))
        print(f"{memory.suite}: {len(found[memory.suite])} questions", file=sys.stderr, flush=True)
    weights = dict(WEIGHTS) if options.shipped else fitted(found)
    for name, weight in weights.items():
        if abs(weight) >= 0.02:
            print(f'    "{name}": {weight:.2f},')
    for name in wanted:
        for half in ("dev", "test", "measure"):
            report(name, half, [t for t in found[name] if t.half == half], weights)
    return 0


def fitted(found: dict[str, list[CandidateTable]]) -> dict[str, float]:
    """The weights: those of the walk first, then all others."""
    dev = {name: [t for t in found[name] if t.half == "dev"] for name in GROUPS}
    names = tuple(n for n in dev["chats"][0].names if n not in LEFT_OUT)
    groups = [(dev[n], 4.0 if n == "mquake" else w) for n, w in GROUPS.items()]
    first = fit(groups, Fit(names=names, positive=set(names) - FREE, fixed=DESIGNED, l2=3e-3))
    held = {**DESIGNED, **{n: first[n] for n in WALKED}}
    names = tuple(n for n in names if n not in WALKED)
    groups = [(dev[n], w) for n, w in GROUPS.items()]
    return fit(groups, Fit(names=names, positive=set(names) - FREE, fixed=held))


def report(name: str, half: str, part: Sequence[CandidateTable], weights: dict[str, float]) -> None:
    """Print recall at 5, 10 and 20, and how often everything is among the first 10."""
    if not part:
        return
    scores = [t.scores(weights) for t in part]
    cells = [
        np.mean([t.recall(s, k) for t, s in zip(part, scores, strict=True)]) for k in (5, 10, 20)
    ]
    whole = np.mean([t.recall(s, 10) == 1 for t, s in zip(part, scores, strict=True)])
    row = "  ".join(f"recall@{k} {c:.3f}" for k, c in zip((5, 10, 20), cells, strict=True))
    print(f"{name:20} {half:8} n={len(part):4}  {row}  whole@10 {whole:.3f}")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ranking", description=__doc__)
    parser.add_argument("--measure", action="append", default=[], help="a set to report only")
    parser.add_argument("--shipped", action="store_true", help="report the shipped weights only")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
