"""Turns made by hand."""

from typing import Any

from mags_lab.games.matches import PlayedTurn


def turned(turn: int = 0, *, right: bool = True, **given: Any) -> PlayedTurn:
    """A turn of four actions with one needed fact that was shown, told in this turn."""
    values: dict[str, Any] = {
        "kind": "k",
        "question": "?",
        "action": "a" if right else "b",
        "best": ("a",),
        "choices": 4,
        "reward": float(right),
        "needed": 1,
        "carried": 1,
        "age": 0,
        **given,
    }
    return PlayedTurn(turn=turn, **values)
