"""The proving ground: measures of a memory from the matches that are played with it.

Every measure is defined in docs/reference/metrics.md.
"""
