"""`python -m benchmarks.unspaced`: statements and questions in Chinese, Japanese and Thai.

60 short statements a language with a question each (`banks/unspaced.tsv`, written for this), all of
a language in one memory. BM25 over pairs of characters stands beside it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.results import CACHE, ROOT
from benchmarks.systems import RecallCount, episodes, opening
from benchmarks.vectors import shipped
from mags.app import make_policy
from mags.settings import Settings

LINES = ROOT / "benchmarks" / "banks" / "unspaced.tsv"
K1, B = 1.2, 0.75
TURNS_A_SESSION = 6
Ranked = Callable[[str], Sequence[int]]
"""Numbers of the ten best statements for a question."""


def main() -> int:
    """Print recall of the statement that answers; return the exit status."""
    table = Table("language", "n", "system", "@1", "@5", "@10")
    rows = [line.split("\t") for line in LINES.read_text(encoding="utf-8").splitlines()]
    for language in dict.fromkeys(row[0] for row in rows):
        told = [row[1] for row in rows if row[0] == language]
        asked = [row[2] for row in rows if row[0] == language]
        for name, ranked in (("MAGS", mags_over(told)), ("BM25 over pairs", pairs_over(told))):
            found = [list(ranked(question)) for question in asked]
            shares = [np.mean([i in f[:k] for i, f in enumerate(found)]) for k in (1, 5, 10)]
            table.add_row(language, str(len(told)), name, *(f"{100 * s:.1f}" for s in shares))
    Console(width=100).print(table)
    return 0


def mags_over(told: Sequence[str]) -> Ranked:
    """MAGS as shipped, a day between statements."""
    memory = opening(shipped(CACHE))(make_policy(Settings(), None))
    number = {
        memory.observe(
            text, speaker="user", at=1.7e9 + 86_400 * i, session=f"s{i // TURNS_A_SESSION}"
        ).episode_id: i
        for i, text in enumerate(told)
    }
    return lambda question: [number[i] for i in episodes(memory, question, 10, 1, RecallCount())[0]]


def pairs_over(told: Sequence[str]) -> Ranked:
    """BM25 over overlapping pairs of characters, marks left out."""
    held = [Counter(_pairs(text)) for text in told]
    frequency = Counter(pair for one in held for pair in one)
    average = sum(one.total() for one in held) / len(held)

    def ranked(question: str) -> Sequence[int]:
        scores = np.zeros(len(held))
        for pair in set(_pairs(question)):
            rarity = np.log1p((len(held) - frequency[pair] + 0.5) / (frequency[pair] + 0.5))
            for i, one in enumerate(held):
                norm = K1 * (1 - B + B * one.total() / average)
                scores[i] += rarity * one[pair] * (K1 + 1) / (one[pair] + norm)
        best: list[int] = np.argsort(-scores, kind="stable")[:10].tolist()
        return best

    return ranked


def _pairs(text: str) -> list[str]:
    plain = re.sub(r"[\s\u3001\u3002\uff0c\uff1f\uff01?!\u300a-\u300d.]", "", text)
    return [plain[i : i + 2] for i in range(len(plain) - 1)]


if __name__ == "__main__":
    sys.exit(main())
