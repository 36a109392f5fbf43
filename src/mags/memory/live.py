"""An open branch: its store, its state in RAM, and the one way to change them.

Besides: how the journal is replayed, which embedder a memory is bound to and how it gets another
one, and the lock that readers share.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mags import caches, errors
from mags.graph.delta import Changes, Delta, Draft
from mags.graph.records import Content
from mags.index.state import Ids, State
from mags.ports.embedder import Embedder, TokenEmbedder, token_embedder
from mags.ports.pausing import held
from mags.ports.store import Checkpoint, Store

CHECKPOINT_AFTER = 512
"""Journal entries since the last checkpoint after which a new one is worth writing."""
CHECKPOINT_AT_CLOSE = 64
"""The same of a memory that is closed: replaying 500 takes 70 ms at an opening, a checkpoint 3."""
REPLAYED_AT_ONCE = 256
"""Journal entries taken together when the state is brought up to date."""
RECORDS_AN_ENTRY = 100
"""Changed records that weigh as much as one more entry when the journal is replayed."""
REEMBEDDED_AT_ONCE = 256
"""Contents that are embedded together."""
PUT_AT_ONCE = 2000
"""Vectors that are put in one call."""
LOOK_AGAIN_S = 0.5
"""A waiting thread looks again after so long: an interrupted one may not have notified it."""
LOOK = "look"
"""The fact that names what made the tokens of turns; "" or none where there are none."""
MIXED = "reembedding"
"""The fact that an older MAGS left where it was killed at re-embedding: vectors are mixed."""
GENERATION, PEPPERED = "generation", "peppered"
"""The fact that counts what the journal of a branch does not tell: erasures, new embedders."""

Progress = Callable[[int, int], None]
"""Called with how many of how many are done."""


class Live:
    """Store and state of one branch, kept at the same sequence.

    `reading()` catches up with other processes and keeps the state as it is; `writing()` holds
    the writer's lock; `commit` makes a Delta durable, then visible. Where an interrupt may have
    left the state half changed, it is rebuilt from the store before anybody reads it.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        clock: Callable[[], float],
        *,
        read_only: bool = False,
        pepper: str = "",
    ) -> None:
        """Load the newest checkpoint and replay what came after; raises StoreError.

        `pepper`: see `hash_key`.
        """
        self.store = store
        self.embedder = embedder
        self.clock = clock
        self.read_only = read_only
        self._state_lock = ReadWriteLock()
        self._lock = threading.RLock()
        self.closed = False
        """Whether `close` was called."""
        self._half_applied = False
        """The state may be half changed."""
        self._uncommitted = False
        """The state may hold what the store does not."""
        self._in_transaction = False
        """A transaction of this object is open: nobody else can have written."""
        self._applied: list[Delta] = []
        self._new_embedder: Embedder | None = None
        self._saving, self._renewing = threading.Lock(), threading.Lock()
        self._tidying: threading.Thread | None = None
        self._secret = hash_key(store, pepper, read_only=read_only)  # first: it marks a new memory
        check_embedder(store, embedder, read_only=read_only)
        self.ids = Ids(store.contents.next_id)
        self.generation = 0
        """Which erasures the state knows of."""
        self._rebuild()
        self._cleared = self.generation
        """Which erasures this process' caches of texts know of."""
        caches.register(self)

    # -- keeping up --------------------------------------------------------------

    def _rebuild(self) -> None:
        """Build the state anew from the store."""
        self._half_applied = True
        generation = generation_of(self.store)
        state = self._load()
        try:
            weight = self._replay(state)
        except errors.NotFound:
            # Compacted between the two: the checkpoint that allowed it is there by now.
            state = self._load()
            weight = self._replay(state)
        self._drop_forgotten(state)
        state.reindex()
        self.state, self._weight = state, weight
        self.generation = generation
        self._applied.clear()
        self._uncommitted = self._half_applied = False

    def _load(self) -> State:
        state = State(
            dimension=self.embedder.dimension,
            secret=self._secret,
            fetch=self.store.contents.get,
            fetch_whole=self.store.contents.scan,
            fetch_tokens=self.store.contents.tokens,
        )
        try:
            checkpoint = self.store.points.load()
        except errors.CorruptFile:
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
        """Remove what was erased on another branch: this branch's journal does not say so."""
        gone = [int(i) for i in self.store.facts.forgotten() if int(i) in state.graph]
        if gone:
            draft = Draft(state.graph)
            for node_id in gone:
                draft.remove_node(node_id)
            state.apply(draft.delta("forget"))

    def _is_stale(self) -> bool:
        return not self._in_transaction and (
            self.store.journal.head() > self.state.seq
            or generation_of(self.store) != self.generation
            or self._uncommitted
        )

    def _catch_up(self) -> None:
        """Take over what other processes and branches wrote; holds the lock alone."""
        if self._half_applied or self._uncommitted:
            self._rebuild()
            return
        generation = generation_of(self.store)
        renewed, successor = generation != self.generation, self._new_embedder
        if renewed and successor and self.store.facts.get("embedder") == successor.name:
            self.embedder = successor
            self._rebuild()
            return
        if renewed:
            check_embedder(self.store, self.embedder)
        elif self.store.journal.head() <= self.state.seq:
            return
        self._half_applied = True
        try:
            self._weight += self._replay(self.state)
        except errors.NotFound:
            self._rebuild()
            return
        if renewed:
            self._drop_forgotten(self.state)
            self.generation = generation
        self._half_applied = False

    # -- reading and writing -----------------------------------------------------

    @contextmanager
    def reading(self, *, fresh: bool = True) -> Iterator[State]:
        """The state, unchanging and up to date; nested, it is the same state as outside.

        Not `fresh`: as this process knows it, for a caller that has just caught up.
        """
        self.ensure_open()
        if not self._state_lock.inside and (fresh or self._half_applied):
            self._keep_up()
            if self._cleared != self.generation and not self._in_transaction:
                # Another process erased something: what it came from leaves this one's caches too.
                generation = self.generation
                caches.clear()
                self._cleared = generation
        with self._state_lock.reading():
            yield self.state

    def _keep_up(self) -> None:
        while self._half_applied or self._is_stale():
            with self._state_lock.changing():
                # An open transaction (or its undoing) catches up in its own thread.
                if not self._in_transaction:
                    self._catch_up()

    @contextmanager
    def writing(self) -> Iterator[State]:
        """The state under the writer's lock: one transaction, durable when the block ends.

        Deltas committed inside become durable together; a failure undoes them all. Readers are
        kept out only while a Delta is applied, so during a transaction they may see what is not
        durable yet. Raises InvalidInput where the memory is read_only, EmbedderMismatch where it
        was re-embedded.
        """
        self.ensure_open()
        if self.read_only:
            raise errors.InvalidInput("this memory was opened read_only: open it for writing")
        with held(self._lock):
            if self._in_transaction:
                yield self.state
                return
            before: int | None = None
            generation, done = self.generation, False
            try:
                with self.store.writing():
                    with self._state_lock.changing():
                        self._catch_up()
                        self._applied, self._in_transaction = [], True
                    before, generation = self.state.seq, self.generation
                    yield self.state
                done = True
                self._uncommitted = False
            finally:
                if not done and before is not None:
                    self.generation = generation
                    self._undo(before)
                self._applied, self._in_transaction = [], False

    def _undo(self, before: int) -> None:
        """Take back what a failed transaction had applied; where that fails, build anew later."""
        with self._state_lock.changing(), suppress(errors.MagsError):
            if self._half_applied:
                return
            self._half_applied = True
            for delta in reversed(self._applied):
                self.state.apply(delta.inverse())
            self.state.seq = before
            self._half_applied = self._uncommitted = False

    def commit(self, delta: Delta) -> int:
        """Append a Delta and apply it; inside `writing()` only. Returns its sequence."""
        if not self._in_transaction:
            raise RuntimeError("commit belongs inside writing()")
        lengths = {len(c.vector) for c in delta.contents if c.vector is not None}
        if lengths - {self.state.vectors.dimension}:
            raise errors.EmbedderMismatch(
                "this memory was re-embedded in the meantime: try again",
                given=lengths,
                dimension=self.state.vectors.dimension,
            )
        # Of turns also their tokens: they were embedded a moment ago.
        made = tokens_of(self.looking, [one for one in delta.contents if not one.tokens])
        whole = (replace(one, tokens=made.get(one.id, one.tokens)) for one in delta.contents)
        kept = replace(delta, contents=tuple(whole))
        self._uncommitted = True
        # Durable first: what readers see can then always be rebuilt from the store.
        seq = self.store.journal.append(kept)
        with self._state_lock.changing():
            self._half_applied = True
            self.state.apply(delta, seq)
            self._applied.append(delta)
            self._half_applied = False
        self._weight += weight_of(delta)
        return seq

    def commit_draft(
        self, draft: Draft, kind: str, *, key: str | None = None, **fields: Any
    ) -> Delta:
        """Commit a draft, recorded now. `fields`: of its Delta; of an idempotency key the hash."""
        delta = draft.delta(
            kind,
            base=self.state.seq,
            recorded_at=self.clock(),
            key=None if key is None else self.hashed("key", key),
            **fields,
        )
        self.commit(delta)
        return delta

    @property
    def looking(self) -> TokenEmbedder | None:
        """The embedder, where this memory keeps what it says of the words of turns."""
        found = token_embedder(self.embedder)
        return found if found and found.look == self.store.facts.get(LOOK) else None

    def present(self) -> float:
        """The present: the clock's time, but never before that of the newest turn."""
        return max(self.clock(), self.state.latest_s)

    @contextmanager
    def committed(self) -> Iterator[State]:
        """The state while this process has no open transaction; for copies of it."""
        with held(self._lock), self.reading() as state:
            yield state

    def erase(self, node_ids: Sequence[int]) -> int:
        """Erase contents on all branches, inside `writing()`, after the Delta that removes them.

        Returns how many. Whoever else has the memory open notices by its generation.
        """
        erased = self.store.contents.erase(node_ids)
        self.generation = bump_generation(self.store)
        return erased

    # -- keeping it fast ---------------------------------------------------------

    def tidy(self, *, always: bool = False) -> None:
        """After long work: write a checkpoint and rebuild the HNSW graph, where that pays.

        Done in a thread of its own (with `always` a checkpoint at once); readers never wait for
        it, writers only while it is written. It only saves time later, so failures are ignored.
        """
        if always:
            with suppress(errors.StoreError, errors.InvalidInput):
                self.checkpoint(rebuild=False)
        if not (self._weight >= CHECKPOINT_AFTER or self.state.vectors.stale):
            return
        with self._renewing:
            if self._tidying is None or not self._tidying.is_alive():
                self._tidying = threading.Thread(target=self._tidy, name="mags-tidy")
                self._tidying.start()

    def _tidy(self) -> None:
        with suppress(errors.MagsError):
            self.checkpoint()

    def wait_for_tidying(self) -> None:
        """Wait until what `tidy` started is done."""
        with self._renewing:
            tidying = self._tidying
        if tidying is not None:
            tidying.join()

    def checkpoint(self, *, rebuild: bool = True) -> None:
        """Write the packed state, so that the next opening is fast.

        `rebuild`: also rebuild the HNSW graph where that is due.
        """
        with held(self._saving):
            if rebuild and self.state.vectors.stale:
                with self.committed() as state:
                    vectors, picture = state.vectors, state.vectors.picture()
                graph = picture.build()  # outside of every lock: it is the long part
                with self._state_lock.changing():
                    vectors.adopt(graph)
            with self.committed() as state:
                generation, weight = self.generation, self._weight
                seq, tick, arrays = state.seq, state.graph.tick, state.packed()
            packed = Checkpoint(seq=seq, branch=self.store.branch, tick=tick, arrays=arrays)
            saved = self._save(packed, generation)
            # What came while it was written is not in it, and still weighs.
            with held(self._lock):
                self._weight = max(0.0, self._weight - weight * saved)

    def _save(self, packed: Checkpoint, generation: int) -> bool:
        """Save a copy of the state, unless it is out of date by now."""
        store = self.store
        with store.writing():
            # Something was erased, or embedded anew: the copy holds what must not come back.
            if generation_of(store) != generation:
                return False
            with suppress(errors.NotFound):  # folded beyond it: there is a newer one
                next(iter(store.journal.since(packed.seq)), None)
                store.points.save(packed)
                return True
        return False

    def reembed(self, embedder: Embedder, on_progress: Progress | None = None) -> int:
        """See `reembed`; the new embedder is taken up as soon as it is done."""
        self._new_embedder = embedder
        try:
            made = reembed(self.store, embedder, on_progress)
        finally:
            with self.reading():
                self._new_embedder = None
        self.tidy(always=True)
        return made

    # -- hashes and vectors of texts ----------------------------------------------

    def hashed(self, *words: str) -> str:
        """A hash (hex) of words that must not be kept, keyed by the secret of the memory."""
        data = "\x1f".join(words).encode()
        return hashlib.blake2b(data, digest_size=16, key=self._secret).hexdigest()

    def payload(self, **parts: Any) -> str:
        """A keyed hash of the arguments that came with an idempotency key."""
        return self.hashed(json.dumps(parts, sort_keys=True, default=str))

    def earlier(self, key: str | None, payload: str) -> Delta | None:
        """The Delta already written under a key; raises KeyConflict for another payload."""
        if key is None:
            return None
        found = self.store.journal.find_key(self.hashed("key", key))
        if found is not None and found.payload != payload:
            raise errors.KeyConflict(
                f"the key {key[:80]!r} was used before with another payload: "
                "this one was not written",
                key=key,
            )
        return found

    def embed(self, texts: Sequence[str]) -> dict[str, Any]:
        """Half-precision vectors by text, each text embedded once."""
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return {}
        vectors = np.asarray(self.embedder.embed(distinct), np.float16)
        return dict(zip(distinct, vectors, strict=True))

    # -- life --------------------------------------------------------------------

    def close(self) -> None:
        """Checkpoint if much came since the last one, and let go of the store."""
        self.wait_for_tidying()
        with self._lock:
            if self.closed:
                return
            try:
                if not self.read_only and self._weight >= CHECKPOINT_AT_CLOSE:
                    with suppress(errors.StoreError, errors.InvalidInput):
                        self.checkpoint(rebuild=False)
            finally:
                self.closed = True
                self.store.close()

    def clear(self) -> None:
        """Catch up now, so that what was erased elsewhere leaves RAM; failures show on reading."""
        with suppress(errors.MagsError):
            self.ensure_open()
            if not self._state_lock.inside:
                self._keep_up()

    def ensure_open(self) -> None:
        """Raise StoreClosed after `close`."""
        if self.closed:
            raise errors.StoreClosed("this memory is closed: open it again with mags.open")


def net_of(deltas: Sequence[Delta]) -> Delta:
    """The net effect of entries, with nodes in the order in which they came.

    What was forgotten is absent in it, not removed.
    """
    if len(deltas) == 1:
        return deltas[0]
    net = Delta.compose(deltas, "replay")
    ids, first = np.unique(np.concatenate([d.nodes.after["id"] for d in deltas]), return_index=True)
    nodes = net.nodes
    order = np.argsort(first[np.searchsorted(ids, nodes.after["id"])], kind="stable")
    sorted_ = Changes(nodes.before[order], nodes.after[order], nodes.had[order], nodes.has[order])
    return replace(net, nodes=sorted_)


def weight_of(delta: Delta) -> float:
    """What replaying a Delta costs, in entries."""
    return 1.0 + (len(delta.nodes) + len(delta.arcs)) / RECORDS_AN_ENTRY


def generation_of(store: Store) -> int:
    """How often a memory changed in a way that the journals of its branches do not tell."""
    return int(store.facts.get(GENERATION) or 0)


def hash_key(store: Store, pepper: str, *, read_only: bool = False) -> bytes:
    """What keys the hashes of words that must not be kept: 16 bytes.

    It is the memory's own secret, which lies in its file, so that whoever has the file can try
    out what was forgotten. A memory that is made with a `pepper` (a secret that lies elsewhere)
    is keyed by both, and cannot be opened without it. Raises ConfigurationError, StoreError.
    """
    secret = store.facts.get("secret")
    if secret is None:
        raise errors.StoreError("this memory has no secret: it was not made by MAGS")
    own, mark = bytes.fromhex(secret), store.facts.get(PEPPERED)
    if mark is None and (not pepper or store.facts.get("embedder") is not None or read_only):
        return own
    both = hashlib.blake2b(own, digest_size=16, key=hashlib.sha256(pepper.encode()).digest())
    known = hashlib.blake2b(digest_size=8, key=both.digest()).hexdigest()
    if mark is None:
        store.facts.put(PEPPERED, known)
    elif mark != known:
        raise errors.ConfigurationError(
            "this memory was made with a secret: set MAGS_SECRET, or `secret` of [memory], to the "
            "one it was made with",
            key="memory.secret",
        )
    return both.digest()


def bump_generation(store: Store) -> int:
    """Count a change that the journal does not tell; returns the new generation."""
    generation = generation_of(store) + 1
    store.facts.put(GENERATION, str(generation))
    return generation


def check_embedder(store: Store, embedder: Embedder, *, read_only: bool = False) -> None:
    """Record the embedder of a new memory; refuse another one for an old memory.

    A memory whose vectors are mixed gets those of this embedder, whichever it is. `read_only`:
    write nothing.
    """
    if mixed := store.facts.get(MIXED):
        if read_only:
            raise errors.EmbedderMismatch(
                f"a re-embedding of this memory to {mixed!r} was interrupted: open it once for "
                "writing, which makes every vector anew",
                recorded=mixed,
                given=embedder.name,
            )
        reembed(store, embedder)
    recorded = store.facts.get("embedder")
    if recorded is None and not read_only:
        with store.writing():
            _record_embedder(store, embedder)
    elif recorded is not None and recorded != embedder.name:
        raise errors.EmbedderMismatch(
            f"this memory was written with the embedder {recorded!r}, not {embedder.name!r}: "
            "open it with that one, or change it with `mags reembed`",
            recorded=recorded,
            given=embedder.name,
        )
    dimension = store.facts.get("dimension")
    if recorded is not None and dimension is not None and int(dimension) != embedder.dimension:
        raise errors.EmbedderMismatch(
            f"this memory holds vectors of dimension {dimension}, and {embedder.name!r} now makes "
            f"{embedder.dimension}: open it with what made them, or change it with `mags reembed`",
            recorded=int(dimension),
            given=embedder.dimension,
        )


def _record_embedder(store: Store, embedder: Embedder) -> None:
    looking = token_embedder(embedder)
    store.facts.put("embedder", embedder.name)
    store.facts.put("dimension", str(embedder.dimension))
    store.facts.put(LOOK, looking.look if looking else "")


def tokens_of(looking: TokenEmbedder | None, contents: Sequence[Content]) -> dict[int, bytes]:
    """What the words of turns among some contents are to the second look, by their ids.

    Documents, which nobody said, have none: on them the look was not trained and bought nothing.
    """
    said = [one for one in contents if one.meta.get("speaker")] if looking else []
    found = looking.tokens([one.text for one in said]) if looking and said else []
    return {one.id: tokens.rows.tobytes() for one, tokens in zip(said, found, strict=True)}


def reembed(store: Store, embedder: Embedder, on_progress: Progress | None = None) -> int:
    """Give every content a vector by `embedder`; returns how many were made.

    All of them are put in one transaction at the end: whoever reads or writes meanwhile goes on
    with the old ones, and an interruption at any point leaves everything as it was.
    """
    looking = token_embedder(embedder)
    same = (store.facts.get(LOOK) or "") == (looking.look if looking else "")
    if store.facts.get("embedder") == embedder.name and same and not store.facts.get(MIXED):
        return 0
    made: dict[int, tuple[NDArray[np.float16], bytes]] = {}

    def embed(count: int) -> list[int]:
        """Vectors for contents that lack one; the ids of all that are there."""
        there = []
        contents = store.contents.scan()
        while batch := list(islice(contents, REEMBEDDED_AT_ONCE)):
            there += [content.id for content in batch]
            fresh = [content for content in batch if content.id not in made]
            if not fresh:
                continue
            vectors = embedder.embed([content.text for content in fresh]).astype(np.float16)
            words = tokens_of(looking, fresh)
            for content, vector in zip(fresh, vectors, strict=True):
                made[content.id] = vector, words.get(content.id, b"")
            if on_progress is not None:
                on_progress(len(made), max(count, len(made)))
        return there

    embed(store.facts.size()["contents"])
    with store.writing():
        there = embed(0)  # what was written meanwhile, too, and without what was forgotten
        for start in range(0, len(there), PUT_AT_ONCE):
            ids = there[start : start + PUT_AT_ONCE]
            vectors = np.stack([made[i][0] for i in ids])
            store.contents.put_vectors(ids, vectors, [made[i][1] for i in ids])
        _record_embedder(store, embedder)
        store.facts.put(MIXED, "")
        bump_generation(store)
    return len(there)


class ReadWriteLock:
    """Readers share it; a changer waits for them and keeps new ones out for a moment.

    Both sides are re-entrant in a thread, and a changer may read. An interrupt while waiting
    or inside leaves the lock as it was before.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._condition = threading.Condition(self._mutex)
        self._readers = 0
        self._changer: int | None = None
        self._waiting = 0
        self._mine = threading.local()

    @property
    def inside(self) -> bool:
        """Whether this thread holds it, as a reader or as the changer."""
        return bool(getattr(self._mine, "reads", False)) or self._changer == threading.get_ident()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold it with other readers."""
        if self.inside:
            yield
            return
        entered = False
        try:
            with self._mutex:
                self._await(lambda: self._changer is None and not self._waiting)
                self._readers += 1
                self._mine.reads = entered = True
            yield
        finally:
            if entered:
                with self._mutex:
                    self._readers -= 1
                    self._mine.reads = False
                    self._condition.notify_all()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold it alone; RuntimeError where this thread is inside as a reader."""
        me = threading.get_ident()
        if self._changer == me:
            yield
            return
        if self.inside:
            raise RuntimeError("a thread cannot change what it is reading: let go of it first")
        entered = False
        try:
            with self._mutex:
                self._waiting += 1
                try:
                    self._await(lambda: self._changer is None and not self._readers)
                finally:
                    self._waiting -= 1
                    self._condition.notify_all()
                self._changer = me
                entered = True
            yield
        finally:
            if entered:
                with self._mutex:
                    self._changer = None
                    self._condition.notify_all()

    def _await(self, free: Callable[[], bool]) -> None:
        while not free():
            self._condition.wait(LOOK_AGAIN_S)
