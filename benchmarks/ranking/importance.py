"""`python -m benchmarks.ranking.importance`: what the importance that sleep adds does to recall.

LoCoMo within each conversation (it may only measure), MAGS: never slept, slept without the rule,
slept with it at several weights.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import mags
from benchmarks.results import CACHE, DATA
from benchmarks.systems import MagsTurns
from benchmarks.vectors import shipped
from mags.memory.memory import Memory
from mags.plasticity.cycle import SleepSettings
from mags.plasticity.importance import Importance
from mags.ports.embedder import Embedder
from mags.ports.policy import Policy
from mags.settings import Settings
from mags_lab.evaluation.datasets.locomo import load_locomo
from mags_lab.evaluation.protocol import SourceTurn
from mags_lab.evaluation.suites.retrieval import locomo_within, scores

WEIGHTS = (0.15, 0.3, 0.6, 1.0)


class SleptMemory(MagsTurns):
    """The same as in the suites, with a sleep after what was told."""

    def add(self, turns: Sequence[SourceTurn]) -> None:
        """Observe all turns and sleep."""
        super().add(turns)
        self._memory.sleep()


def opening(embedder: Embedder, sleep: SleepSettings) -> Callable[[Policy], Memory]:
    """What opens an empty memory that sleeps so; its clock counts."""

    def open_(policy: Policy) -> Memory:
        ticks = itertools.count(1_900_000_000)
        settings = Settings(sleep=sleep)
        clock = lambda: float(next(ticks))  # noqa: E731
        return mags.open(None, embedder=embedder, policy=policy, settings=settings, clock=clock)

    return open_


def main() -> int:
    """Print a line for each setting."""
    embedder = shipped(CACHE)
    data = load_locomo(DATA / "locomo" / "locomo10_conv0-4.json.gz")
    awake = opening(embedder, SleepSettings())
    tried: list[tuple[str, Callable[[], MagsTurns]]] = [("never slept", lambda: MagsTurns(awake))]
    for weight in (0.0, *WEIGHTS):
        rule = Importance(weight=weight) if weight else None
        open_ = opening(embedder, replace(SleepSettings(), importance=rule))
        name = f"slept, weight {weight}" if weight else "slept without the rule"
        tried.append((name, lambda open_=open_: SleptMemory(open_)))  # type: ignore[misc]
    for name, make in tried:
        found = scores(locomo_within(make, data))
        shown = ", ".join(
            f"{m} {100 * found[m].mean:.2f}" for m in ("recall@10", "recall@20", "mrr")
        )
        print(f"{name}: {shown}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
