"""Heads on the states of the embedder that is loaded anyway: taggers and probes in numpy."""

from mags.models.policy.heads.policy import HeadsPolicy

__all__ = ["HeadsPolicy"]
