"""LangGraph's store, Chroma and LlamaIndex's fusion of vectors and BM25."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

import chromadb
from langgraph.store.memory import InMemoryStore
from llama_index.core import Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever
from pydantic import PrivateAttr

from mags.ports.embedder import Embedder

_SPACE = ("benchmark",)


class LangGraphStore:
    """`InMemoryStore` with an index over the field `text`."""

    def __init__(self, embedder: Embedder) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [row.tolist() for row in embedder.embed(list(texts))]

        self._store = InMemoryStore(
            index={"dims": embedder.dimension, "embed": embed, "fields": ["text"]}
        )

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Put one item after another."""
        for identifier, text in zip(ids, texts, strict=True):
            self._store.put(_SPACE, identifier, {"text": text})

    def search(self, query: str, k: int) -> list[str]:
        """Return the keys of the k best."""
        return [item.key for item in self._store.search(_SPACE, query=query, limit=k)]


class Chroma:
    """An in-memory collection, cosine distance, vectors handed in."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        client = chromadb.EphemeralClient()
        self._collection = client.create_collection(
            uuid.uuid4().hex, configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Add in batches of 5,000, the most that Chroma takes."""
        vectors = self._embedder.embed(list(texts))
        for start in range(0, len(ids), 5000):
            part = slice(start, start + 5000)
            self._collection.add(
                ids=list(ids[part]), documents=list(texts[part]), embeddings=vectors[part]
            )

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best."""
        found = self._collection.query(
            query_embeddings=self._embedder.embed([query]), n_results=k, include=[]
        )
        return list(found["ids"][0])


class _Given(BaseEmbedding):
    """The suite's embedder behind LlamaIndex's interface."""

    _embedder: Any = PrivateAttr()

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(model_name="given", embed_batch_size=512)
        self._embedder = embedder

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embedder.embed([query])[0].tolist()  # type: ignore[no-any-return]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [row.tolist() for row in self._embedder.embed(texts)]


class LlamaIndexFusion:
    """`QueryFusionRetriever` over a vector index and BM25, reciprocal ranks, one query."""

    def __init__(self, embedder: Embedder) -> None:
        Settings.llm = MockLLM()
        self._embedding = _Given(embedder)

    def store(self, ids: Sequence[str], texts: Sequence[str]) -> None:
        """Index all texts at once."""
        nodes = [TextNode(id_=i, text=text) for i, text in zip(ids, texts, strict=True)]
        self._nodes = nodes
        self._index = VectorStoreIndex(nodes, embed_model=self._embedding)
        self._fused: dict[int, QueryFusionRetriever] = {}

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the k best."""
        k = min(k, len(self._nodes))
        if k not in self._fused:
            vector = self._index.as_retriever(similarity_top_k=k)
            words = BM25Retriever.from_defaults(nodes=self._nodes, similarity_top_k=k)
            self._fused[k] = QueryFusionRetriever(
                [vector, words],
                similarity_top_k=k,
                num_queries=1,
                mode="reciprocal_rerank",
                use_async=False,
            )
        return [found.node.node_id for found in self._fused[k].retrieve(query)]
