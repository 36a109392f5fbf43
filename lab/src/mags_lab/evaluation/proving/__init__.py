"""The proving ground: what matches tell about a memory, measured by pure functions.

Every measure is defined in docs/reference/metrics.md.
"""
