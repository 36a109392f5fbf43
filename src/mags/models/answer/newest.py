"""The newest word on a matter: a turn that tells anew what an earlier memory told.

What the rules cannot read closes no fact ("changed the code of the alarm, it's 9083 now"). So of
memories that say all that is asked, a later turn goes before an earlier one where it says that
something changed, or where a number or a time is asked for and it gives one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mags.models.answer.cues import CUES
from mags.models.answer.question import Question, content
from mags.models.answer.whose import of_nobody_else
from mags.ports.answer import ContextItem

_CHANGED = re.compile(
    r"\b(?:now(?! and (?:then|again))|nowadays|these days|chang(?:ed|es)|moved|instead"
    r"|any ?more|no longer"
    r"|from now on|from then on|after all|switched|swapped|replaced|postponed|delayed"
    r"|extended|pushed|brought forward|rescheduled|cancelled|raised|lowered|bumped|(?:up|down) to"
    r"|(?:put|gone?|went|goes|going|cut|came|come) (?:it |them )?(?:up|down|off|back)|over to"
    r"|correction|actually|scratch that|not [\w' ]+ but)\b",
    re.I,
)
_COUNT = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) "
    r"(?:more |other |different )?(?P<noun>[a-z]+)(?P<behind>[^.!?;]*)",
    re.I,
)
_SO_FAR = re.compile(r"\b(?:now|so far|already|in total|altogether)\s*$", re.I)
LEAST = 0.5
"""Support that a later turn needs: what says all that is asked has it, where nothing halves it."""
_VALUED = ("number", "time")


def newest_first(
    question: Question, judged: Sequence[tuple[float, ContextItem]], threshold: float
) -> list[tuple[float, ContextItem]]:
    """Judged memories, best first, with the newest word on the matter in front.

    It has the support of the best, whose place it takes.

    `judged`: support and memory, best first. As they are where the past is asked for, or where
    from somebody is, which no change changes, or where the best does not carry an answer.
    """
    ranked = list(judged)
    once = question.past or question.then or question.origin
    if not ranked or ranked[0][0] < threshold or once:
        return ranked
    best = ranked[0][1]
    if not question.words or not best.current:
        return ranked
    later = [
        (strength, item)
        for strength, item in ranked
        if _tells_anew(question, best, item, strong=strength >= LEAST)
    ]
    if not later:
        return ranked
    first = max(later, key=lambda pair: pair[1].at)
    rest = [pair for pair in ranked if pair is not first]
    return [(ranked[0][0], first[1]), *rest]  # the matter is carried, told anew it still is


def _tells_anew(question: Question, best: ContextItem, item: ContextItem, *, strong: bool) -> bool:
    """Whether a turn was said after the best memory and tells the same matter once more."""
    if item.fact is not None or item.within is not None or item.at <= best.at or not item.current:
        return False
    if item.text.rstrip().endswith("?"):
        return False
    if _counts_anew(question, best, item):
        return True
    if question.told or not strong or not question.words <= content(item.text):
        return False
    cue = CUES.get(question.kind)
    if cue is not None and cue.search(item.text) is None:
        return False
    valued = question.kind in _VALUED and best.fact is None
    return valued or _CHANGED.search(item.text) is not None


def _counts_anew(question: Question, best: ContextItem, item: ContextItem) -> bool:
    """Whether a turn counts again what was counted before: "seven species now" after "5 species".

    How it came about need not be said again.
    """
    if not question.counts or best.fact is not None or item.speaker != best.speaker:
        return False
    if not of_nobody_else(item.text, question.words):
        return False
    counted = {c["noun"].casefold() for c in _COUNT.finditer(best.text)}
    again = (c for c in _COUNT.finditer(item.text) if c["noun"].casefold() in counted)
    return any(content(c["noun"]) & question.words and _SO_FAR.search(c["behind"]) for c in again)
