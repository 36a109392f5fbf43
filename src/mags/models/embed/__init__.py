"""Embedders: the shipped model, model folders, servers, a cache, and one without a model."""

from mags.models.embed.cache import CachedEmbedder
from mags.models.embed.hashing import HashEmbedder
from mags.models.embed.onnx import OnnxEmbedder
from mags.models.embed.openai import EmbeddingServer, OpenAIEmbedder
from mags.models.embed.sentence_transformers import SentenceTransformersEmbedder

__all__ = [
    "CachedEmbedder",
    "EmbeddingServer",
    "HashEmbedder",
    "OnnxEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformersEmbedder",
]
