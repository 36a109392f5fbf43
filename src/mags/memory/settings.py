"""The settings of a memory, and the parts that it is put together from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from mags.engram.attention import AttentionWeights
from mags.engram.settings import EngramSettings
from mags.errors import ConfigurationError
from mags.index.state import State
from mags.plasticity.cycle import SleepSettings
from mags.ports.answer import Answerer
from mags.ports.bounds import ANY, SECRET, hold
from mags.ports.chat import Usage
from mags.ports.embedder import Embedder
from mags.ports.policy import Policy, Router, Turn
from mags.ports.weights import ArtifactStore, Reciter, WeightsSettings
from mags.recall.settings import RecallSettings

LEAST_SECRET = 32
"""Characters of a secret: fewer could be found by trying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """What a memory does around its rules; every switch is an ablation.

    `window`: episodes of working memory that go to the model verbatim. `answer_k`: hits an
    answer is made from without a model, which takes what fits `context_tokens`.
    `sleep_every`: ticks between sleeps that run by themselves (0: only when asked).
    `recalled_for_write`: hits shown to the write model (0: none; else in bulk each turn is a
    batch). `read_every`: turns that `observe` keeps before it reads them (1: each is read at
    once). `reminded`: facts told before that are shown to a policy that asks for them (0: none).
    `hebb`: wire what was cited together. `batch`: turns embedded at once in bulk.
    `max_journal_bytes`: size of the journal beyond which a sleep folds what lies behind the
    oldest snapshot (0: never; `log` and `rollback` reach back to there only).
    `secret`: keys the hashes of a memory that is made with it, besides the one in its file; at
    least 32 characters, such as `openssl rand -hex 32` makes. Such a memory opens only with it.
    """

    window: int = 8
    answer_k: int = 12
    context_tokens: int = 1_600
    sleep_every: int = 200
    recalled_for_write: int = 0
    read_every: int = 1
    reminded: int = 48
    hebb: bool = True
    router: bool = True
    working: bool = True
    batch: int = 64
    max_journal_bytes: int = 0
    secret: str = field(default="", repr=False, metadata=SECRET)
    recall: RecallSettings = field(default_factory=RecallSettings)
    engram: EngramSettings = field(default_factory=EngramSettings)

    def __post_init__(self) -> None:
        hold(self, "memory", _BOUNDS)
        if self.secret and len(self.secret) < LEAST_SECRET:
            raise ConfigurationError(
                f"[memory] secret (MAGS_SECRET) must have at least {LEAST_SECRET} characters: "
                "`openssl rand -hex 32` makes one",
                key="memory.secret",
            )


_BOUNDS = dict.fromkeys(
    ("window", "answer_k", "context_tokens", "batch", "read_every"), (1, ANY)
) | dict.fromkeys(("sleep_every", "recalled_for_write", "reminded", "max_journal_bytes"), (0, ANY))


def _uncounted() -> AbstractContextManager[Callable[[], Usage]]:
    return nullcontext(Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything but the store; made in `mags.app`, or by a test.

    `clock`: seconds since the epoch; `to_pyg`: the converter. `counting`: what models are used for
    while it is open, by this thread; `summarise`: a theme's text from its members'
    texts, by a model (raises ModelError; without one it is extracted). `linker`: trained weights
    of first edges. `router`: what turns of a conversation want; without one any may tell and ask.
    `has_model`: whether a language model is there to chat with. `shows`: how likely each of some
    turns shows what a question asks, in (0, 1), None where it was not read; without it recall is
    at most `careful`. `weights`, `reciter`, `artifacts`: what is taught to a model's weights, who
    recites it, where it lies.
    """

    embedder: Embedder
    policy: Policy
    answerer: Answerer
    clock: Callable[[], float]
    settings: MemorySettings = field(default_factory=MemorySettings)
    sleep: SleepSettings = field(default_factory=SleepSettings)
    seed: int = 0
    to_pyg: Callable[[State], Any] | None = None
    counting: Callable[[], AbstractContextManager[Callable[[], Usage]]] = _uncounted
    summarise: Callable[[Sequence[str]], str] | None = None
    linker: AttentionWeights | None = None
    router: Router | None = None
    has_model: bool = False
    shows: Callable[[Turn, Sequence[Turn]], Sequence[float | None]] | None = None
    weights: WeightsSettings = field(default_factory=WeightsSettings)
    reciter: Reciter | None = None
    artifacts: ArtifactStore | None = None
