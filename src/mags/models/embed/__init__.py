"""Embedders behind one port: the shipped model, folders, servers, a cache and a fake."""

from mags.models.embed.cache import CachedEmbedder
from mags.models.embed.hashing import HashEmbedder
from mags.models.embed.onnx import OnnxEmbedder

__all__ = ["CachedEmbedder", "HashEmbedder", "OnnxEmbedder"]
