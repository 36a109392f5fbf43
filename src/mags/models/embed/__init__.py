"""Embedders: the shipped model, model folders, servers, a cache, and one without a model."""
