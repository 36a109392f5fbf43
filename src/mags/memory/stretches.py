"""Turns as a policy reads them: no stretch without an end is longer than it can read in good time.

Rules take a time that grows with the square of a sentence, and a sentence of a hundred thousand
characters is none. Nothing is left out: such a stretch is only broken into lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from mags.ports.policy import Turn

LONGEST = 2_000
"""Characters of one stretch: far more than a sentence has, and soon read at the worst."""

_END = re.compile("(?<=[.!?…]\\s)|(?<=[\u3002\uff01\uff1f\\n])")
"""Behind what ends a sentence, also in full width."""


def readable(turn: Turn) -> Turn:
    """The turn, its long stretches broken at a space where there is one."""
    if len(turn.text) <= LONGEST:
        return turn
    return replace(turn, text="".join(_lines(turn.text)))


def _lines(text: str) -> Iterable[str]:
    for stretch in _END.split(text):
        rest = stretch
        while len(rest) > LONGEST:
            cut = rest.rfind(" ", 0, LONGEST) + 1 or LONGEST
            yield f"{rest[:cut]}\n"
            rest = rest[cut:]
        yield rest
