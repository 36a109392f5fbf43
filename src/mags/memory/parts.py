"""What a memory is put together from; made in `mags.app`, or by a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mags.engram.attention import AttentionWeights
from mags.index.state import State
from mags.memory.settings import MemorySettings
from mags.plasticity.cycle import SleepSettings
from mags.ports.answer import Answerer
from mags.ports.chat import Usage
from mags.ports.embedder import Embedder
from mags.ports.policy import Policy
from mags.ports.relations import canonical, normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything but the store.

    `clock`: seconds since the epoch; `to_pyg`: the converter. `spent`: what models were used for
    since it was last called, whoever called them; `summarise`: a theme's text from its members'
    texts, by a model (raises ModelError; without one it is extracted). `linker`: trained weights
    of first edges.
    """

    embedder: Embedder
    policy: Policy
    answerer: Answerer
    clock: Callable[[], float]
    settings: MemorySettings = field(default_factory=MemorySettings)
    sleep: SleepSettings = field(default_factory=SleepSettings)
    seed: int = 0
    to_pyg: Callable[[State], Any] | None = None
    spent: Callable[[], Usage] | None = None
    summarise: Callable[[Sequence[str]], str] | None = None
    linker: AttentionWeights | None = None


def same_relation(asked: str, known: str) -> bool:
    """Whether two relation phrases are one relation to the table."""
    a, b = canonical(asked), canonical(known)
    if a is not None and b is not None:
        return a.name == b.name
    return normalise(asked).name == normalise(known).name
