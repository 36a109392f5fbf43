"""Tending: sleep over a still picture, applied to what has not changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mags.memory.live import Live
from mags.memory.parts import Parts
from mags.plasticity.consolidate import Scribe
from mags.plasticity.cycle import Sleep, Slept
from mags.plasticity.rebase import rebase
from mags.plasticity.still import Still


class Tender:
    """Sleeps when asked and when due."""

    def __init__(self, live: Live, parts: Parts) -> None:
        """Tends `live` by the sleep settings and the seed of `parts`."""
        self._live = live
        self._parts = parts

    def sleep(self, on_rule: Callable[[str], None] | None = None) -> Slept:
        """Run every rule; reading and writing go on meanwhile."""
        settings = self._parts.sleep
        with self._live.reading() as state:
            still = Still.of(state.graph, live_at=settings.live_at)
            base = state.seq
        rng = np.random.default_rng([self._parts.seed, still.tick])
        slept = Sleep(settings)(
            still,
            rng=rng,
            now_s=self._live.clock(),
            base=base,
            scribe=self._scribe(),
            on_rule=on_rule,
        )
        with self._live.writing() as state:
            delta = rebase(slept.delta, state.graph)
            self._live.commit(delta)
        state.vectors.rebuild()
        self._live.checkpoint()
        return slept

    def due(self, tick_before: int, tick_after: int) -> bool:
        """Whether a boundary of `sleep_every` ticks lies between."""
        every = self._parts.settings.sleep_every
        return every > 0 and tick_before // every != tick_after // every

    def _scribe(self) -> Scribe:
        state = self._live.state
        return Scribe(
            words=state.words,
            vectors=lambda ids: state.vectors.get(state.graph.rows(ids)),
            embed=self._parts.embedder.embed,
            ids=self._live.ids,
        )
