"""`python -m benchmarks.use.closing`: what closes old facts, part by part.

Letta's core-memory updates, of the half that nothing was made on every `--every`th case: ten
facts, then one that contradicts one of them, told to the whole memory and to one without each of
`PARTS`. What each part adds, case by case.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import replace

import mags
from benchmarks.results import CACHE, DATA, result, save
from benchmarks.systems import MagsUpdates, Open, System
from benchmarks.use.words import in_words
from benchmarks.vectors import shipped
from mags.app import make_policy
from mags.memory.memory import Memory
from mags.ports.embedder import Embedder
from mags.ports.policy import Policy
from mags.settings import Settings
from mags_lab.evaluation.datasets.editing import load_letta
from mags_lab.evaluation.metrics import Interval, bootstrap, comes_before
from mags_lab.evaluation.protocol import split
from mags_lab.evaluation.proving.ablations import SWITCHES
from mags_lab.evaluation.suites.editing import UpdateOutcome, update_scores, updates

PARTS = ("", "arbiter", "conflict", "novelty", "renewal", "write")


def opening(embedder: Embedder, settings: Settings) -> Open:
    """What opens an empty memory with these settings."""

    def open_(policy: Policy) -> Memory:
        seconds = itertools.count(1_900_000_000)
        return mags.open(
            None,
            embedder=embedder,
            policy=policy,
            settings=settings,
            clock=lambda: float(next(seconds)),
        )

    return open_


def figures(found: Sequence[UpdateOutcome]) -> list[dict[str, float]]:
    """New before old, closed of those due, closed of the others; by case."""
    return [
        {
            "new first": float(
                min(comes_before(o.ranked, len(o.case.facts), old) for old in o.case.contradicted)
            ),
            "closed": 1.0 - o.closings.missed,
            "wrong": o.closings.wrong,
        }
        for o in found
    ]


def gains(whole: Sequence[UpdateOutcome], less: Sequence[UpdateOutcome]) -> dict[str, Interval]:
    """Figures without a part, and what the part adds to each."""
    out = dict(update_scores(less))
    with_it, without = figures(whole), figures(less)
    for name in with_it[0]:
        pairs = zip(with_it, without, strict=True)
        out[f"gain {name}"] = bootstrap([a[name] - b[name] for a, b in pairs])
    return out


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--every", type=int, default=3)
    given = parser.parse_args()
    embedder = shipped(CACHE)
    cases = load_letta(DATA / "letta_core_memory" / "core_memory_update.jsonl.gz")
    cases = tuple(case for case in cases if split(case.id) == "test")[:: given.every]
    settings = Settings()
    policy = make_policy(replace(settings, chat=replace(settings.chat, url="")), None)
    whole: tuple[UpdateOutcome, ...] = ()
    for part in PARTS:
        switched = SWITCHES[part].settings(settings) if part else settings
        made = SWITCHES[part].policy(policy) if part else policy
        open_ = opening(embedder, switched)
        found = updates(lambda: MagsUpdates(open_, made), cases)  # noqa: B023
        whole = whole or found
        measured = gains(whole, found)
        print(f"{part or 'whole':10} n {len(cases)}  {in_words(measured)}", flush=True)
        title = f"MAGS without {part}" if part else "MAGS"
        command = f"python -m benchmarks.use.closing --every {given.every}"
        save(result("use-closing", System(name=title), {"test": measured}, {}, command))


if __name__ == "__main__":
    main()
