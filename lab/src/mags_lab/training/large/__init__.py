"""Adapters for language models that others trained: any causal model of a Hugging Face folder."""
