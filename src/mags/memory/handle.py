"""Handle: a memory held open, with the parts that do its work."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Self

from mags.errors import MagsError
from mags.graph.delta import Delta
from mags.memory.asking import Asker
from mags.memory.conversing import Converser
from mags.memory.editing import Editor
from mags.memory.forgetting import Forgetter
from mags.memory.given import LONGEST_TURN, TurnLike, turn_of, words
from mags.memory.history import Historian
from mags.memory.learning import Learner
from mags.memory.live import Live
from mags.memory.observing import Observer
from mags.memory.parts import Parts
from mags.memory.reading import Look, Reader
from mags.memory.tending import Tender
from mags.memory.views import Seen
from mags.ports.policy import Turn
from mags.ports.store import Store

_APART = (
    "apart is deprecated: observe_many reads each turn with those before it; where each is to be "
    "a tick and a transaction of its own, call observe for each"
)


@contextmanager
def closed_on_failure(store: Store) -> Iterator[None]:
    """Close a store where the block does not end well."""
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            store.close()


class Handle:
    """What opens and closes; `Memory` is its face."""

    def __init__(self, store: Store, parts: Parts, *, read_only: bool = False) -> None:
        """Open a branch of a store with its parts; raises EmbedderMismatch, StoreError."""
        self._store = store
        self._live = Live(store, parts.embedder, parts.clock, read_only=read_only)
        self._history = Historian(self._live)
        self._furnish(parts)

    def _furnish(self, parts: Parts) -> None:
        self._parts = parts
        self._reader = Reader(self._live, parts)
        self._observer = Observer(self._live, parts)
        self._asker = Asker(self._live, parts, self._reader, Learner(self._live, self._observer))
        self._converser = Converser(self._live, parts, self._reader, self._asker)
        self._tender = Tender(self._live, parts)
        self._editor = Editor(self._live, parts)
        self._forgetter = Forgetter(self._live)

    def close(self) -> None:
        """Let go of the store; closing twice is harmless."""
        self._live.close()

    def __enter__(self) -> Self:
        """The memory itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    # -- inside ------------------------------------------------------------------

    def _prepared(self, given: TurnLike) -> tuple[Turn, str]:
        turn, at = turn_of(given, self._live.clock())
        attrs = dict(turn.attrs)
        said = {"text": turn.text, "speaker": turn.speaker, "session": turn.session}
        return turn, self._live.payload(**said, at=at, attrs=attrs)

    def _observed(self, jobs: Iterable[tuple[Turn, str]]) -> list[Seen]:
        """Turns kept in batches, and sleep where it is due after all of them."""
        seen = self._observer.observe(jobs, self._reader.shown_to_writer)
        fresh = [s.delta for s in seen if not s.repeated]
        slept = self._sleep_if_due(*fresh[:1], *fresh[-1:])
        if slept is not None:
            seen[-1] = replace(seen[-1], warnings=(*seen[-1].warnings, slept))
        return seen

    def _observed_together(self, jobs: Iterable[tuple[Turn, str]]) -> list[Seen]:
        seen = self._observed(jobs)
        self._live.tidy()
        return seen

    def _observed_apart(self, jobs: Iterable[tuple[Turn, str]]) -> list[Seen]:
        warnings.warn(_APART, DeprecationWarning, stacklevel=3)
        return [self._observed([one])[0] for one in jobs]

    def _question(self, text: str, speaker: str, session: str, look: Look, what: str) -> Turn:
        words(text, what, longest=LONGEST_TURN)
        at = self._live.clock() if look.as_of is None else look.as_of
        turn, _ = turn_of({"text": text, "speaker": speaker, "session": session, "at": at}, at)
        return turn

    def _sleep_if_due(self, *deltas: Delta) -> str | None:
        """Sleep where it is due; what came before is durable, so a failure is only told of."""
        try:
            if deltas:
                self._tender.sleep_if_due(deltas[0].tick_before, deltas[-1].tick_after)
        except MagsError as failure:
            return f"sleep was due and failed, it will be tried again: {failure}"
        return None
