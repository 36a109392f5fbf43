"""What every bank of sentences needs: a clause made a sentence, tables that nobody changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

BANKS = ("scored", "tuning", "unseen")
"""`tuning`: to build and fit on; `scored`: other phrasings and vocabulary, only ever played, for
the report; `unseen`: of another hand, run once at the end of a round of work, whatever it says.
"""
Lists = Mapping[str, tuple[str, ...]]


def sentence(text: str) -> str:
    """A clause as a sentence: the first letter raised, a full stop where nothing ends it."""
    raised = text[:1].upper() + text[1:]
    return raised if raised.endswith((".", "!", "?")) else f"{raised}."


def lists_of(table: Mapping[str, Iterable[str]]) -> Lists:
    """Lines by key, as they stand in a TOML file."""
    return MappingProxyType({key: tuple(lines) for key, lines in table.items()})
