"""Lines that told what ends of itself: which of them are over."""

from __future__ import annotations

from collections.abc import Sequence

from mags.errors import NotFound
from mags.memory.memory import Memory


class Passing:
    """By episode the facts that it told and that end of themselves, until all of them have."""

    def __init__(self) -> None:
        self.facts: dict[int, tuple[int, ...]] = {}

    def told(self, episode: int, facts: Sequence[int]) -> None:
        """An episode told these facts, which will end."""
        if facts:
            self.facts[episode] = tuple(facts)

    def lapsed(self, memory: Memory, now_s: float) -> list[int]:
        """Episodes of which nothing holds any more, each told of once."""
        over = [
            episode
            for episode, facts in self.facts.items()
            if not any(_holds(memory, fact, now_s) for fact in facts)
        ]
        for episode in over:
            del self.facts[episode]
        return over


def _holds(memory: Memory, fact: int, now_s: float) -> bool:
    """Whether a fact that ends of itself has not ended; one that was forgotten has."""
    try:
        end = memory.get(fact).valid_to
    except NotFound:
        return False
    return end is None or end.timestamp() > now_s
