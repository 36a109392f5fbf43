"""Values as JSON can hold them: what JSON's readers let through and its writers fail at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

from mags.errors import InvalidInput

DEEPEST = 64
"""Levels of lists and objects; writers of JSON give up at a few hundred."""


Value = TypeVar("Value")


def plain(value: Value, deepest: int = DEEPEST) -> Value:
    """The value itself; raises InvalidInput for NaN, lone surrogates and too many levels."""
    waiting: list[Iterator[object]] = [iter((value,))]
    while waiting:
        one = next(waiting[-1], waiting)
        if one is waiting:
            waiting.pop()
        elif isinstance(one, dict):
            waiting.append(iter([*one.keys(), *one.values()]))
        elif isinstance(one, list):
            waiting.append(iter(one))
        elif isinstance(one, float) and not math.isfinite(one):
            raise InvalidInput("a number is not finite: JSON has no such thing")
        elif isinstance(one, str) and whole_text(one) != one:
            raise InvalidInput("a text holds half a character (a lone surrogate)")
        if len(waiting) > deepest + 1:
            raise InvalidInput(f"more than {deepest} levels of lists and objects")
    return value


def whole_text(text: str) -> str:
    """The text with halves of characters put together, and lone ones replaced by "?"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return paired.replace("\ufffd", "?")
    return text
