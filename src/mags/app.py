"""The only wiring: settings become parts, parts become a Memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mags.adapters.pyg import to_pyg
from mags.memory.memory import Memory
from mags.memory.parts import Parts
from mags.memory.settings import MemorySettings
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.embed.cache import CachedEmbedder
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.policy.rules import RulePolicy
from mags.plasticity.cycle import SleepSettings
from mags.ports.answer import Answerer
from mags.ports.embedder import Embedder
from mags.ports.policy import Policy
from mags.ports.store import Store
from mags.store.ram import RamStore
from mags.store.sqlite import SqliteStore


def open(  # noqa: A001, PLR0913 - mags.open reads as what it does; its keywords are the parts
    path: str | Path | None = None,
    *,
    branch: str = "main",
    embedder: Embedder | None = None,
    policy: Policy | None = None,
    answerer: Answerer | None = None,
    settings: MemorySettings | None = None,
    sleep: SleepSettings | None = None,
    clock: Callable[[], float] = time.time,
    wait_s: float = 5.0,
    read_only: bool = False,
    seed: int = 0,
) -> Memory:
    """Open a memory: a path (made if it is not there), or None to keep it in RAM.

    What is not given is the embedded default: MiniLM, the rule-made policy, the extractive
    answerer. `clock` gives seconds since the epoch; `wait_s`: how long to wait for another
    writer; `seed` makes sleep reproducible. Raises StoreError, EmbedderMismatch.
    """
    parts = Parts(
        embedder=embedder or default_embedder(),
        policy=policy or RulePolicy(),
        answerer=answerer or ExtractiveAnswerer(),
        clock=clock,
        settings=settings or MemorySettings(),
        sleep=sleep or SleepSettings(),
        seed=seed,
        to_pyg=to_pyg,
    )
    return Memory(_store(path, branch, wait_s, read_only), parts)


def _store(path: str | Path | None, branch: str, wait_s: float, read_only: bool) -> Store:
    if path is None:
        return RamStore()
    return SqliteStore.open(path, branch=branch, wait_s=wait_s, read_only=read_only)


@cache
def default_embedder() -> Embedder:
    """The shipped MiniLM behind a cache, one for the process."""
    return CachedEmbedder(OnnxEmbedder())
