"""Which words of a memory are quoted: the sentence that says most of what was asked.

Where it lacks what is asked for ("She starts on 1 April" is what "When did Saskia start?" wants)
and the one behind it has that, both are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mags.models import rendering
from mags.models.answer.citations import pairs
from mags.models.answer.cues import CUES, STOP, WEEKDAYS, dead, is_pet, of_nobody_else
from mags.models.answer.people import (
    about_whom,
    asks_own_name,
    before_another,
    by_name,
    own_name,
    profile,
)
from mags.models.answer.question import Question, begun, content, read_question, spans_days
from mags.models.answer.support import (
    ENDED,
    KINDLESS,
    SupportWeights,
    kind_share,
    named,
    past,
    slot,
    weighed,
)
from mags.models.grammar import is_name
from mags.ports.answer import Answer, ContextItem, OnText, RecallAgain
from mags.ports.policy import GUESS, NO_LONGER, Turn
from mags.ports.relations import canonical

OPEN, CLOSE = "\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"
MOST_QUOTED = 240
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


# A chain of hops among recalled facts: each shares an end with the one before.


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Facts in order of their steps, and the end of the last, which answers."""

    steps: tuple[ContextItem, ...]
    end: str


def find_chain(question: Question, items: Sequence[ContextItem]) -> Chain | None:
    """The chain that the items' steps (0, 1, ...) make; None unless two or more facts join up.

    It sets out from the end of the first fact that the question names. A fact may be walked
    either way: what it shares with the next is where it leads to.
    """
    steps = sorted(
        (item for item in items if item.step is not None and item.fact is not None),
        key=lambda item: item.step or 0,
    )
    if len(steps) < 2 or [item.step for item in steps] != list(range(len(steps))):
        return None
    ends = _ends(steps[0])
    reached = tuple(end for end in ends if not named(question, end)) or ends
    for item in steps[1:]:
        subject, obj = _ends(item)
        folded = {end.casefold() for end in reached}
        if subject.casefold() in folded:
            reached = (obj,)
        elif obj.casefold() in folded:
            reached = (subject,)
        else:
            return None
    return Chain(steps=tuple(steps), end=reached[0])


def _ends(item: ContextItem) -> tuple[str, ...]:
    return (item.fact[0], item.fact[2]) if item.fact is not None else ()


# The newest word on a matter: a turn that tells anew what an earlier memory told.
#
# What the rules cannot read closes no fact ("changed the code of the alarm, it's 9083 now"). So of
# memories that say all that is asked, a later turn goes before an earlier one where it says that
# something changed, or where a number or a time is asked for and it gives one.


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


# Answers without a model: the best supported memory, quoted with its mark, speaker and date.
#
# A fact that fills the slot asked about gives its end first: "Oslo - "I moved to Oslo in May." [m42]
# (Alice, 3 May 2024, since May 2024)". A chain of hops gives the end of its last fact and quotes
# every step. Where support is weak it says "I don't know".


UNKNOWN = "I don't know."
DASH = "\N{EM DASH}"
MOST_TOGETHER = 5
VALUED = ("time", "place", "number")
"""Kinds of answer that a text shows it has."""
PLACING = (" in", " at", " to", " for", " from", " near", " on")
TO_COME = re.compile(r"\b(?:will|when|going to|next|soon|start|starts|starting|plans?)\b", re.I)
"""A question that may ask for what is to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveAnswerer:
    """An `Answerer` that quotes. `threshold`: support from which it speaks."""

    threshold: float = 0.59
    weights: SupportWeights = field(default_factory=SupportWeights)

    @property
    def name(self) -> str:
        """Always "extractive"."""
        return "extractive"

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Quote the best supported memory; recalls again only for who was there before another."""
        shown = items if TO_COME.search(question.text) else begun(items, question.at)
        before = before_another(question, shown, recall_again)
        if before is not None:
            question, shown = before
        answer = _acquainted(question, items) or self._answer(read_question(question), shown)
        if answer.text == UNKNOWN:
            answer = self._by_name(question, shown) or answer
        if on_text is not None:
            on_text(answer.text)
        return answer

    def _by_name(self, question: Turn, items: Sequence[ContextItem]) -> Answer | None:
        """Answer a question about "my brother" by his name; None where that answers nothing."""
        named = by_name(question, items)
        answer = self._answer(read_question(named[0]), items) if named else None
        if named is None or answer is None or answer.text == UNKNOWN:
            return None
        told = named[1]
        if told.id in answer.citations:
            return answer
        citations = (*answer.citations, told.id)
        quote = f"{OPEN}{brief(rendering.quote(told.text))}{CLOSE}{_guess(told)}"
        text = f"{answer.text} {quote} [m{told.id}]"
        return replace(answer, text=text, citations=citations, links=pairs(citations))

    def _answer(self, question: Question, items: Sequence[ContextItem]) -> Answer:
        chain = find_chain(question, items)
        if chain is not None:
            return _from_chain(question, chain)
        items = _outlived(items)
        ranked = judge(question, items, self.weights)
        ranked = _sure_only(_of_kind_first(question, ranked, self.threshold), self.threshold)
        judged = newest_first(question, ranked, self.threshold)
        if not judged or judged[0][0] < self.threshold:
            return Answer(text=UNKNOWN, support=judged[0][0] if judged else 0.0)
        strength, best = judged[0]
        together = _together(question, best, [item for s, item in judged if s >= self.threshold])
        head = _head(question, together)
        quotes = " ".join(
            f"{quoted(question, item.text, marked=bool(head))}{_guess(item)} [m{item.id}]"
            for item in together
        )
        citations = tuple(item.id for item in together)
        return Answer(
            text=f"{head}{quotes}{_source(best)}",
            citations=citations,
            support=strength,
            links=pairs(citations),
        )


def _acquainted(question: Turn, items: Sequence[ContextItem]) -> Answer | None:
    """Tell who asks their name, or all that is held of somebody; None for any other question."""
    if asks_own_name(question.text):
        found = own_name(question, items)
        if found is None:
            return None
        name, shown = found
        quote = f"{OPEN}{brief(rendering.quote(shown.text))}{CLOSE}{_guess(shown)}"
        text = f"{name} {DASH} {quote} [m{shown.id}]{_source(shown)}"
        return Answer(text=text, citations=(shown.id,), support=1.0)
    whom = about_whom(question)
    known = profile(whom, items) if whom else []
    if not known:
        return None
    citations = tuple(item.id for item in known)
    text = " ".join(
        f"{brief(rendering.quote(item.text))}{_guess(item)} [m{item.id}]" for item in known
    )
    return Answer(text=text, citations=citations, support=1.0, links=pairs(citations))


def _outlived(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Items, of which what says that somebody has a pet is over where the pet died."""
    dead = {
        item.fact[0]
        for item in items
        if item.fact is not None and (item.fact[1].startswith("died ") or item.fact[2] == "dead")
    }
    return [
        replace(item, current=False)
        if item.fact is not None
        and is_pet(item.fact[1])
        and (item.fact[2] in dead or f"{item.fact[0]}'s {item.fact[1]}" in dead)
        else item
        for item in items
    ]


def judge(
    question: Question, items: Sequence[ContextItem], weights: SupportWeights
) -> list[tuple[float, ContextItem]]:
    """Items with their support, best first; equals in the order of recall."""
    judged = [(found.weigh(weights), item) for item, found in weighed(question, items)]
    return sorted(judged, key=lambda pair: -pair[0])


def _of_kind_first(
    question: Question, judged: Sequence[tuple[float, ContextItem]], threshold: float
) -> list[tuple[float, ContextItem]]:
    """Judged memories, of which those that carry an answer are ordered by having one, too.

    A turn with no time, place or number where one is asked for goes behind one that has it:
    "he's coming over for the wedding" tells of no day.
    """
    if question.kind not in VALUED:
        return list(judged)
    strong = [pair for pair in judged if pair[0] >= threshold]

    def rank(pair: tuple[float, ContextItem]) -> float:
        lacks = pair[1].fact is None and not kind_share(question, pair[1])
        return -pair[0] * (KINDLESS if lacks else 1.0)

    return [*sorted(strong, key=rank), *judged[len(strong) :]]


def _sure_only(
    judged: Sequence[tuple[float, ContextItem]], threshold: float
) -> list[tuple[float, ContextItem]]:
    """Judged memories without the guesses where a sure fact of the same kind answers as well."""
    sure = {
        item.fact[:2]
        for strength, item in judged
        if item.fact is not None and item.current and not item.tentative and strength >= threshold
    }
    return [
        (strength, item)
        for strength, item in judged
        if not (item.tentative and item.fact is not None and item.fact[:2] in sure)
    ]


def _guess(item: ContextItem) -> str:
    return f" {GUESS}" if item.tentative else ""


def _together(
    question: Question, best: ContextItem, strong: Sequence[ContextItem]
) -> list[ContextItem]:
    """The best and the other strong facts of the same slot, one for each answer."""
    end = slot(question, best).answer
    if best.fact is None or not end:
        return [best]
    kept = {_end(best, end).casefold(): best}
    for item in strong:
        found = _end(item, end)
        same = item.fact is not None and item.fact[1] == best.fact[1]
        alike = item.current == best.current and is_name(found) == is_name(_end(best, end))
        if same and alike and slot(question, item).answer == end and len(kept) < MOST_TOGETHER:
            kept.setdefault(found.casefold(), item)
    return list(kept.values())


def _end(item: ContextItem, end: str) -> str:
    return "" if item.fact is None else item.fact[2 if end == "object" else 0]


def _told(item: ContextItem, end: str) -> str:
    """An end of a fact with the article its sentence gives it: "the aquarium"."""
    name = _end(item, end)
    article = re.search(rf"\b(the|an?) {re.escape(name)}\b", item.text) if name else None
    return f"{article[1]} {name}" if article else name


def _head(question: Question, items: Sequence[ContextItem]) -> str:
    """What is asked for, before the quotes; empty where only the quotes tell."""
    fit, best = slot(question, items[0]), items[0]
    words = ""
    if question.kind == "time":
        words = _when(best, fit.answer) if fit.answer or fit.whole else ""
    elif question.kind == "yesno":
        words = _yes_or_no(question, best) if fit.whole else ""
    elif question.counts and fit.answer and len(items) > 1:
        words = f"{len(items)} ({', '.join(_told(item, fit.answer) for item in items)})"
    elif question.identity or (question.kind == "place" and not _placed(best)):
        words = ""
    elif question.kind not in ("reason", "number") or _answers_number(question, best, fit.answer):
        words = ", ".join(_told(item, fit.answer) for item in items) if fit.answer else ""
    if words and not best.current and question.kind not in ("time", "yesno"):
        words += " (no longer true)"
    return f"{words} {DASH} " if words else ""


def _placed(item: ContextItem) -> bool:
    """Whether the ends of a fact may be places: "lives in", "works at", "went to"."""
    relation = item.fact[1] if item.fact is not None else ""
    known = canonical(relation)
    return (known is not None and known.answers == "place") or relation.endswith(PLACING)


def _yes_or_no(question: Question, item: ContextItem) -> str:
    """What a fact that was asked about as a whole says, one that is over too."""
    if item.current and item.fact is not None and not (past(item.fact[1]) and not question.told):
        return "No" if _denies(question, item) else "Yes"
    return "" if question.told or question.past or _denies(question, item) else "No"


def _denies(question: Question, item: ContextItem) -> bool:
    """Whether a fact says the opposite of what is asked: "dislikes" of "like"."""
    known = canonical(item.fact[1]) if item.fact is not None else None
    if item.fact is not None and question.alive:
        return dead(item.fact[1], item.fact[2], item.text)
    if item.fact is not None and f"{item.fact[1]} ".startswith(("does not ", NO_LONGER)):
        return True
    if item.fact is not None and item.fact[1] in ENDED:
        return not content(item.fact[1]) & question.words
    opposite = known.opposite if known is not None else ""
    return (
        opposite in question.relations
        and item.fact is not None
        and (item.fact[1] not in question.relations)
    )


def _answers_number(question: Question, item: ContextItem, end: str) -> bool:
    return question.kind == "number" and any(c.isdigit() for c in _end(item, end))


def _when(item: ContextItem, end: str) -> str:
    """The day that a fact tells, or when it began."""
    known = canonical(item.fact[1]) if item.fact is not None else None
    told = end == "object" and (
        (known is not None and known.answers == "time")
        or (item.fact is not None and WEEKDAYS.match(item.fact[2]) is not None)
    )
    if not told and spans_days(item):
        return f"{_since(item.valid_from)} until {_since(item.valid_to)}"
    return _told(item, end) if told else _since(item.valid_from)


def _since(at: float | None) -> str:
    """The date a fact began, no more precise than it can have been stated."""
    if at is None or not rendering.known(at):
        return ""
    day = rendering.EPOCH + timedelta(seconds=at)
    words = rendering.date(at)
    if (day.month, day.day) == (1, 1):
        return str(day.year)
    return words.removeprefix("1 ") if day.day == 1 else words


def _source(item: ContextItem) -> str:
    since = "" if item.fact is None else _since(item.valid_from)
    said = rendering.date(item.at) if item.speaker or not since else ""  # nobody said it
    parts = [part for part in (item.speaker, said, f"since {since}" if since else "") if part]
    if not item.current:
        until = rendering.date(item.valid_to) if item.valid_to is not None else ""
        parts.append(f"until {until}" if until else "no longer true")
    return f" ({', '.join(parts)})" if parts else ""


def _from_chain(question: Question, chain: Chain) -> Answer:
    quotes = " ".join(
        f"{quoted(question, step.text, marked=True)}{_guess(step)} [m{step.id}]"
        for step in chain.steps
    )
    citations = tuple(step.id for step in chain.steps)
    return Answer(
        text=f"{chain.end} {DASH} {quotes}{_source(chain.steps[-1])}",
        citations=citations,
        support=1.0,
        links=pairs(citations),
    )
