"""Questions about the talk itself: "what did I just say?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mags.models import rendering
from mags.models.answer.closest import CLOSE, OPEN, brief
from mags.ports.answer import Answer, RecallAgain
from mags.ports.policy import Turn

_LAST = re.compile(
    r"^(?:so |and |wait,? |sorry,? )?(?:what (?:did (?P<who>I|we|[A-Z]\w*) just (?:say|tell"
    r"|ask|write"
    r"|mention)|(?:was|is) (?:it )?(?:the )?(?:last thing )?(?P<who2>I|we"
    r"|[A-Z]\w*) (?:just )?(?:said"
    r"|told|asked|wrote|mentioned)(?: last)?)|(?:repeat|say again) what (?P<who3>I|[A-Z]\w*) just"
    r" said)\b(?: (?:you|to you|me|us|there))?\W*$",
    re.I,
)


def said_last(question: Turn, recent: Sequence[Turn], recall_again: RecallAgain) -> Answer | None:
    """Quote the last turn of somebody, if that is asked; None for any other question.

    `recent`: what was just said, oldest first.
    """
    asked = _LAST.match(question.text.strip())
    if asked is None:
        return None
    who = asked["who"] or asked["who2"] or asked["who3"]
    speaker = question.speaker if who.casefold() in ("i", "we") else who
    said = [turn for turn in recent if turn.speaker.casefold() == speaker.casefold()]
    if not said:
        return None
    last = said[-1]
    held = (item for item in recall_again(last.text) if item.fact is None)
    item = next((one for one in held if one.text == last.text), None)
    mark = "" if item is None else f" [m{item.id}]"
    day = rendering.date(last.at)
    text = f"{OPEN}{brief(last.text)}{CLOSE}{mark} ({speaker}{f', {day}' if day else ''})"
    return Answer(text=text, citations=() if item is None else (item.id,), support=1.0)
