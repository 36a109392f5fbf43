"""Texts of several requests embedded in one batch, which costs less than one by one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.cache import WrappedEmbedder
from mags.ports.embedder import Embedder
from mags.server.concurrency import ConcurrencyLimiter, Ticket
from mags.tracing import span

MOST = 64
"""Texts of several requests in one call; a request of its own may have more."""
PATIENCE_S = 0.01
"""How long a call waits for as many requests as the one before had."""
LATELY_S = 0.2
"""For how long the size of the last call says how many to wait for."""


@dataclass(slots=True, eq=False)
class _Wish:
    """What one request waits for: `vectors`, or the `failure` of the call they were part of.

    `ticket`: of a request that has stepped aside meanwhile.
    """

    texts: list[str]
    ticket: Ticket | None = None
    done: threading.Event = field(default_factory=threading.Event)
    vectors: NDArray[np.float32] | None = None
    failure: BaseException | None = None


class BatchedEmbedder(WrappedEmbedder):
    """Whoever finds nobody at work embeds, and takes along what came in while another did.

    Where the call before was of several requests, as many are waited for, `patience_s` at most:
    under load a full call costs each of them less. A lone request is embedded at once. Who has a
    slot of the limiter steps aside instead, so that others come to their texts first. Only for
    embedders whose vectors do not depend on what is embedded beside them. Safe in threads.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        patience_s: float = PATIENCE_S,
        limiter: ConcurrencyLimiter | None = None,
    ) -> None:
        super().__init__(embedder)
        self._limiter = limiter or ConcurrencyLimiter()
        self._patience_s = patience_s
        self._working = threading.Lock()
        self._lock = threading.Lock()
        self._enough = threading.Condition(self._lock)
        self._waiting: list[_Wish] = []
        self._company = 1
        self._ended_s = 0.0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension); raises as the embedder inside does."""
        # A call that is full by itself has nothing to gain from company.
        if len(texts) >= MOST:
            return self._embedded(texts)
        holds_slot = self._limiter.holds_slot
        wish = _Wish(texts=list(texts), ticket=Ticket() if holds_slot else None)
        with self._enough:
            self._waiting.append(wish)
            if len(self._waiting) >= self._company:
                self._enough.notify()
        if wish.ticket is not None:
            self._limiter.step_aside(wish.ticket)
        with self._working:
            # Whoever worked meanwhile may have taken these texts along.
            if not wish.done.is_set():
                # Who stepped aside has let the others come first already.
                if not holds_slot:
                    self._wait()
                self._work(self._taken(wish))
        if wish.failure is not None:
            raise wish.failure
        assert wish.vectors is not None
        return wish.vectors

    def _wait(self) -> None:
        """Until as many wait as the last call had, where that was a moment ago."""
        with self._enough:
            if time.monotonic() - self._ended_s < LATELY_S:
                self._enough.wait_for(lambda: len(self._waiting) >= self._company, self._patience_s)

    def _taken(self, own: _Wish) -> list[_Wish]:
        """The own wish, and others in the order in which they came, as far as there is room."""
        room = MOST - len(own.texts)
        taken = [own]
        with self._lock:
            self._waiting.remove(own)
            while self._waiting and len(self._waiting[0].texts) <= room:
                taken.append(self._waiting.pop(0))
                room -= len(taken[-1].texts)
            self._company = len(taken)
        return taken

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with span("embedding batch") as facts:
            facts["texts"] = len(texts)
            return self._embedder.embed(texts)

    def _work(self, wishes: Sequence[_Wish]) -> None:
        vectors: NDArray[np.float32] | None = None
        try:
            vectors = self._embedded([text for wish in wishes for text in wish.texts])
        finally:  # in any case, or others would wait for ever
            begin = 0
            for wish in wishes:
                end = begin + len(wish.texts)
                if vectors is None:
                    wish.failure = sys.exception()
                else:
                    wish.vectors = vectors[begin:end]
                begin = end
                wish.done.set()
            self._ended_s = time.monotonic()
            self._limiter.wake([wish.ticket for wish in wishes if wish.ticket is not None])
