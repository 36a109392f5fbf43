"""Exact adherence and F1 of heads, rules, and both together, on the same samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rich.table import Table

from mags.models.policy.heads.weights import Thresholds, Trained
from mags.ports.policy import Policy
from mags_lab.training.chains.schema import Sample
from mags_lab.training.heads.decide import by_heads, by_policy, together
from mags_lab.training.heads.states import Shown
from mags_lab.training.reward import Reading, adherence, item_f1, items, read

WHO = ("heads", "rules", "both")


def table(trained: Trained, least: Thresholds, rules: Policy, shown: Sequence[Shown]) -> Table:
    """One row a role, split and decider; "by heads" is the share that the heads decide of both."""
    made: dict[tuple[str, str, str], list[tuple[Sample, Reading]]] = defaultdict(list)
    own: dict[tuple[str, str], int] = defaultdict(int)
    for one in shown:
        sample = one.sample
        mine, theirs = by_heads(trained, one), by_policy(rules, sample)
        sure = mine.confidence >= getattr(least, mine.threshold)
        cell = sample.role.value, sample.split.value
        own[cell] += sure
        readings = mine.reading, theirs, together(mine, theirs, least)
        for who, reading in zip(WHO, readings, strict=True):
            made[*cell, who].append((sample, reading))
    columns = ("role", "split", "who", "n", "exact", "item F1", "P", "R", "F1", "by heads")
    found = Table(*columns, title="held-out samples, %")
    for (role, split, who), some in sorted(made.items()):
        share = 100.0 * own[role, split] / len(some) if who == "both" else 0.0
        figures = (*summary(some), share)
        found.add_row(role, split, who, str(len(some)), *(f"{x:.1f}" for x in figures))
    return found


def summary(some: Sequence[tuple[Sample, Reading]]) -> tuple[float, float, float, float, float]:
    """In %: exact adherence, mean F1 a sample; precision, recall and F1 over all items."""
    exact = sum(adherence(sample, reading) for sample, reading in some)
    each = sum(item_f1(sample, reading) for sample, reading in some)
    shared = said = wanted = 0
    for sample, reading in some:
        target = read(sample, sample.target)
        if target is None:
            continue
        got, want = items(reading), items(target)
        shared += (got & want).total()
        said += got.total()
        wanted += want.total()
    precision, recall = shared / said if said else 1.0, shared / wanted if wanted else 1.0
    f1 = 2.0 * shared / (said + wanted) if said or wanted else 1.0
    count = len(some)
    return (
        100.0 * exact / count,
        100.0 * each / count,
        100.0 * precision,
        100.0 * recall,
        100.0 * f1,
    )
