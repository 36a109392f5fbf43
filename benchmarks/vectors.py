"""An embedder that keeps every vector on disk, so that a suite embeds each text once, ever.

What it spends is counted in `seconds` of processor time: search and add times
are reported without it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mags.models.embed.onnx import OnnxEmbedder
from mags.ports.embedder import Embedder, Tokens, token_embedder


class DiskEmbedder:
    """Vectors by text in one SQLite file a model, read into memory as they are asked for."""

    def __init__(self, folder: Path, inner: Embedder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._held: dict[bytes, NDArray[np.float32]] = {}
        name = inner.name.replace(":", "-").replace("/", "-")
        self._disk = sqlite3.connect(folder / f"{name}.sqlite", timeout=60, check_same_thread=False)
        self._disk.execute("create table if not exists vector (key blob primary key, data blob)")
        look = getattr(inner, "look", "")
        self._words = f"words_{look}"
        if look:
            self._disk.execute(
                f"create table if not exists {self._words}"
                " (key blob primary key, rows blob, weights blob)"
            )
        self.seconds = 0.0

    @property
    def name(self) -> str:
        """The name of the embedder inside."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """The dimension of the embedder inside."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension), embedding only what was never seen."""
        began = time.process_time()
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._held}
        missing = {k: t for k, t in missing.items() if not self._read(k)}
        todo = list(missing.items())
        for start in range(0, len(todo), 512):
            self._make(todo[start : start + 512])
        found = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, key in enumerate(keys):
            found[row] = self._held[key]
        self.seconds += time.process_time() - began
        return found

    @property
    def look(self) -> str:
        """What makes the tokens of the embedder inside."""
        return getattr(self._inner, "look", "")

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Those of the embedder inside, kept on disk as vectors are."""
        began = time.process_time()
        inner = token_embedder(self._inner)
        assert inner is not None
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        found = {key: made for key in keys if (made := self._words_of(key)) is not None}
        lacking = {k: t for k, t in zip(keys, texts, strict=True) if k not in found}
        if lacking:
            found.update(zip(lacking, inner.tokens(list(lacking.values())), strict=True))
            with self._disk:
                self._disk.executemany(
                    f"insert or ignore into {self._words} values (?, ?, ?)",
                    [(k, found[k].rows.tobytes(), found[k].weights.tobytes()) for k in lacking],
                )
        self.seconds += time.process_time() - began
        return [found[key] for key in keys]

    def _words_of(self, key: bytes) -> Tokens | None:
        select = f"select rows, weights from {self._words} where key = ?"
        row = self._disk.execute(select, (key,)).fetchone()
        if row is None:
            return None
        weights = np.frombuffer(row[1], np.float32)
        rows = np.frombuffer(row[0], np.int8)
        shape = len(weights), len(rows) // max(1, len(weights))  # an empty text has no words
        return Tokens(rows=rows.reshape(shape), weights=weights)

    def _read(self, key: bytes) -> bool:
        row = self._disk.execute("select data from vector where key = ?", (key,)).fetchone()
        if row:
            self._held[key] = np.frombuffer(row[0], dtype=np.float32)
        return row is not None

    def _make(self, batch: Sequence[tuple[bytes, str]]) -> None:
        fresh = self._inner.embed([text for _, text in batch])
        for (key, _), vector in zip(batch, fresh, strict=True):
            self._held[key] = vector.copy()
        with self._disk:
            self._disk.executemany(
                "insert or ignore into vector values (?, ?)",
                [(key, self._held[key].tobytes()) for key, _ in batch],
            )


class Timed:
    """Any embedder, with the time spent in it counted in `seconds`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.seconds = 0.0

    @property
    def name(self) -> str:
        """The name of the embedder inside."""
        return self._inner.name

    @property
    def dimension(self) -> int:
        """The dimension of the embedder inside."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the embedder inside."""
        began = time.perf_counter()
        found = self._inner.embed(texts)
        self.seconds += time.perf_counter() - began
        return found

    @property
    def look(self) -> str:
        """What makes the tokens of the embedder inside."""
        return getattr(self._inner, "look", "")

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Those of the embedder inside."""
        began = time.perf_counter()
        inner = token_embedder(self._inner)
        assert inner is not None
        found = inner.tokens(texts)
        self.seconds += time.perf_counter() - began
        return found


def shipped(cache: Path) -> DiskEmbedder:
    """The embedder MAGS ships, with its vectors kept under `cache`."""
    return DiskEmbedder(cache, OnnxEmbedder())
