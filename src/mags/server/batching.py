"""Texts of several requests embedded in one batch, which costs less than one by one."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mags.ports.embedder import Embedder, WrappedEmbedder
from mags.ports.pausing import span, working
from mags.server.concurrency import ConcurrencyLimiter, Work

MOST, MOST_CHARACTERS = 64, 4_000
"""Texts of several requests in one call, and their length; a request of its own may have more."""
PATIENCE_S = 0.01
"""How long a call waits for as many requests as the one before had."""
LATELY_S = 0.2
"""For how long the size of the last call says how many to wait for."""


@dataclass(slots=True, eq=False)
class _Wish:
    """What one request waits for: `vectors`, or the `failure` of the call they were part of.

    `work`: of a request that has stepped aside meanwhile. `size`: its characters.
    """

    texts: list[str]
    size: int
    work: Work | None = None
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
        # A call that is full by itself has nothing to gain from company, and would hold it up.
        size = sum(map(len, texts))
        if len(texts) >= MOST or size >= MOST_CHARACTERS:
            return self._embedded(texts)
        work = self._limiter.mine
        wish = _Wish(texts=list(texts), size=size, work=work)
        with self._enough:
            self._waiting.append(wish)
            if len(self._waiting) >= self._company:
                self._enough.notify()
        if work is not None:
            self._limiter.step_aside(work)
        with self._working:
            # Whoever worked meanwhile may have taken these texts along.
            if not wish.done.is_set():
                # Who stepped aside has let the others come first already.
                if work is None:
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
        room, free = MOST - len(own.texts), MOST_CHARACTERS - own.size
        taken = [own]
        with self._lock:
            self._waiting.remove(own)
            while (
                self._waiting
                and len(self._waiting[0].texts) <= room
                and self._waiting[0].size <= free
            ):
                taken.append(self._waiting.pop(0))
                room, free = room - len(taken[-1].texts), free - taken[-1].size
            self._company = len(taken)
        return taken

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with span("embedding batch") as facts:
            facts["texts"] = len(texts)
            return self._embedder.embed(texts)

    def _work(self, wishes: Sequence[_Wish]) -> None:
        vectors: NDArray[np.float32] | None = None
        begun_s = time.thread_time()
        try:
            with working(None):  # no pause: those in the call wait with their slots
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
            self._share(wishes, time.thread_time() - begun_s)
            self._limiter.wake([wish.work for wish in wishes if wish.work is not None])

    def _share(self, wishes: Sequence[_Wish], spent_s: float) -> None:
        """Each answers for its part of what the first has spent on all."""
        for wish in wishes[1:]:
            part_s = spent_s * wish.size / max(sum(one.size for one in wishes), 1)
            if wish.work is not None:
                wish.work.pay(part_s)
            if wishes[0].work is not None:
                wishes[0].work.pay(-part_s)
