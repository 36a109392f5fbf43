"""Activation that flows over the graph."""
