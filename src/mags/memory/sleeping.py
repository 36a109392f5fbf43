"""Sleeping: the rules run over a frozen copy; what has changed meanwhile stays as it is."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mags.errors import ModelError, NotFound, StoreBusy
from mags.graph.records import Content
from mags.index.state import State
from mags.memory.live import Live
from mags.memory.settings import Parts
from mags.memory.views import RegionView
from mags.plasticity.cycle import OnRule, Sleep, Slept, rebase
from mags.plasticity.frozen import FrozenGraph
from mags.plasticity.regions import Regions, name_of
from mags.plasticity.themes import Member, ThemeWriter, central_summary
from mags.ports.pausing import held

TRIES = 4
"""Attempts before a sleep gives up because others keep erasing or sleeping."""
GROWN = 1.1
"""Growth of a memory from which its regions are found anew without a sleep."""


class Sleeper:
    """Sleeps when asked and when due; one sleep at a time."""

    def __init__(self, live: Live, parts: Parts) -> None:
        self._live = live
        self._parts = parts
        self._asleep = threading.Lock()
        self._regions: Regions | None = None

    @property
    def asleep(self) -> bool:
        """Whether a sleep is under way."""
        return self._asleep.locked()

    def sleep(self, on_rule: OnRule | None = None) -> Slept:
        """Run every rule; reading and writing go on meanwhile.

        It begins again where something was forgotten meanwhile, which a new theme might quote, or
        where another process has slept and made the same themes; `on_rule` then hears the rules
        again. Raises StoreBusy when that happens every time.
        """
        with held(self._asleep):
            tries = (self._try(on_rule) for _ in range(TRIES))
            slept = next((s for s in tries if s is not None), None)
        if slept is None:
            raise StoreBusy("others keep sleeping over or erasing in this memory: try later")
        self._regions = slept.regions
        self._live.tidy()
        self._fold()
        return slept

    def regions(self) -> list[RegionView]:
        """The regions of the last sleep, found anew once the memory has grown by a tenth.

        Only ids are kept between calls, never words, so that nothing forgotten is left here.
        Empty where regions are off.
        """
        rule = self._parts.sleep.regions
        if rule is None:
            return []
        with self._live.committed() as state:
            found = self._regions
            if found is not None and len(state.graph) <= GROWN * len(found.ids):
                return region_views(state, found)
            frozen = FrozenGraph.of(state.graph, live_at=self._parts.sleep.live_at)
        found = self._regions = rule(frozen)
        with self._live.reading() as state:
            return region_views(state, found)

    def _fold(self) -> None:
        """Fold the journal behind the oldest snapshot, once it has grown too large."""
        most, store = self._parts.settings.max_journal_bytes, self._live.store
        if most <= 0 or store.facts.size()["journal_bytes"] <= most:
            return
        self._live.tidy(always=True)  # only what a checkpoint covers can be folded
        with self._live.committed() as state:
            seq = state.seq
        store.journal.compact(min([seq, *(mark.seq for mark in store.points.marks())]))

    def _try(self, on_rule: OnRule | None) -> Slept | None:
        live, settings = self._live, self._parts.sleep
        with live.committed() as state:
            frozen = FrozenGraph.of(state.graph, live_at=settings.live_at)
            base, generation = state.seq, live.generation
        # The tick too, or every sleep of a memory would draw the same numbers.
        rng = np.random.default_rng([self._parts.seed, frozen.tick])
        try:
            slept = Sleep(settings)(
                frozen,
                rng=rng,
                now_s=live.clock(),
                base=base,
                scribe=self._scribe(),
                on_rule=on_rule,
            )
        except NotFound:
            return None  # a node of the copy is gone
        with live.writing() as state:
            since = live.store.journal.since(base) if state.seq > base else ()
            # Two sleeps that began from the same state would each make the same themes.
            slept_too = any(entry.delta.kind == "sleep" for entry in since)
            if slept_too or live.generation != generation:
                return None
            live.commit(rebase(slept.delta, state.graph))
        return slept

    def _scribe(self) -> ThemeWriter:
        """The access that the writer of themes has to the memory."""
        live = self._live

        def words(ids: Sequence[int]) -> list[Content]:
            with live.reading() as state:
                return state.words(ids)

        def vectors(ids: Sequence[int]) -> NDArray[np.float32]:
            with live.reading() as state:
                return state.vectors.get(np.array([state.graph.row(i) for i in ids], np.int64))

        def summarise(members: Sequence[Member]) -> str:
            """The model's text where there is one and it answers, else one made of theirs."""
            if self._parts.summarise is None:
                return central_summary(members)
            try:
                return self._parts.summarise([member.content.text for member in members])
            except ModelError:
                return central_summary(members)

        return ThemeWriter(
            words=words,
            vectors=vectors,
            embed=lambda texts: live.embedder.embed(texts),
            ids=live.ids,
            summarise=summarise,
        )


def region_views(state: State, regions: Regions) -> list[RegionView]:
    """The regions with those of their nodes that are still there, largest first."""
    views = []
    for number, leaders in enumerate(regions.leaders):
        members = tuple(i for i in regions.members(number).tolist() if i in state.graph)
        if members:
            alive = tuple(i for i in leaders if i in state.graph) or members[:1]
            name = name_of(state.words(alive))
            views.append(RegionView(id=alive[0], name=name, leaders=alive, members=members))
    return sorted(views, key=lambda view: -view.size)
