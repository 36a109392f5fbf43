"""How likely each turn that was recalled answers a question, and with which of its words.

A reader of spans gives every turn its likeliest words. Whether these answer is weighed with what
else is known of the turn: who said it of whom, how much of the question it has, whether the words
are of the kind that is asked for, whether a later turn speaks of the same. Words that answer go
first; a turn that surely answers, with words that are not sure, is quoted.

The weights are fitted by `python -m benchmarks.fit_answers` on the corpus's `dev`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log
from pathlib import Path
from typing import TypeAlias

from mags.models.answer import cues
from mags.models.answer.dates import day_told, since_told
from mags.models.answer.question import ParsedQuestion, content, read_question
from mags.models.answer.support import (
    ahead_of,
    contrary,
    kind_share,
    of_others,
    rare_share,
    rarity_of,
    spans_days,
)
from mags.models.policy.reader.network import Calibration
from mags.models.policy.reader.reading import AnswerSpan
from mags.models.policy.rules.tokens import stems
from mags.ports.answer import ContextItem
from mags.ports.corrections import instead, is_cued, of_one_kind
from mags.ports.english import TENS, TO_TWELVE, is_verb
from mags.ports.policy import ASSISTANTS, Turn

WEIGHTS = Path(__file__).with_name("weights.json")
MOST_READ = 6
"""Turns that are read: what a core reads in some 60 ms."""
LEAST_SURE = 0.08
"""Probability from which the words of a span say where to look."""
MOST_SHOWN = 240
"""Characters of a quote."""
MOST_GIVEN = 850
"""Characters of all turns together, which the reader sees at once."""
MOST_PASSAGES = 3
"""Passages that are read for a question: more than one only where turns are long."""
OF_EACH = (400, 240, 140)
"""Characters of a turn, of which the first is taken that leaves room for all."""
SINCE = re.compile(r"\bsince (?:when|what|which)\b|\b(?:for )?how long\b|\bfrom when\b", re.I)
LASTS = re.compile(r"\bhow long (?:will|did|does|was|were|is|are)\b(?!.* been\b)", re.I)
"""What asks how long something takes or is, and not since when."""
EACH = re.compile(r"\b(?:(?:what|which) (?:days|nights|evenings|mornings)|how often)\b", re.I)
"""What asks for days that come again and again."""
YES_OR_NO = ("Yes", "No")
SOON_S = 180.0
"""Within which a correction follows what it corrects: a later one may be of something else."""
MAY_ANSWER = 0.15
"""How likely a turn answers that takes something back or tells of it anew."""
NUMBER = re.compile(
    rf"\d|\b(?:{TO_TWELVE}|\w+teen|{TENS}|hundred|thousand|dozen|once|twice|half|none|no)\b", re.I
)

NOW = re.compile(
    r"\b(?:now|still|currently|nowadays|these days|any ?more|any longer|at the moment|today|latest"
    r"|most recent|last time)\b",
    re.I,
)
"""What shows that the latest word is asked for."""
OPENING = re.compile(
    r"(?!(?:The|An?|This|That|These|Those|Some|Any|No|Every|Each|All|Both|Another)\b)"
    r"([A-Z][\w'-]+) ([a-z]+)\b"
)
"""How a turn opens that may be of somebody else than who says it: "Ana lives", not "The rent"."""
TOLD_BY = re.compile(r"\b(?:i|we|my|our)\b", re.I)
"""What says that it is of who says it, all the same."""
NAME_BEHIND = re.compile(r"(?: [^\W\d_a-z][\w'-]+)+")

SpanReader = Callable[[Turn, Sequence[Turn]], Sequence[AnswerSpan | None]]
"""A question and remembered turns, likeliest first, to the words of each that answer; None for a
turn that could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A turn that may answer. `head`: the words it answers with, "" for none. `quote`: its part.

    `features`: what speaks for it. `value`, `quoted`: how likely these words, and the quote,
    answer, in [0, 1].
    """

    item: ContextItem
    head: str
    quote: str
    features: Mapping[str, float]
    value: float = 0.0
    quoted: float = 0.0

    @property
    def best(self) -> float:
        """How likely it answers, either way."""
        return max(self.value, self.quoted)


def candidates(
    question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem], reader: SpanReader
) -> list[Candidate]:
    """The turns that are read, with what speaks for each, in the order they were read."""
    asked = whom(question, parsed, items)
    chosen = to_read(question, parsed, items)
    if not chosen:
        return []
    spans = _spans(question, parsed, chosen, reader)
    rarity = rarity_of(parsed, chosen)
    words = parsed.words - frozenset().union(*parsed.names) - asked
    said = stems(question.text)
    now = NOW.search(question.text) is not None
    alone, few = float(len(chosen) == 1), float(len(chosen) < MOST_READ)
    since = SINCE.search(question.text) is not None
    found = []
    for place, (item, span) in enumerate(zip(chosen, spans, strict=True)):
        others = [other for other in spans if other is not span]
        head = _head(question.text, parsed, item, span)
        unlike = [other for other in others if not other.alike(span)]
        newer = max((o.sure for o in unlike if o.at > item.at), default=0.0)
        older = max((o.sure for o in unlike if o.at < item.at), default=0.0)
        renewed = any(o.at > item.at and o.anew and o.sure >= LEAST_SURE for o in unlike)
        renews = span.anew and any(o.at < item.at and o.sure >= LEAST_SURE for o in unlike)
        agree = max((o.sure for o in others if o.alike(span)), default=0.0)
        next_sure = max((o.sure for o in others), default=0.0)
        next_shown = max((o.shown for o in others), default=0.0)
        later = [
            other
            for other in chosen
            if other.at > item.at and other.speaker == item.speaker and words & content(other.text)
        ]
        cover = len(words & content(span.quote)) / len(words) if words else 1.0
        yesno = parsed.kind == "yesno"
        features = {
            "span": logit(span.sure),
            "lead": logit(span.sure) - logit(next_sure),
            "any": sum(o.sure for o in spans),
            "shown": logit(span.shown),
            "shown, lead": logit(span.shown) - logit(next_shown),
            "shown, any": sum(o.shown for o in spans),
            "place": log(1 + place),
            "span, alone": logit(span.sure) * alone,
            "shown, alone": logit(span.shown) * alone,
            "alone": alone,
            "span, few": logit(span.sure) * few,
            "shown, few": logit(span.shown) * few,
            "few": few,
            "ahead": ahead_of(item, chosen),
            "words": rare_share(item, rarity),
            "cover": cover,
            "bare": float(not words),
            "about": about(asked, item),
            "named": float(bool(asked & stems(item.text))),
            "names all": float(names_all(parsed, item)),
            "of others": float(of_others(parsed, item)),
            "mine": float(item.speaker == question.speaker),
            "assistant": float(item.speaker.casefold() in ASSISTANTS),
            "kind": float(bool(head))
            if since
            else kind_share(parsed, replace(item, text=span.quote)),
            "contrary": float(contrary(parsed, item)),
            "hedged": float(cues.HEDGED.search(span.sentence) is not None),
            "asks": float(span.sentence.rstrip().endswith("?")),
            "later": float(bool(later)),
            "changed": float(any(cues.RENEWED.search(other.text) for other in later)),
            "changes": float(span.anew),
            "corrected": float(any(cues.CORRECTED.search(other.text) for other in later)),
            "corrects": float(cues.CORRECTED.search(span.sentence) is not None),
            "takes back": float(cues.TAKEN_BACK.match(item.text) is not None),
            "newer": heard(newer),
            "older": heard(older),
            "newer, past": heard(newer) * parsed.past,
            "older, past": heard(older) * parsed.past,
            "newer, now": heard(newer) * now,
            "older, now": heard(older) * now,
            "renewed": float(renewed and not parsed.past),
            "renewed, past": float(renewed and parsed.past),
            "renews": float(renews and not parsed.past),
            "renews, past": float(renews and parsed.past),
            "here": len(words & content(span.sentence)) / len(words) if words else 1.0,
            "agree": heard(agree),
            "long": log(1 + len(span.text.split())),
            "echo": len(stems(span.text) & said) / max(1, len(stems(span.text))),
            "over": float(not item.current and not parsed.past),
            "headless": float(not head),
            "no": float(head == "No"),
            "yes": float(head == "Yes"),
            "yes, cover": float(head == "Yes") * cover,
            "no, cover": float(head == "No") * cover,
            "says": abs(logit(span.says)) * yesno,
            "span, yes or no": logit(span.sure) * yesno,
            "shown, yes or no": logit(span.shown) * yesno,
            "now": float(now),
            "past": float(parsed.past),
            f"is {parsed.kind or 'other'}": 1.0,
        }
        found.append(Candidate(item=item, head=head, quote=span.quote, features=features))
    return found


def to_read(
    question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem]
) -> list[ContextItem]:
    """The turns that are read, likeliest first: those of strangers to the question go last."""
    asked = whom(question, parsed, items)
    turns = {item.text: item for item in items if item.fact is None}
    return sorted(turns.values(), key=lambda item: about(asked, item) == 0.0)[:MOST_READ]


def shown(question: Turn, turns: Sequence[Turn], reader: SpanReader) -> list[float | None]:
    """How likely each turn shows what is asked, in (0, 1); None where it could not be read.

    They are read some at a time, as they lie: the likeliest first.
    """
    parsed = read_question(question)
    found: list[float | None] = []
    for start in range(0, len(turns), MOST_READ):
        some = turns[start : start + MOST_READ]
        parts = given(parsed, [turn.text for turn in some])
        said = [
            replace(turn, text=turn.text[at:end])
            for turn, (at, end) in zip(some, parts, strict=True)
        ]
        found += [one.shown if one else None for one in reader(question, said)]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """The likeliest words of a turn, their sentence, and what would be quoted of it.

    `anew`: whether it is told as news of something known.
    """

    text: str
    sure: float
    shown: float
    says: float
    sentence: str
    quote: str
    anew: bool
    at: float

    def alike(self, other: _Span) -> bool:
        """Whether both may say the same."""
        return bool(stems(self.text) & stems(other.text))


def _spans(
    question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem], reader: SpanReader
) -> list[_Span]:
    found = []
    for item, (at, read) in zip(items, _read(question, parsed, items, reader), strict=True):
        sure, shown, says = (read.sure, read.shown, read.says) if read else (0.0, 0.0, 0.5)
        first, last = (at + read.start, at + read.end) if read else (at, at)
        first, last = whole(item.text, first, last)
        if sure < LEAST_SURE or parsed.kind == "yesno":
            begins, ends = window(parsed, item.text, 0)
        else:
            begins, ends = first, max(last, first + 1)
        quote = around(item.text, begins, ends, MOST_SHOWN)
        found.append(
            _Span(
                text=item.text[first:last].strip(" ,;:.!?\"'()"),
                sure=sure,
                shown=shown,
                says=says,
                sentence=around(item.text, begins, ends, 0),
                quote=quote,
                anew=cues.RENEWED.search(quote) is not None,
                at=item.at,
            )
        )
    return found


def _read(
    question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem], reader: SpanReader
) -> list[tuple[int, AnswerSpan | None]]:
    """Where the part of each turn begins that likeliest answers, and its likeliest words.

    First what is likeliest of each is read, then the rest of those that are long.
    """
    texts = [item.text for item in items]
    first = [(place, *part) for place, part in enumerate(given(parsed, texts))]
    best: dict[int, tuple[int, AnswerSpan | None]] = {}
    for some in (first, *packed(left_out(texts, first))):
        said = [
            Turn(text=texts[place][at:end], speaker=items[place].speaker, at=items[place].at)
            for place, at, end in some
        ]
        for (place, at, _), read in zip(some, reader(question, said), strict=True):
            known = best.setdefault(place, (at, read))[1]
            if read and (known is None or read.sure + read.shown > known.sure + known.shown):
                best[place] = at, read
    return [best[place] for place in range(len(items))]


Piece: TypeAlias = tuple[int, int, int]
"""A part of a text: its place, and its first and last character."""


def left_out(texts: Sequence[str], taken: Sequence[Piece]) -> Iterator[Piece]:
    """The sentences of texts before and behind what was taken of each, as many together as fit."""
    for place, first, last in taken:
        for start, end in ((0, first), (last, len(texts[place]))):
            cuts = [(a + start, b + start) for a, b in sentences(texts[place][start:end])]
            while cuts:
                begins, ends = grown(cuts, 0, 0, OF_EACH[0])
                if ends > begins:
                    yield place, begins, min(ends, begins + OF_EACH[0])
                cuts = [cut for cut in cuts if cut[0] >= ends]
                if ends == begins:
                    break


def packed(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces in passages of what the reader sees at once, as many as are read."""
    some, size, count = list[Piece](), 0, 1
    for place, first, last in pieces:
        if some and size + last - first > MOST_GIVEN:
            yield some
            some, size, count = [], 0, count + 1
            if count == MOST_PASSAGES:
                return
        some.append((place, first, last))
        size += last - first
    if some:
        yield some


def _head(text: str, parsed: ParsedQuestion, item: ContextItem, span: _Span) -> str:
    """The words a turn answers with: a day, yes or no, or those of the span; "" for none."""
    if parsed.kind == "yesno":
        return "Yes" if span.says >= 0.5 else "No"
    sure = span.sure >= LEAST_SURE
    asked = stems(span.text) if sure else parsed.words
    if parsed.kind == "time" and EACH.search(text):
        return span.text
    if parsed.kind == "time" and spans_days(replace(item, text=span.sentence)):
        return ""  # both days tell it, so the turn is quoted
    since = SINCE.search(text) is not None
    if since or parsed.kind == "time":
        tell = since_told if since else day_told
        told_when = tell(text, span.sentence, item.at, asked)
        if told_when.startswith("since ") and LASTS.search(text):
            return ""  # when it began is not how long it takes
        if told_when or not (since and NUMBER.search(span.text)):
            return told_when or (tell(text, span.quote, item.at, asked) if not sure else "")
    if parsed.kind == "number" and NUMBER.search(span.text) is None:
        return ""
    if parsed.offered and not any(one & content(span.text) for one in parsed.offered):
        return ""  # neither of what is offered
    if parsed.compares and cues.COMPARED.search(span.quote) is None:
        return ""  # one of those that are to be compared
    return span.text


def names_all(parsed: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a turn is by or names all that a question names."""
    heard = stems(f"{item.speaker} {item.text}")
    return all(name & heard for name in parsed.names)


def whom(question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem]) -> frozenset[str]:
    """Stems of the people a question is about: who asks of themselves, and speakers it names."""
    names = [name for name in parsed.names]
    said = stems(question.text)
    for speaker in {item.speaker for item in items if item.speaker}:
        if stems(speaker) <= said:
            names.append(stems(speaker))
    return frozenset().union(*names)


def about(whom: frozenset[str], item: ContextItem) -> float:
    """How far a turn is of somebody: 1 where they say it of themself, 0.5 where it names them.

    It is of nobody else where it opens with no other name that does something, or says "I". Of
    nobody in particular (no stems in `whom`) is every turn.
    """
    own = not opens_with_another(item) or TOLD_BY.search(item.text)
    if not whom or (own and whom & stems(item.speaker)):
        return 1.0
    return 0.5 if whom & stems(item.text) else 0.0


def opens_with_another(item: ContextItem) -> bool:
    """Whether a turn opens with a name that does something: "Ana lives"."""
    opening = OPENING.match(item.text)
    return opening is not None and is_verb(opening[2]) and not is_verb(opening[1].casefold())


def given(parsed: ParsedQuestion, texts: Sequence[str]) -> list[tuple[int, int]]:
    """The part of each text that the reader is given: all of it, or its best sentences."""
    for most in OF_EACH:
        parts = [window(parsed, text, most) for text in texts]
        parts = [(first, min(last, first + max(most, OF_EACH[1]))) for first, last in parts]
        if sum(last - first for first, last in parts) <= MOST_GIVEN:
            break
    return parts


def window(parsed: ParsedQuestion, text: str, most: int) -> tuple[int, int]:
    """Where the sentences stand that have most of what is asked, in at most so many characters."""
    if len(text) <= most:
        return 0, len(text)
    cuts = sentences(text)
    # Of two that have as much of it the later: it may tell how that came out.
    held = [len(parsed.words & content(text[first:last])) for first, last in cuts]
    best = max(range(len(cuts)), key=lambda n: (held[n], n))
    return grown(cuts, best, best, most)


def whole(text: str, first: int, last: int) -> tuple[int, int]:
    """A span with the rest of the words at its ends: "forty-six" of "six"."""
    while last > first > 0 and (text[first - 1].isalnum() or text[first - 1] in "-'"):
        first -= 1
    while first < last < len(text) and (text[last].isalnum() or text[last] == "-"):
        last += 1
    if text[first:last][:1].isupper():
        behind = NAME_BEHIND.match(text, last)
        last = behind.end() if behind else last
    return first, last


def around(text: str, first: int, last: int, most: int) -> str:
    """The sentences a span stands in and those near it, in at most so many characters."""
    cuts = sentences(text)
    within = [n for n, (a, b) in enumerate(cuts) if a < last and b > first] or [0]
    begins, ends = grown(cuts, within[0], within[-1], most)
    return text[begins:ends].strip()


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand."""
    ends = [m.end() for m in cues.BETWEEN.finditer(text)]
    starts = [0, *ends]
    return [(a, b) for a, b in zip(starts, [*ends, len(text)], strict=True) if b > a] or [(0, 0)]


def grown(cuts: Sequence[tuple[int, int]], first: int, last: int, most: int) -> tuple[int, int]:
    """Sentences with as many before and after them as fit."""
    while True:
        if last + 1 < len(cuts) and cuts[last + 1][1] - cuts[first][0] <= most:
            last += 1
        elif first > 0 and cuts[last][1] - cuts[first - 1][0] <= most:
            first -= 1
        else:
            return cuts[first][0], cuts[last][1]


def logit(p: float) -> float:
    """The logarithm of the odds of a probability, which is kept from 0 and 1."""
    p = min(max(p, 1e-3), 1.0 - 1e-3)
    return log(p / (1.0 - p))


def heard(p: float) -> float:
    """How loud a probability speaks: 0 for 0, more than 3 for a half."""
    return log(1.0 + p / 0.02)


# How likely one answers.


@cache
def fitted() -> Mapping[str, Calibration]:
    """The weights by form, as they were fitted (`forms_of`, and "fact")."""
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return {form: Calibration(**one) for form, one in told.items()}


def forms_of(parsed: ParsedQuestion) -> tuple[str, str]:
    """What a turn may answer with: words of it or, where whether is asked, yes or no; a quote."""
    return ("whether", "whether, quoted") if parsed.kind == "yesno" else ("value", "quote")


def weighed_turns(
    question: Turn, parsed: ParsedQuestion, items: Sequence[ContextItem], reader: SpanReader
) -> list[Candidate]:
    """The turns that are read, likeliest first."""
    value, quoted = (fitted()[form] for form in forms_of(parsed))
    found = [
        replace(
            one,
            value=value.probability(one.features) if one.head else 0.0,
            quoted=quoted.probability(one.features),
        )
        for one in candidates(question, parsed, items, reader)
    ]
    return sorted(found, key=lambda one: -one.best)


def corrects(read: Candidate, value: str, at: float) -> bool:
    """Whether a turn corrects a value that was told at a time, right before."""
    return 0.0 < read.item.at - at < SOON_S and takes_back(read.item.text, value)


def takes_back(text: str, said: str) -> bool:
    """Whether a turn, said right after, corrects a value: "no sorry, Cardiff!!" of "from Cork".

    Its first sentence has a value of that kind and little more, and begins or ends so.
    """
    first = text[slice(*sentences(text)[0])]
    value = instead(first)[1] if is_cued(first) else None
    return said not in YES_OR_NO and of_one_kind(said, value or "")


def tells_anew(read: Candidate, values: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether a turn told later ends or corrects a value, or tells anew of what is asked.

    `asked`: stems of what is asked.
    """
    text = read.item.text
    named = values & stems(text)
    back = cues.DENIED.search(text) or cues.CORRECTED.search(text) or cues.TAKEN_BACK.match(text)
    head = stems(read.head)
    if head and not back and (head <= values or values <= head):
        return False  # the same once more
    anew = cues.RENEWED.search(text) or cues.TAKEN_BACK.match(text)
    near = "is time" not in read.features or read.features["cover"]  # a day is of what is told
    fresh = cues.TAKEN_BACK.match(text) or (near and cues.RENEWED.match(text))
    if head and fresh and read.value >= MAY_ANSWER:
        return True  # "Actually three": it need not say of what
    return bool(anew and (named or (read.value >= MAY_ANSWER and asked & content(text))))


def says(read: Candidate, fact: ContextItem, head: str) -> bool:
    """Whether a turn that answers says what a fact does: the same yes or no, or its words."""
    if read.head in YES_OR_NO or head in YES_OR_NO:
        return read.head == head
    ends = fact.fact[2] if fact.fact is not None and not head else head
    return bool(stems(read.head) & stems(ends)) or content(ends) <= content(read.quote)


def fact_features(
    parsed: ParsedQuestion, fact: ContextItem, head: str, strength: float, read: Sequence[Candidate]
) -> dict[str, float]:
    """What speaks for the answer of a fact: that turns say so, or something else, or later."""
    own = stems(head) or stems(fact.text)
    alike = [one for one in read if stems(one.head) & own]
    unlike = [one for one in read if not stems(one.head) & own]
    later = [one for one in unlike if one.item.at > fact.at]
    return {
        "strength": strength,
        "alike": max((one.value for one in alike), default=0.0),
        "unlike": max((one.value for one in unlike), default=0.0),
        "later": max((one.value for one in later), default=0.0),
        "guess": float(fact.tentative),
        "disputed": float(fact.disputed),
        "over": float(not fact.current and not parsed.past),
        "past": float(parsed.past),
        "headless": float(not head),
        f"is {parsed.kind or 'other'}": 1.0,
    }
