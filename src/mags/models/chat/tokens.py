"""How many tokens a text is, where nobody counted them."""

from __future__ import annotations

from collections.abc import Iterable

CHARACTERS_A_TOKEN = 4
OVERHEAD_A_MESSAGE = 4


def estimate(text: str) -> int:
    """Tokens of one text: its characters by four, rounded up (English, within some 20%)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def estimate_prompt(texts: Iterable[str]) -> int:
    """Tokens of a prompt of several messages, four a message added for their frame."""
    return sum(estimate(text) + OVERHEAD_A_MESSAGE for text in texts)
