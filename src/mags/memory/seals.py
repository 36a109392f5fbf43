"""Seals: keyed hashes of what must not be kept, and which embedder a memory is bound to."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from mags.errors import EmbedderMismatch, KeyConflict
from mags.graph.delta import Delta
from mags.ports.embedder import Embedder
from mags.ports.store import Journal, Store

TARGET = "reembedding"
"""The fact that names the embedder an unfinished re-embedding goes to; "" when finished."""

GENERATION = "generation"
"""The fact that counts what the journal of a branch does not tell: erasures, new embedders."""


class Seals:
    """Idempotency keys and payloads as keyed hashes, and what was written under them."""

    def __init__(self, secret: bytes, journal: Journal) -> None:
        """Keyed by the secret of a memory."""
        self._secret = secret
        self._journal = journal

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
        found = self._journal.find_key(self.hashed("key", key))
        if found is not None and found.payload != payload:
            raise KeyConflict(
                f"the key {key[:80]!r} was used before with another payload: "
                "this one was not written",
                key=key,
            )
        return found


def generation_of(store: Store) -> int:
    """How often a memory changed beside the journals of its branches."""
    return int(store.facts.get(GENERATION) or 0)


def renew(store: Store) -> int:
    """Tell every handle that the memory changed beside the journal; returns the generation."""
    generation = generation_of(store) + 1
    store.facts.put(GENERATION, str(generation))
    return generation


def is_reembedding(store: Store) -> bool:
    """Whether a re-embedding is under way or was interrupted."""
    return bool(store.facts.get(TARGET))


def check_embedder(
    store: Store, embedder: Embedder, *, reading: bool = False, read_only: bool = False
) -> None:
    """Record the embedder of a new memory; refuse another one for an old memory.

    `reading`: go on reading the vectors held in memory while a re-embedding is under way;
    `read_only`: record nothing.
    """
    unfinished = store.facts.get(TARGET)
    if unfinished and not reading:
        raise EmbedderMismatch(
            f"a re-embedding of this memory to {unfinished!r} is under way or was interrupted: "
            "wait for it, or run `mags reembed` again to finish it",
            recorded=unfinished,
            given=embedder.name,
        )
    recorded = store.facts.get("embedder")
    if recorded is None and not read_only:
        with store.writing():
            store.facts.put("embedder", embedder.name)
            store.facts.put("dimension", str(embedder.dimension))
    elif recorded is not None and recorded != embedder.name:
        raise EmbedderMismatch(
            f"this memory was written with the embedder {recorded!r}, not {embedder.name!r}: "
            "open it with that one, or change it with `mags reembed`",
            recorded=recorded,
            given=embedder.name,
        )
    elif recorded is not None:
        _check_dimension(store, embedder)


def _check_dimension(store: Store, embedder: Embedder) -> None:
    dimension = store.facts.get("dimension")
    if dimension is not None and int(dimension) != embedder.dimension:
        raise EmbedderMismatch(
            f"this memory holds vectors of dimension {dimension}, and {embedder.name!r} now makes "
            f"{embedder.dimension}: open it with what made them, or change it with `mags reembed`",
            recorded=int(dimension),
            given=embedder.dimension,
        )
