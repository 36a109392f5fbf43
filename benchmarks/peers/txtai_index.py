"""txtai: hybrid (its BM25 and dense, half and half) and the graph search over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from txtai import Embeddings

from mags.ports.embedder import Embedder


class Txtai:
    """An index; with `graph` a search returns a subgraph, read by its centrality as txtai does."""

    def __init__(self, embedder: Embedder, *, graph: bool = False) -> None:
        def transform(texts: Sequence[Any]) -> Any:  # noqa: ANN401 - txtai's own untyped hook
            return embedder.embed([str(text) for text in texts])

        settings: dict[str, Any] = {
            "method": "external",
            "transform": transform,
            "hybrid": True,
            "content": graph,
        }
        if graph:
            settings["graph"] = {"limit": 15, "minscore": 0.1}
        self._graph = graph
        self._index = Embeddings(settings)

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Index all texts at once."""
        self._index.index([(i, text, None) for i, text in zip(ids, texts, strict=True)])

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best."""
        if not self._graph:
            return [identifier for identifier, _ in self._index.search(query, k)]
        found = self._index.search(query, k, graph=True)
        return [found.attribute(node, "id") for node in found.centrality()][:k]
