"""A branch held open: its store, its state in memory, and the one way to change them."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mags.errors import EmbedderMismatch, KeyConflict, StoreClosed, StoreError
from mags.graph.delta import Delta
from mags.index.ids import Ids
from mags.index.state import State
from mags.memory.gate import Gate
from mags.ports.embedder import Embedder
from mags.ports.store import Checkpoint, Store

CHECKPOINT_AFTER = 512
"""Journal entries since the last checkpoint after which closing writes a new one."""


class Live:
    """Store and state of one branch, kept at the same sequence.

    `reading()` catches up with other processes and holds the state still; `writing()` holds
    the writer's lock; `commit` makes a Delta durable, then visible.
    """

    def __init__(self, store: Store, embedder: Embedder, clock: Callable[[], float]) -> None:
        """Load the newest checkpoint and replay what came after; raises StoreError."""
        self.store = store
        self.embedder = embedder
        self.clock = clock
        self._gate = Gate()
        self._lock = threading.RLock()
        self._closed = False
        check_embedder(store, embedder)
        secret = store.facts.get("secret")
        if secret is None:
            raise StoreError("this memory has no secret: it was not made by MAGS")
        self._secret = bytes.fromhex(secret)
        self.ids = Ids(store.contents.next_id)
        self.state = self._load()
        self._checkpoint_seq = self.state.seq
        self._replay()

    def _load(self) -> State:
        state = State(
            dimension=self.embedder.dimension,
            secret=self._secret,
            fetch=self.store.contents.get,
            fetch_whole=self.store.contents.scan,
        )
        checkpoint = self.store.points.load()
        if checkpoint is not None:
            state.unpack(checkpoint.arrays, tick=checkpoint.tick, seq=checkpoint.seq)
        return state

    def _replay(self) -> None:
        if self.store.journal.head() == self.state.seq:
            return
        for entry in self.store.journal.since(self.state.seq):
            self.state.apply(entry.delta, entry.seq)

    def reload(self) -> None:
        """Build the state afresh from the store (after an erasure by another process)."""
        with self._gate.changing():
            self.state = self._load()
            self._replay()

    @contextmanager
    def reading(self) -> Iterator[State]:
        """The state, at rest and up to date."""
        self.ensure_open()
        if self.store.journal.head() > self.state.seq:
            with self._gate.changing():
                self._replay()
        with self._gate.reading():
            yield self.state

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The state under the writer's lock: one transaction, durable when it ends well.

        Deltas committed inside become durable together; a failure undoes them all. Readers
        pass meanwhile (they are kept out only while a Delta is applied), so for the length of
        one transaction they may see what is not durable yet.
        """
        self.ensure_open()
        with self._lock:
            applied: list[Delta] = []
            self._applied = applied
            before = self.state.seq
            try:
                with self.store.writing():
                    if self.store.journal.head() > self.state.seq:
                        with self._gate.changing():
                            self._replay()
                    before = self.state.seq
                    yield self.state
            except BaseException:
                with self._gate.changing():
                    for delta in reversed(applied):
                        self.state.apply(delta.inverse())
                    self.state.seq = before
                raise

    def commit(self, delta: Delta) -> int:
        """Append a Delta and apply it; inside `writing()` only. Returns its sequence."""
        seq = self.store.journal.append(delta)
        with self._gate.changing():
            self.state.apply(delta, seq)
        self._applied.append(delta)
        return seq

    def hashed(self, *words: str) -> str:
        """A keyed hash (hex) of words that must not be kept."""
        data = "\x1f".join(words).encode()
        return hashlib.blake2b(data, digest_size=16, key=self._secret).hexdigest()

    def payload(self, **parts: Any) -> str:
        """A keyed hash of what came with an idempotency key."""
        return self.hashed(json.dumps(parts, sort_keys=True, default=str))

    def earlier(self, key: str | None, payload: str) -> Delta | None:
        """The Delta already written under a key; raises KeyConflict for another payload."""
        if key is None:
            return None
        found = self.store.journal.find_key(self.hashed("key", key))
        if found is not None and found.payload != payload:
            raise KeyConflict(
                f"the key {key!r} was used before with another payload: nothing was written",
                key=key,
            )
        return found

    def checkpoint(self) -> None:
        """Write the packed state, so that the next opening is fast."""
        with self._gate.reading():
            state = self.state
            packed = Checkpoint(
                seq=state.seq,
                branch=self.store.branch,
                tick=state.graph.tick,
                arrays=state.packed(),
            )
        self.store.points.save(packed)
        self._checkpoint_seq = packed.seq

    def erased(self, node_ids: Sequence[int]) -> None:
        """Take forgotten nodes out of every index and cache, and pack what is left."""
        with self._gate.changing():
            self.state.erase(node_ids)
        self.checkpoint()

    def change_embedder(self, embedder: Embedder) -> None:
        """Take up the vectors another embedder has made, and pack them."""
        with self._gate.changing():
            self.embedder = embedder
            self.state.revector(self.store.contents.scan(), embedder.dimension)
        self.checkpoint()

    def close(self) -> None:
        """Checkpoint if much came since the last one, and let go of the store."""
        if self._closed:
            return
        try:
            if self.state.seq - self._checkpoint_seq >= CHECKPOINT_AFTER:
                self.checkpoint()
        finally:
            self._closed = True
            self.store.close()

    def ensure_open(self) -> None:
        """Raise StoreClosed after `close`."""
        if self._closed:
            raise StoreClosed("this memory is closed: open it again with mags.open")

    def embed(self, texts: Sequence[str]) -> dict[str, Any]:
        """Half-precision vectors by text, each text embedded once."""
        distinct = list(dict.fromkeys(texts))
        vectors = self.embedder.embed(distinct)
        return dict(zip(distinct, vectors.astype("float16"), strict=True))


def check_embedder(store: Store, embedder: Embedder) -> None:
    """Record the embedder of a new memory; refuse another one for an old memory."""
    unfinished = store.facts.get("reembedding")
    if unfinished:
        raise EmbedderMismatch(
            "a re-embedding of this memory was interrupted: run `mags reembed` again to finish it",
            recorded=unfinished,
            given=embedder.name,
        )
    recorded = store.facts.get("embedder")
    if recorded is None:
        store.facts.put("embedder", embedder.name)
        store.facts.put("dimension", str(embedder.dimension))
    elif recorded != embedder.name:
        raise EmbedderMismatch(
            f"this memory was written with the embedder {recorded!r}, not {embedder.name!r}: "
            "open it with that one, or change it with `mags reembed`",
            recorded=recorded,
            given=embedder.name,
        )
