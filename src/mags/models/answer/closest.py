"""What is said where no memory surely answers: that it is not sure, and what comes closest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from mags.models import rendering
from mags.models.answer.question import ParsedQuestion, content
from mags.models.answer.spans import Candidate
from mags.models.answer.support import kind_share, mentioned_text
from mags.models.policy.rules.tokens import stems
from mags.ports.answer import Answer, ContextItem
from mags.ports.policy import GUESS

UNKNOWN = "I don't know."
NOT_SURE = "I am not sure. What comes closest:"
MOST_SHOWN = 2
MOST_QUOTED = 240
MOST_LINKED = 8
OPEN, CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"


def closest(
    question: ParsedQuestion, items: Sequence[ContextItem], read: Sequence[Candidate]
) -> Answer:
    """Quote two memories with who said them and when; unknown where none shares a thing.

    The turns that were read and most likely answer, then what recall put first: for a fact stands
    the turn that told it, where that is there.
    """
    best = max((one.best for one in read), default=0.0)
    if not any(shares(question, item) for item in items):
        return Answer(text=UNKNOWN, outcome="unknown", support=best)
    turns = {i.within: i for i in items if i.fact is None and i.within is not None}
    leads = (turns.get(item.id, item) for item in items if item.within is None)
    likely = sorted(read, key=lambda one: -one.quoted)
    shown: dict[int, ContextItem] = {}
    for item in (*(replace(one.item, text=one.quote) for one in likely), *leads):
        shown.setdefault(item.id, item)
    kept = list(shown.values())[:MOST_SHOWN]
    text = f"{NOT_SURE} {'; '.join(map(quote, kept))}"
    return replace(citing(text, kept, best), outcome="closest")


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


def citing(text: str, items: Iterable[ContextItem], support: float) -> Answer:
    """An answer that rests on memories, which it joins."""
    citations = tuple(item.id for item in items)
    return Answer(text=text, citations=citations, support=support, links=pairs(citations))


def pairs(citations: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every pair (low, high) of the first eight citations."""
    return tuple(combinations(sorted(set(citations[:MOST_LINKED])), 2))
