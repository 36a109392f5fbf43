"""mem0 with `infer=False`: texts are stored as they are, in its default store (Qdrant, local).

Its keyword search needs fastembed, which downloads a file when first used;
without it mem0 says so and searches by vectors alone, as measured here. The
same holds for its entity boost, which needs a spaCy model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

from mags.ports.embedder import Embedder

_USER = "benchmark"


class _Given(EmbeddingBase):
    """The suite's embedder behind mem0's interface."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return one vector as a list."""
        return [float(x) for x in self._embedder.embed([text])[0]]


class Mem0:
    """One memory in a folder of its own."""

    def __init__(self, embedder: Embedder) -> None:
        self._folder = tempfile.TemporaryDirectory()
        unused = {"provider": "openai", "config": {"api_key": "unused"}}
        qdrant = {"path": self._folder.name, "embedding_model_dims": embedder.dimension}
        self._memory = Memory.from_config(
            {
                "llm": unused,
                "embedder": unused,
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "history_db_path": ":memory:",
            }
        )
        self._memory.embedding_model = _Given(embedder)

    @property
    def memory(self) -> Memory:
        """mem0's own."""
        return self._memory

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add one text after another: mem0 has no bulk call."""
        for identifier, text in zip(ids, texts, strict=True):
            self._memory.add(text, user_id=_USER, metadata={"known_as": identifier}, infer=False)

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best."""
        found: dict[str, Any] = self._memory.search(
            query, top_k=k, filters={"user_id": _USER}, threshold=0.0
        )
        return [item["metadata"]["known_as"] for item in found["results"]]
