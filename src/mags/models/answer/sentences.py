"""Which words of a memory are quoted: the sentence that says most of what was asked.

Where it lacks what is asked for ("She starts on 1 April" is what "When did Saskia start?" wants)
and the one behind it has that, both are quoted.
"""

from __future__ import annotations

import re

from mags.models import rendering
from mags.models.answer.cues import CUES
from mags.models.answer.question import Question, content

OPEN, CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"
MOST_QUOTED = 240
STOP = r"(?<![MD]r\.)(?<!Mrs\.)(?<!Ms\.)(?<!St\.)(?<!Prof\.)(?<=[.!?])\s+"
"""What stands between sentences: no title's point."""
_END = re.compile(rf"{STOP}(?=[^a-z])|\n+")


def quoted(question: Question, text: str, *, marked: bool) -> str:
    """What of a memory answers best, shortened, in quotation marks if `marked`."""
    sentences = [part for part in _END.split(text.strip()) if part]
    told = [part for part in sentences if not part.endswith("?")] or sentences
    at = max(range(len(told)), key=lambda i: len(question.words & content(told[i])), default=None)
    if at is None:
        return f"{OPEN}{CLOSE}" if marked else ""
    best = brief(rendering.quote(_with_next(question, told, at)))
    return f"{OPEN}{best}{CLOSE}" if marked else best


def _with_next(question: Question, told: list[str], at: int) -> str:
    """A sentence, with the one behind it where only that has the kind of thing asked for."""
    cue = CUES.get(question.kind)
    if cue is None or at + 1 >= len(told):
        return told[at]
    # "at the pool" is a place even where the sentence asked for has "in my tea"
    lacks = cue.search(told[at]) is None or question.kind == "place"
    return f"{told[at]} {told[at + 1]}" if lacks and cue.search(told[at + 1]) else told[at]


def brief(words: str) -> str:
    """Words, cut at `MOST_QUOTED` characters."""
    return words if len(words) <= MOST_QUOTED else words[:MOST_QUOTED].rsplit(" ", 1)[0] + " ..."
