"""Embedder: texts to vectors of unit length, whatever a text holds; and what wraps one.

A cache keeps recent vectors, limited in bytes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from mags import caches
from mags.ports.pausing import span

STEP = np.float32(1 / 254)
"""What one step of a kept row of a token is worth: few numbers of a unit row are beyond a half."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tokens:
    """The words of a text as the second look sees them: int8 rows (t, width), each `STEP`.

    `weights`: how much each counts where the text asks, (t,).
    """

    rows: NDArray[np.int8]
    weights: NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors; the same text gives the same vector, whatever stands beside it."""

    @property
    def name(self) -> str:
        """Stable identity (model, quantisation, checksum); a memory records it."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), rows of unit length, in order.

        A text longer than the model's window is split, never cut. Raises ModelError.
        """


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also says what the words of a text are, for the second look."""

    @property
    def look(self) -> str:
        """Stable identity of what makes the rows; a memory records it. "" where nothing does."""

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Of each text, in order; little work right after the text was embedded."""


def token_embedder(embedder: Embedder) -> TokenEmbedder | None:
    """The embedder, if it knows the words of a text."""
    return cast(TokenEmbedder, embedder) if getattr(embedder, "look", "") else None


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Rows of `vectors` (n, d) scaled to length 1; a row of zeros becomes the first axis."""
    exact = np.array(vectors, dtype=np.float64)
    length = np.linalg.norm(exact, axis=1, keepdims=True)
    exact[(length == 0)[:, 0], 0] = 1.0
    return (exact / np.where(length == 0, 1.0, length)).astype(np.float32)


def encodable(text: str) -> str:
    """The text with question marks for characters that have no UTF-8 form."""
    # A lone surrogate, from broken JSON, is a legal str but not legal UTF-8.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# The size of an entry beside its floats: the digest, the array object and the table's slot.
_ENTRY_OVERHEAD_BYTES = 320


class WrappedEmbedder:
    """What is as the embedder inside: all but `embed`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The name of the embedder inside."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The dimension of the embedder inside."""
        return self._embedder.dimension

    @property
    def look(self) -> str:
        """What makes the tokens inside; "" where nothing does."""
        return getattr(self._embedder, "look", "")

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Those of the embedder inside, which keeps them from when the texts were embedded."""
        inner = token_embedder(self._embedder)
        assert inner is not None
        return inner.tokens(texts)


class CachedEmbedder(WrappedEmbedder):
    """Beyond `max_bytes` the least recently used vectors are dropped.

    Safe in threads. Keys are BLAKE2b digests, so the cache holds no text, and `forget` only has to
    drop vectors (see `clear`).
    """

    def __init__(self, embedder: Embedder, *, max_bytes: int = 32 * 2**20) -> None:
        super().__init__(embedder)
        self._max_bytes = max_bytes
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()
        caches.register(self)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension); each text not in the cache is embedded once."""
        keys = [key_of(text) for text in texts]
        vectors: dict[bytes, NDArray[np.float32]] = {}
        missing: dict[bytes, str] = {}
        with self._lock:
            for key, text in zip(keys, texts, strict=True):
                if key in self._vectors:
                    self._vectors.move_to_end(key)
                    vectors[key] = self._vectors[key]
                else:
                    missing[key] = text
        # Outside the lock, so that threads embed side by side. Two may embed the same text.
        if missing:
            with span("embedding"):
                fresh = self._embedder.embed(list(missing.values()))
            vectors.update(zip(missing, fresh, strict=True))
            self._keep(missing, fresh)
        if not keys:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([vectors[key] for key in keys])

    def clear(self) -> None:
        """Drop every vector, so that `forget` reaches this cache, too."""
        with self._lock:
            self._vectors.clear()

    def _keep(self, keys: Iterable[bytes], vectors: NDArray[np.float32]) -> None:
        room = self._max_bytes // (4 * self.dimension + _ENTRY_OVERHEAD_BYTES)
        with self._lock:
            for key, vector in zip(keys, vectors, strict=True):
                # A copy: a row is a view that would keep its whole batch in memory.
                self._vectors[key] = vector.copy()
            while len(self._vectors) > room:
                self._vectors.popitem(last=False)


def key_of(text: str) -> bytes:
    """What stands for a text in a cache that is to hold no words: a digest of 16 bytes."""
    # "surrogatepass", since a text may hold a lone surrogate, and no two texts may share a key.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
