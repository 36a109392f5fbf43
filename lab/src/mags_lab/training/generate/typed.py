"""Turns as people type them: other marks at the end, apostrophes and capitals left out.

A tagger that has read nothing but "I moved to Oslo." takes "I moved to Oslo!!" for small talk.
"""

from __future__ import annotations

import re
from random import Random

from mags_lab.training.generate.framing import lowered

# Shares of turns that end in another mark, begin small, or lack the apostrophes of short forms.
MARKED, SMALL, BARE = 0.2, 0.06, 0.05
MARKS = ("!", "!", "!", "!!", "", "", "...", " :)", "!!!", " :(")
SHORT = re.compile(
    r"\b(I'm|I've|I'd|I'll|don't|doesn't|didn't|isn't|wasn't|can't|won't|haven't|hasn't|that's|"
    r"it's|what's|where's|who's|when's|there's|we're|you're|they're|couldn't|wouldn't)\b",
    re.I,
)
END = re.compile(r"(?<=[\w)'])\.$")


def typed(text: str, rng: Random) -> str:
    """A turn with what somebody in a hurry or in high spirits would change; mostly as it is."""
    if rng.random() < MARKED:
        mark = rng.choice(MARKS)
        text = END.sub(lambda _: mark, text)
    if rng.random() < SMALL:
        text = lowered(text)
    if rng.random() < BARE:
        text = SHORT.sub(lambda found: found[0].replace("'", ""), text)
    return text
