"""`python -m benchmarks.trees`: how two people of a told family hang together.

Trees of 10, 50 and 250 told lines ("Mirka is the parent of Jorin."), in any order, one a turn; the
names are made up. What leads from one to the other is asked for two, the lines between them are
the evidence (2 to 8 of them), and for grandparents. BM25 and the embedder alone stand beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.baselines.plain import PlainTurns
from benchmarks.results import CACHE
from benchmarks.systems import MagsTurns, opening
from benchmarks.vectors import shipped
from mags.app import make_policy
from mags.settings import Settings
from mags_lab.evaluation.protocol import Probe, Retriever, SourceTurn

SIZES = (10, 50, 250)
TREES = 3
"""Trees of each size."""
ASKED = 8
"""Questions a tree."""
LONGEST = 8
TOLD = ("{a} is the parent of {b}.", "{b} is the child of {a}.")
ASKS = (
    "How are {a} and {b} related?",
    "How is {a} connected to {b}?",
    "What links {a} with {b}?",
    "Is {a} related to {b}?",
)
STEPS = ("Who is the grandparent of {a}?", "Whose grandchild is {a}?")
_HEADS = [
    "Bar",
    "Del",
    "Fen",
    "Gor",
    "Hal",
    "Jor",
    "Kel",
    "Lam",
    "Mir",
    "Nor",
    "Pol",
    "Quin",
    "Ras",
    "Sel",
    "Tor",
    "Ul",
    "Ven",
    "Wal",
    "Yor",
    "Zel",
]
_TAILS = [
    "a",
    "an",
    "dis",
    "eth",
    "ia",
    "ik",
    "in",
    "ka",
    "len",
    "mo",
    "na",
    "oss",
    "ra",
    "ril",
    "to",
    "va",
    "wen",
    "xa",
    "yn",
    "zo",
]


def main() -> int:
    """Print recall of the lines between two people; return the exit status."""
    embedder, policy = shipped(CACHE), make_policy(Settings(), None)
    table = Table("lines", "system", "recall@5", "recall@10", "all@10")
    for size in SIZES:
        for name, make in (
            ("MAGS", lambda: MagsTurns(opening(embedder), policy)),
            ("BM25", lambda: PlainTurns("bm25", embedder)),
            ("dense", lambda: PlainTurns("dense", embedder)),
        ):
            rows = [row for seed in range(TREES) for row in _asked(make(), size, seed)]
            cells = np.mean(rows, axis=0)
            table.add_row(str(size), name, *(f"{100 * cell:.1f}" for cell in cells))
    Console(width=100).print(table)
    return 0


def tree(lines: int, seed: int) -> tuple[tuple[SourceTurn, ...], tuple[Probe, ...]]:
    """The told lines of a tree, and questions about two of its people."""
    rng = np.random.default_rng([lines, seed])
    every = [head + tail for head in _HEADS for tail in _TAILS]
    names = [every[i] for i in rng.permutation(len(every))[: lines + 1]]
    # A child's parent is one of the five before it, so that generations are many.
    parent = {i: int(rng.integers(max(0, i - 5), i)) for i in range(1, lines + 1)}
    at = datetime(2024, 3, 1, tzinfo=UTC)
    turns = [
        SourceTurn(
            id=str(child),
            text=TOLD[int(rng.integers(len(TOLD)))].format(a=names[parent[child]], b=names[child]),
            speaker="user",
            at=at + timedelta(minutes=n),
            session="tree",
        )
        for n, child in enumerate(rng.permutation(np.arange(1, lines + 1)).tolist())
    ]
    probes: list[Probe] = []
    while len(probes) < ASKED:
        one, other = (int(i) for i in rng.integers(0, lines + 1, 2))
        between = _between(parent, one, other)
        if 2 <= len(between) <= LONGEST:
            text = ASKS[len(probes) % len(ASKS)].format(a=names[one], b=names[other])
            gold = frozenset(map(str, between))
            name = f"{lines}/{seed}/{len(probes)}"
            probes.append(Probe(id=name, text=text, gold=gold, kind="tree"))
    grand = [i for i in range(1, lines + 1) if parent[i]]
    for n, one in enumerate(rng.permutation(grand)[:ASKED].tolist()):
        text = STEPS[n % len(STEPS)].format(a=names[one])
        gold = frozenset({str(one), str(parent[one])})
        probes.append(Probe(id=f"{lines}/{seed}/up{n}", text=text, gold=gold, kind="steps"))
    return tuple(turns), tuple(probes)


def _between(parent: Mapping[int, int], one: int, other: int) -> set[int]:
    """The children of the lines between two people: up from both until they meet."""
    return set(_up(parent, one)) ^ set(_up(parent, other))


def _up(parent: Mapping[int, int], one: int) -> list[int]:
    found = []
    while one in parent:
        found.append(one)
        one = parent[one]
    return found


def _asked(system: Retriever, size: int, seed: int) -> Sequence[tuple[float, float, float]]:
    """Recall at 5 and at 10 and whether all were among ten, for each question."""
    turns, probes = tree(size, seed)
    system.add(turns)
    found = [(set(system.search(p.text, 10)[:5]), set(system.search(p.text, 10))) for p in probes]
    return [
        (len(p.gold & five) / len(p.gold), len(p.gold & ten) / len(p.gold), float(p.gold <= ten))
        for p, (five, ten) in zip(probes, found, strict=True)
    ]


if __name__ == "__main__":
    sys.exit(main())
