"""The frame of a question: what does it, of which kind is asked for, what it leaves open."""

from __future__ import annotations

import re

from mags.models.guardrails import WORD
from mags.ports.english import BASE, forms

AUXILIARY = r"(?:do|does|did|is|are|am|was|were|has|have|had|will|can|should)"
LIGHT = "go happen due take scheduled planned days dates months years times"
"""Words that only ask for a time: "when is it due", "which days"."""
TYPED = re.compile(
    rf"^(?:what|which) (?P<type>[a-z]+(?: [a-z]+)?) {AUXILIARY}\b.* "
    r"(?P<particle>in|on|at|to|for|with|from|by|into|as)\s*\?*$",
    re.I,
)
"""A question for something of a kind, by the preposition that stands before it in an answer."""
DENIED = re.compile(
    r"n't\b|\b(?:not|never|cannot|no longer|stop|stopped|quit|give up|gave up|given up|avoid)\b",
    re.I,
)
"""What shows that what is not so is asked for."""
ORIGIN = re.compile(r"\bfrom\s*\??$", re.I)
"""The end of a question for where somebody or something is from."""
_DOES_IT = re.compile(
    r"\b(?:do|does|did)(?:n't)? (?!I\b|we\b|you\b|he\b|she\b|it\b|they\b)(?P<rest>.+)", re.I
)
_MOST_OF_TOPIC = 4


def topic(text: str) -> str:
    """The words of what is asked to do something, all before its verb; "" where not clear."""
    found = _DOES_IT.search(text)
    words = WORD.findall(found["rest"]) if found else []
    end = next((i for i, word in enumerate(words) if i and _is_base(word)), 0)
    return " ".join(words[:end]) if end <= _MOST_OF_TOPIC else ""


def _is_base(word: str) -> bool:
    """Whether a word may be a verb as it stands behind "does"."""
    return word.islower() and any(tag == BASE for _, tag in forms(word))
