"""Nested questions taken apart: from the name inside outwards, one relation at a time."""

from __future__ import annotations

from mags.ports.policy import Hop


def hops_of(text: str, speaker: str) -> tuple[Hop, ...]:
    """Return the hops of a question, innermost first; () where it cannot be taken apart."""
    return ()
