"""A branch held open: its store, its state in memory, and the one way to change them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import numpy as np

from mags import caches
from mags.errors import (
    CorruptFile,
    EmbedderMismatch,
    InvalidInput,
    MagsError,
    NotFound,
    StoreClosed,
    StoreError,
)
from mags.graph.delta import Delta, Draft
from mags.index.state import Ids, State
from mags.memory.gate import Gate
from mags.memory.replay import net_of, weight_of
from mags.memory.seals import Seals, check_embedder, generation_of, is_reembedding, renew
from mags.ports.embedder import Embedder
from mags.ports.store import Checkpoint, Store

CHECKPOINT_AFTER = 512
"""Journal entries since the last checkpoint after which a new one is worth writing."""

REPLAYED_AT_ONCE = 256
"""Journal entries taken together when the state is brought up to date."""


class Live:
    """Store and state of one branch, kept at the same sequence.

    `reading()` catches up with other processes and holds the state still; `writing()` holds
    the writer's lock; `commit` makes a Delta durable, then visible. A state that may have been
    left half changed (by an interrupt) is built anew from the store before anybody sees it.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        clock: Callable[[], float],
        *,
        read_only: bool = False,
    ) -> None:
        """Load the newest checkpoint and replay what came after; raises StoreError."""
        self.store = store
        self.embedder = embedder
        self.clock = clock
        self.read_only = read_only
        self._gate = Gate()
        self._lock = threading.RLock()
        self._closed = False
        self._torn = False
        """The state may be half changed."""
        self._unsettled = False
        """The state may hold what the store does not."""
        self._begun = False
        """A transaction of this Live is under way: nobody else can have written."""
        self._applied: list[Delta] = []
        self._frozen = False
        """A re-embedding is under way: nothing may be written."""
        self._successor: Embedder | None = None
        self._saving, self._renewing = threading.Lock(), threading.Lock()
        self._tidying: threading.Thread | None = None
        check_embedder(store, embedder, read_only=read_only)
        secret = store.facts.get("secret")
        if secret is None:
            raise StoreError("this memory has no secret: it was not made by MAGS")
        self._secret = bytes.fromhex(secret)
        seals = Seals(self._secret, store.journal)
        self.hashed, self.payload, self.earlier = seals.hashed, seals.payload, seals.earlier
        self.ids = Ids(store.contents.next_id)
        self._rebuild()
        caches.register(self)

    # -- keeping up --------------------------------------------------------------

    def _rebuild(self) -> None:
        """Build the state afresh from the store."""
        self._torn = True
        generation = generation_of(self.store)
        state = self._load()
        try:
            weight = self._replay(state)
        except NotFound:
            # Compacted between the two: the checkpoint that allowed it is there by now.
            state = self._load()
            weight = self._replay(state)
        self._drop_forgotten(state)
        self.state, self._weight = state, weight
        self._generation = generation
        self._applied.clear()
        self._unsettled = self._torn = False

    def _load(self) -> State:
        state = State(
            dimension=self.embedder.dimension,
            secret=self._secret,
            fetch=self.store.contents.get,
            fetch_whole=self.store.contents.scan,
        )
        try:
            checkpoint = self.store.points.load()
        except CorruptFile:
            # It only spares a replay: the journal holds everything, or says what it lacks.
            return state
        if checkpoint is not None:
            state.unpack(checkpoint.arrays, tick=checkpoint.tick, seq=checkpoint.seq)
        return state

    def _replay(self, state: State) -> float:
        """Apply what the journal has after the state; returns what it weighed."""
        weight = 0.0
        if self.store.journal.head() > state.seq:
            entries = self.store.journal.since(state.seq)
            while batch := list(islice(entries, REPLAYED_AT_ONCE)):
                state.apply(net_of([entry.delta for entry in batch]), batch[-1].seq)
                weight += sum(weight_of(entry.delta) for entry in batch)
        return weight

    def _drop_forgotten(self, state: State) -> None:
        """Take out what was erased on another branch: this one's journal does not tell."""
        gone = [int(i) for i in self.store.facts.forgotten() if int(i) in state.graph]
        if gone:
            draft = Draft(state.graph)
            for node_id in gone:
                draft.remove_node(node_id)
            state.apply(draft.delta("forget"))

    def _behind(self) -> bool:
        return not self._begun and (
            self.store.journal.head() > self.state.seq
            or generation_of(self.store) != self._generation
            or self._unsettled
        )

    def _catch_up(self) -> None:
        with self._gate.changing():
            # While a transaction is under way (or being undone) its thread sees to the state.
            if not self._begun:
                self._follow()

    def _follow(self) -> None:
        """Take over what other processes and branches wrote; inside the gate, alone."""
        if self._torn or self._unsettled:
            self._rebuild()
            return
        generation = generation_of(self.store)
        renewed = generation != self._generation
        if renewed and self._succeeded():
            return
        if renewed:
            check_embedder(self.store, self.embedder, reading=True)
            self._frozen = is_reembedding(self.store)
        elif self.store.journal.head() <= self.state.seq:
            return
        self._torn = True
        try:
            self._weight += self._replay(self.state)
        except NotFound:
            self._rebuild()
            return
        if renewed:
            self._drop_forgotten(self.state)
            self._generation = generation
        self._torn = False

    # -- reading and writing -----------------------------------------------------

    @contextmanager
    def reading(self, *, fresh: bool = True) -> Iterator[State]:
        """The state, at rest and up to date; nested it is the same state as outside.

        Not `fresh`: as this process knows it, for who has looked at the file just before.
        """
        self.ensure_open()
        if not self._gate.inside and (fresh or self._torn):
            while self._torn or self._behind():
                self._catch_up()
        with self._gate.reading():
            yield self.state

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The state under the writer's lock: one transaction, durable when it ends well.

        Deltas committed inside become durable together; a failure undoes them all. Readers
        pass meanwhile (they are kept out only while a Delta is applied), so for the length of
        one transaction they may see what is not durable yet. Raises InvalidInput where the
        memory is read_only, EmbedderMismatch while it is re-embedded.
        """
        self.ensure_open()
        if self.read_only:
            raise InvalidInput("this memory was opened read_only: open it for writing")
        with self._lock:
            if self._begun:
                yield self.state
                return
            before: int | None = None
            generation = self._generation
            done = False
            try:
                with self.store.writing():
                    with self._gate.changing():
                        self._follow()
                        self._applied, self._begun = [], True
                    if self._frozen:
                        check_embedder(self.store, self.embedder)
                    before, generation = self.state.seq, self._generation
                    yield self.state
                done = True
                self._unsettled = False
            finally:
                if not done and before is not None:
                    self._generation = generation
                    self._undo(before)
                self._applied, self._begun = [], False

    def _undo(self, before: int) -> None:
        """Take back what a failed transaction had applied; where that fails, build anew later."""
        with self._gate.changing(), suppress(MagsError):
            if self._torn:
                return
            self._torn = True
            for delta in reversed(self._applied):
                self.state.apply(delta.inverse())
            self.state.seq = before
            self._torn = self._unsettled = False

    def commit(self, delta: Delta) -> int:
        """Append a Delta and apply it; inside `writing()` only. Returns its sequence."""
        if not self._begun:
            raise RuntimeError("commit belongs inside writing()")
        self._check_vectors(delta)
        self._unsettled = True
        seq = self.store.journal.append(delta)
        with self._gate.changing():
            self._torn = True
            self.state.apply(delta, seq)
            self._applied.append(delta)
            self._torn = False
        self._weight += weight_of(delta)
        return seq

    def _check_vectors(self, delta: Delta) -> None:
        lengths = {len(c.vector) for c in delta.contents if c.vector is not None}
        if lengths - {self.state.vectors.dimension}:
            raise EmbedderMismatch(
                "this memory was re-embedded in the meantime: try again",
                given=lengths,
                dimension=self.state.vectors.dimension,
            )

    @contextmanager
    def settled(self) -> Iterator[State]:
        """The state while no transaction of this process is under way; for pictures of it."""
        with self._lock, self.reading() as state:
            yield state

    def erase(self, node_ids: Sequence[int]) -> int:
        """Erase contents on all branches, inside `writing()`, after the Delta that removes them.

        Returns how many went. Every other handle on the memory learns of it."""
        erased = self.store.contents.erase(node_ids)
        self._generation = renew(self.store)
        return erased

    @property
    def generation(self) -> int:
        """Which erasures the state knows of."""
        return self._generation

    # -- keeping it fast ---------------------------------------------------------

    def tidy(self, *, always: bool = False) -> None:
        """After long work: a checkpoint and a fresh HNSW graph, where they are worth it.

        They are made in a thread of their own (with `always` a checkpoint at once), and hold up
        readers never, writers only while it is written. They only spare time later, so what
        fails here is let pass.
        """
        if always:
            with suppress(StoreError, InvalidInput):
                self.checkpoint(rebuild=False)
        if not (self._weight >= CHECKPOINT_AFTER or self.state.vectors.stale):
            return
        with self._renewing:
            if self._tidying is None or not self._tidying.is_alive():
                self._tidying = threading.Thread(target=self._tidy, name="mags-tidy")
                self._tidying.start()

    def _tidy(self) -> None:
        with suppress(MagsError):
            self.checkpoint()

    def rest(self) -> None:
        """Wait until what `tidy` began is done."""
        with self._renewing:
            tidying = self._tidying
        if tidying is not None:
            tidying.join()

    def checkpoint(self, *, rebuild: bool = True) -> None:
        """Write the packed state, so that the next opening is fast.

        With it the HNSW graph is built afresh where that is due (unless not `rebuild`).
        """
        with self._saving:
            if rebuild and self.state.vectors.stale:
                self._renew_vectors()
            with self.settled() as state:
                generation, weight = self._generation, self._weight
                seq, tick, arrays = state.seq, state.graph.tick, state.packed()
            packed = Checkpoint(seq=seq, branch=self.store.branch, tick=tick, arrays=arrays)
            saved = self._save(packed, generation)
            with self._lock:
                self._weight = max(0.0, self._weight - weight * saved)

    def _save(self, packed: Checkpoint, generation: int) -> bool:
        """Keep a picture of the state, unless what it holds is out of date by now."""
        store = self.store
        with store.writing():
            if generation_of(store) != generation or is_reembedding(store):
                return False
            with suppress(NotFound):  # folded behind it: there is a newer one
                next(iter(store.journal.since(packed.seq)), None)
                store.points.save(packed)
                return True
        return False

    def _renew_vectors(self) -> None:
        with self.settled() as state:
            vectors, picture = state.vectors, state.vectors.picture()
        graph = picture.build()
        with self._gate.changing():
            vectors.adopt(graph)

    @contextmanager
    def succeeding(self, embedder: Embedder) -> Iterator[None]:
        """For the length of a re-embedding: `embedder` is taken up as soon as it is done."""
        self._successor = embedder
        try:
            yield
        finally:
            with self.reading():
                self._successor = None
        self.tidy(always=True)

    def _succeeded(self) -> bool:
        successor = self._successor
        if successor is None or self.store.facts.get("embedder") != successor.name:
            return False
        self.embedder, self._frozen = successor, False
        self._rebuild()
        return True

    # -- life --------------------------------------------------------------------

    def close(self) -> None:
        """Checkpoint if much came since the last one, and let go of the store."""
        self.rest()
        with self._lock:
            if self._closed:
                return
            try:
                if not self.read_only and self._weight >= CHECKPOINT_AFTER:
                    with suppress(StoreError, InvalidInput):
                        self.checkpoint(rebuild=False)
            finally:
                self._closed = True
                self.store.close()

    def clear(self) -> None:
        """Let go at once of what another handle erased; what fails here, the next reading tells."""
        with suppress(MagsError), self.reading():
            pass

    def ensure_open(self) -> None:
        """Raise StoreClosed after `close`."""
        if self._closed:
            raise StoreClosed("this memory is closed: open it again with mags.open")

    def embed(self, texts: Sequence[str]) -> dict[str, Any]:
        """Half-precision vectors by text, each text embedded once."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        vectors = np.asarray(self.embedder.embed(distinct), np.float16)
        return dict(zip(distinct, vectors, strict=True))
