"""Questions for all that was told of a matter, for when it was told, and for which of two is more.

"What have I told of my shoulder?", "What became of the cardigan?", "What changed about the rent?"
are answered by the turns that tell of it, oldest first; "When did I mention the boiler?" by the day
of the first of them; "Who is older, Ana or her brother?" where a number is told of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mags.models import rendering
from mags.models.answer.citations import pairs
from mags.models.answer.closest import quote
from mags.models.answer.question import content
from mags.models.answer.spans import SpanReader, Weighed, around
from mags.models.words import stems
from mags.ports.answer import Answer, ContextItem, RecallAgain
from mags.ports.policy import Turn

MOST_TOLD = 4
"""Turns of a matter that are quoted."""
LEAST_TOLD = 0.15
"""How likely the number that is told of one of two has to be."""
LEAST_ALONE = 0.3
"""How likely a turn has to answer that is the only one to tell of a matter."""
_WHO = r"(?:I|we|you|[A-Z][\w'-]*(?: [A-Z][\w'-]*)?|(?:the )?user)"
_TOPIC = r"(?P<topic>[^?]+?)(?: (?:so far|again|now|these days))?\W*$"
_OF = re.compile(
    rf"^(?:so |and )?(?:what (?:do|did|does|have|has|can) {_WHO} (?:know|knows|remember|told?"
    rf"|tells?|says?|said|write|written)(?: (?:you|me|us))? (?:of|about)"
    r"|what (?:is|was|'s) (?:known|told|said) (?:of|about)|what (?:became|has become|happened"
    r" (?:to|with)) ?(?:of)?|what(?: has| have|'s)? changed (?:about|with|for|in)"
    r"|what(?:'s| is) new with|tell me (?:more |all |everything )?about"
    rf"|how (?:did|has|have)) {_TOPIC}",
    re.I,
)
_CHANGED = re.compile(r"\bchanged?\b", re.I)
_CHANGE = re.compile(r" chang(?:e|ed)(?: over .*| since .*)?$", re.I)
_WHEN_TOLD = re.compile(
    rf"^(?:on )?(?:when|what day|which day) (?:did|have|has) (?P<who>{_WHO}) (?:first |last )?"
    r"(?:tell|told|say|said|mention|mentioned|write|written)(?: (?:you|me|us))?"
    r"(?: (?:about|of|that))*"
    rf"(?: {_TOPIC})?\W*$",
    re.I,
)
_WHICH = re.compile(
    r"^(?:who|which|what)\b(?P<asked>.*?\b(?P<how>older|younger|more|less|larger|bigger|smaller|higher"
    r"|lower|longer|shorter|cheaper|dearer|heavier|lighter|taller|told first|mentioned first"
    r"|told last|mentioned last)\b.*?)[,:] (?P<one>[^,?]+?),? or (?P<other>[^,?]+?)\W*$",
    re.I,
)
_LESS = frozenset(
    (
        *("younger", "less", "smaller", "lower", "shorter", "cheaper", "lighter"),
        *("told first", "mentioned first"),
    )
)
_ASKING = {"older": "How old is {}?", "younger": "How old is {}?"}
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNIT = re.compile(
    r"[$\N{EURO SIGN}\N{POUND SIGN}]|\b(?:hour|day|week|month|year|second|minute|mile|kilo|metre)"
)
"""What a number is of, or for: two are compared where it is the same."""
_MARK = re.compile(r"\[m(\d+)\]")
_THAT = frozenset({"", "that", "this", "it", "so"})


def topic_asked(text: str) -> str:
    """Of what a question asks for everything that was told; "" where it asks for one thing."""
    found = _OF.match(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip())
    if found is None:
        return ""
    topic = found["topic"]
    if re.match(r".*\bhow (?:did|has|have) ", text[: found.start("topic")], re.I):
        return _CHANGE.sub("", topic) if _CHANGE.search(topic) else ""
    return topic


def told_of(question: Turn, read: Sequence[Weighed]) -> Answer | None:
    """All that was told of a matter, oldest first; None for another question or where nothing was.

    `read`: the turns that were read, likeliest first.
    """
    topic = topic_asked(question.text)
    owner, _, thing = topic.rpartition("'s ")
    words = content(thing if owner else topic) or content(topic)
    if not words:
        return None
    whose = content(owner)
    found = [
        one
        for one in read
        if words <= content(one.candidate.item.text)
        and not one.candidate.item.text.rstrip().endswith("?")
        and (not whose or whose & stems(f"{one.candidate.item.speaker} {one.candidate.item.text}"))
    ][:MOST_TOLD]
    if len(found) < 1 + bool(_CHANGED.search(question.text)):
        return None  # a change has a before and an after
    sure = max(one.best for one in found)
    if len(found) == 1 and sure < LEAST_ALONE:
        return None
    kept = sorted((one.candidate.item for one in found), key=lambda item: item.at)
    citations = tuple(item.id for item in kept)
    return Answer(
        text=" ".join(map(quote, kept)), citations=citations, support=sure, links=pairs(citations)
    )


def told_when(
    question: Turn,
    items: Sequence[ContextItem],
    recent: Sequence[Turn],
    recall_again: RecallAgain,
) -> Answer | None:
    """The day a turn was said that tells of something; None for any other question."""
    asked = _WHEN_TOLD.match(question.text.strip())
    if asked is None:
        return None
    topic = (asked["topic"] or "").casefold()
    if topic in _THAT:  # of the last answer
        marks = [mark for turn in recent for mark in _MARK.findall(turn.text)]
        last = next((turn.text for turn in reversed(recent) if _MARK.search(turn.text)), "")
        shown = recall_again(last) if marks else ()
        found = [item for item in shown if str(item.id) == marks[-1]]
    else:
        who = question.speaker if asked["who"].casefold() in ("i", "we") else asked["who"]
        words = content(topic)
        found = [
            item
            for item in items
            if item.fact is None
            and words
            and words <= content(item.text)
            and item.speaker.casefold() == who.casefold()
        ]
    told = min(found, key=lambda item: item.at, default=None)
    if told is None or not rendering.known(told.at):
        return None
    text = f"{rendering.date(told.at)} \N{EM DASH} {quote(told)}"
    return Answer(text=text, citations=(told.id,), support=1.0)


def compares(text: str) -> bool:
    """Whether a question asks which of two is more, which no single value answers."""
    return _WHICH.match(text.strip()) is not None


def compared(question: Turn, items: Sequence[ContextItem], reader: SpanReader) -> Answer | None:
    """Which of two is more, where a number is told of both, or which was told first."""
    asked = _WHICH.match(question.text.strip())
    if asked is None:
        return None
    how = asked["how"].casefold()
    held, units = [], list[frozenset[str]]()
    for option in (asked["one"], asked["other"]):
        words = content(option)
        turns = [i for i in items if i.fact is None and words and words <= content(i.text)]
        if not turns:
            return None
        if how.endswith(("first", "last")):
            told = min(turns, key=lambda item: item.at)
            held.append((told.at, told, option))
            continue
        text = _ASKING.get(how, "How much is {}?").format(option)
        said = [Turn(text=i.text, speaker=i.speaker, at=i.at) for i in turns[:MOST_TOLD]]
        spans = reader(Turn(text=text, speaker=question.speaker, at=question.at), said)
        best, item = max(
            zip(spans, turns, strict=False),
            key=lambda pair: pair[0].sure if pair[0] else 0.0,
        )
        amount = _AMOUNT.search(item.text[best.start : best.end]) if best else None
        if best is None or best.sure < LEAST_TOLD or amount is None:
            return None
        held.append((float(amount[0].replace(",", "")), item, option))
        units.append(
            frozenset(_UNIT.findall(around(item.text, best.start, best.end, 0).casefold()))
        )
    (a, one, first), (b, another, second) = held
    if a == b or len({*units}) > 1:
        return None
    option = first if (a < b) == (how in _LESS) else second
    kept = list({item.id: item for item in (one, another)}.values())
    citations = tuple(item.id for item in kept)
    return Answer(
        text=f"{option} \N{EM DASH} {' '.join(map(quote, kept))}",
        citations=citations,
        support=LEAST_TOLD,
        links=pairs(citations),
    )
