"""Letta's core-memory-update: ten facts, then one that contradicts one of them (Apache-2.0)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mags_lab.evaluation.datasets.source import read_jsonl


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCase:
    """Ten sentences, the one that comes after them, and which of the ten it contradicts."""

    id: str
    facts: tuple[str, ...]
    update: str
    question: str
    answer: str
    contradicted: tuple[int, ...]


def load_letta(path: Path) -> tuple[UpdateCase, ...]:
    """Return the cases of `path`, numbered by line."""
    cases = []
    for number, raw in enumerate(read_jsonl(path)):
        extra = raw["agent_args"]["extra"]
        cases.append(
            UpdateCase(
                id=f"letta-{number}",
                facts=tuple(extra["facts"]),
                update=extra["contradicting_fact"],
                question=raw["input"],
                answer=extra["contradicting_answer"],
                contradicted=tuple(extra["supporting_fact_indices"]),
            )
        )
    return tuple(cases)
