"""Semantic memory in weights: what a memory holds for sure, taught to an adapter and taken back."""
