"""Heads on the states of the embedder that is loaded anyway: taggers and probes in numpy."""
