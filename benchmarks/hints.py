"""`python -m benchmarks.hints`: a statement as the query, which something told earlier bears on.

30 pairs (`banks/hints.tsv`, written for this), each hint in a session of its own among 200 turns of
LongMemEval's people. The embedder alone stands beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.baselines.plain import PlainTurns
from benchmarks.results import CACHE, DATA, ROOT
from benchmarks.systems import MagsTurns, opening
from benchmarks.vectors import shipped
from mags.app import make_policy
from mags.settings import Settings
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.protocol import SourceTurn

LINES = ROOT / "benchmarks" / "banks" / "hints.tsv"
OTHERS, TURNS_A_SESSION = 200, 7
BEGAN = datetime(2024, 3, 1, tzinfo=UTC)


def main() -> int:
    """Print recall of the hints; return the exit status."""
    embedder, policy = shipped(CACHE), make_policy(Settings(), None)
    pairs = [line.split("\t") for line in LINES.read_text(encoding="utf-8").splitlines()]
    turns = list(_turns([hint for hint, _ in pairs]))
    table = Table("system", "@1", "@5", "@10", "@20")
    for name, system in (
        ("MAGS", MagsTurns(opening(embedder), policy)),
        ("dense", PlainTurns("dense", embedder)),
    ):
        system.add(turns)
        found = [system.search(said, 20) for _, said in pairs]
        shares = [np.mean([f"h{i}" in f[:k] for i, f in enumerate(found)]) for k in (1, 5, 10, 20)]
        table.add_row(name, *(f"{100 * share:.1f}" for share in shares))
    Console(width=100).print(table)
    return 0


def _turns(hints: list[str]) -> Iterator[SourceTurn]:
    """The hints, in the middle of a session each while there are any, among other turns."""
    folder = DATA / "longmemeval"
    data = load_longmemeval(folder / "lme_evidence.jsonl.gz", folder / "haystacks")
    short = [t.text for t in data.turns if t.speaker == "user" and 30 < len(t.text) < 220]
    told = [(f"o{i}", text) for i, text in enumerate(short[: 2 * OTHERS : 2])]
    for i, hint in enumerate(hints):
        told.insert(TURNS_A_SESSION * i + TURNS_A_SESSION // 2, (f"h{i}", hint))
    for n, (name, text) in enumerate(told):
        yield SourceTurn(
            id=name,
            text=text,
            speaker="user",
            at=BEGAN + timedelta(hours=n),
            session=f"s{n // TURNS_A_SESSION}",
        )


if __name__ == "__main__":
    sys.exit(main())
