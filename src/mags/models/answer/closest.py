"""What is said where no memory surely answers: that it is not sure, and what comes closest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mags.models import rendering
from mags.models.answer.citations import pairs
from mags.models.answer.question import ParsedQuestion, content
from mags.models.answer.spans import Weighed
from mags.models.answer.support import kind_share, mentioned_text
from mags.models.words import stems
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import GUESS

UNKNOWN = "I don't know."
NOT_SURE = "I am not sure. What comes closest:"
MOST_SHOWN = 2
MOST_QUOTED = 240
OPEN, CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"


def closest(
    question: ParsedQuestion, items: Sequence[ContextItem], support: Mapping[int, float]
) -> Answer:
    """Quote at most two memories with who said them and when; unknown where none shares a thing.

    The order is that of recall, in which what supports an answer better goes up. A fact stands
    for the turn that told it, where that is there. `support`: of the items, by id.
    """
    turn_of = {item.within: item for item in items if item.fact is None and item.within is not None}
    leads = [item for item in items if item.within is None]
    scores = [item.score for item in leads]
    low, wide = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)

    def near(item: ContextItem) -> float:
        return support.get(item.id, 0.0) + (item.score - low) / (wide or 1.0)

    shown: dict[str, ContextItem] = {}
    for item in sorted(leads, key=near, reverse=True):
        told = turn_of.get(item.id, item) if item.fact is not None else item
        shown.setdefault(told.text, told)
    kept = list(shown.values())[:MOST_SHOWN]
    best = max((support.get(item.id, 0.0) for item in items), default=0.0)
    if not any(shares(question, item) for item in items):
        return Answer(text=UNKNOWN, outcome="unknown", support=best)
    return _quoting(kept, best)


def closest_read(
    question: ParsedQuestion, items: Sequence[ContextItem], read: Sequence[Weighed]
) -> Answer:
    """Quote the two turns that were read and most likely answer; see `closest`."""
    if not read:
        return closest(question, items, {})
    best = max(one.best for one in read)
    if not any(shares(question, item) for item in items):
        return Answer(text=UNKNOWN, outcome="unknown", support=best)
    kept = sorted(read, key=lambda one: -one.quote)[:MOST_SHOWN]
    return _quoting([replace(o.candidate.item, text=o.candidate.quote) for o in kept], best)


def _quoting(kept: Sequence[ContextItem], best: float) -> Answer:
    citations = tuple(item.id for item in kept)
    return Answer(
        text=f"{NOT_SURE} {'; '.join(map(quote, kept))}",
        outcome="closest",
        citations=citations,
        support=best,
        links=pairs(citations),
    )


def shares(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a memory has anything of what is asked: a word, somebody named, the kind of thing.

    Who asks of themselves is named by most of their turns: of these the kind is wanted too.
    """
    told = mentioned_text(item)
    asked = question.words - frozenset().union(*question.names)
    if asked & content(told):
        return True
    held = stems(told) | stems(item.speaker)
    whom = [name for name in question.names if name <= held]
    if not whom:
        return False
    others = any(name != question.oneself and name != question.asker for name in whom)
    return (others and not question.own) or not asked or kind_share(question, item) == 1.0


def quote(item: ContextItem) -> str:
    """A memory in quotation marks, by whom and when, with its mark."""
    who = f"{item.speaker}, " if item.speaker else ""
    day = rendering.date(item.at)
    source = f" ({f'{who}{day}'.strip(', ')})" if who or day else ""
    guess = f" {GUESS}" if item.tentative else ""
    return f"{OPEN}{brief(item.text)}{CLOSE}{guess} [m{item.id}]{source}"


def brief(text: str) -> str:
    """A text as one line, cut at `MOST_QUOTED` characters."""
    words = rendering.quote(text)
    return words if len(words) <= MOST_QUOTED else words[:MOST_QUOTED].rsplit(" ", 1)[0] + " ..."
