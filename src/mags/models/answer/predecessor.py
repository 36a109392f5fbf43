"""Who or what was there before another: "Who was my flatmate before Lotte?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mags.models.answer.question import content, read_question
from mags.models.answer.support import slot
from mags.ports.answer import ContextItem, RecallAgain
from mags.ports.policy import Turn

_BEFORE = re.compile(
    r"^(?P<asked>.+?\bbefore) (?:(?:the|a|an|my|our|his|her|their|that|this) )?"
    r"(?P<next>[^?,]+?)\s*\?*$",
    re.I,
)
_CLAUSE = re.compile(r"^(?:it|that|this|then|i|we|he|she|they|now)\b", re.I)
"""What begins a clause or names nothing: "before it was moved"."""
_FROM = re.compile(
    r"\bfrom\b.+\bto\b|\b(?:instead|before|used to|until|after|left|replac\w+|switch\w+"
    r"|chang\w+|mov\w+"
    r"|swap\w+|tak\w+ over|took over|no longer|rather than|not)\b",
    re.I,
)
"""What shows that a turn tells of both, what was and what came."""
_WHOM = re.compile(r"^(?:who|whom|what|which|where|how much|when)\b", re.I)


def before_another(
    question: Turn, items: Sequence[ContextItem], recall_again: RecallAgain
) -> tuple[Turn, Sequence[ContextItem]] | None:
    """Return the question without "Lotte", and the memories with the one before her as what was.

    Of the facts that would answer, the last that began before hers is kept and counts as over.
    What the whole question brought up is mostly of her, so what is left of it is recalled too.
    None where nothing else is named so, or no memory speaks of it.
    """
    match = _BEFORE.match(question.text.strip())
    if match is None or not _WHOM.match(question.text.strip()):
        return None
    asked = replace(question, text=f"{match['asked']}?")
    if _CLAUSE.match(match["next"]):
        return asked, items
    named = content(match["next"])
    if not named or not any(named <= content(item.text) for item in items):
        return None
    known = {item.id for item in items}
    items = (*items, *(item for item in recall_again(asked.text) if item.id not in known))
    read = read_question(asked)
    fitting = [item for item in items if slot(read, item).answer]
    own = [item for item in fitting if named <= content(_end(item, slot(read, item).answer))]
    begun = min((_begun(item) for item in own), default=None)
    hers = {item.id for item in own}
    earlier = [
        item
        for item in fitting
        if item.id not in hers
        and (not item.current or (begun is not None and _begun(item) < begun))
    ]
    last = max(earlier, key=_begun, default=None)
    dropped = {item.id for item in fitting} - ({last.id} if last else set())
    first = min(item.at for item in items if named <= content(item.text))
    dropped |= {  # nor what tells of her alone, or was said when she was there
        item.id
        for item in items
        if item.fact is None
        and not (_FROM.search(item.text) if named <= content(item.text) else item.at < first)
    }
    kept = [item for item in items if item.id not in dropped]
    return asked, [replace(item, current=False) if item is last else item for item in kept]


def _end(item: ContextItem, end: str) -> str:
    return "" if item.fact is None else item.fact[2 if end == "object" else 0]


def _begun(item: ContextItem) -> float:
    """When a fact began: when it was said, where nothing else is stated."""
    return item.at if item.valid_from is None else item.valid_from
