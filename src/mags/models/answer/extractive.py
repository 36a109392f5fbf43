"""Answers without a model: the best supported memory, quoted with its mark, speaker and date.

A fact that fills the slot asked about gives its end first: "Oslo - "I moved to Oslo in May." [m42]
(Alice, 3 May 2024, since May 2024)". A chain of hops gives the end of its last fact and quotes
every step. Of a turn
it says first what is asked for, where that can be told: a day, a number, yes or no. Where it is not
sure it says so and quotes the two memories that come closest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from mags.models import rendering
from mags.models.answer.citations import pairs
from mags.models.answer.closest import CLOSE, MOST_QUOTED, OPEN, brief, closest, closest_read, quote
from mags.models.answer.cues import CUES, KIN_TERMS, WEEKDAYS, dead, of_nobody_else
from mags.models.answer.people import (
    about_whom,
    asks_own_name,
    before_another,
    before_nobody,
    by_name,
    own_name,
    profile,
    turns_about,
)
from mags.models.answer.question import ParsedQuestion, content, read_question
from mags.models.answer.spans import (
    CHANGED,
    EACH,
    NOW,
    SpanReader,
    Weighed,
    fact_features,
    likely,
    says,
    tells_anew,
    weighed_turns,
)
from mags.models.answer.support import (
    ENDED,
    WRONG_KIND_FACTOR,
    SupportWeights,
    end_of,
    kind_share,
    named,
    past,
    slot,
    spans_days,
    weighed,
)
from mags.models.answer.talk import said_last
from mags.models.answer.told import (
    CORRECTED,
    covers,
    covers_shortly,
    passage,
    said_first,
)
from mags.models.answer.topics import compared, compares, told_of, told_when
from mags.models.words import is_name, stems
from mags.ports.answer import Answer, ContextItem, OnText, RecallAgain
from mags.ports.english import is_verb
from mags.ports.policy import DISPUTED, GUESS, NO_LONGER, Turn
from mags.ports.relations import canonical

DASH = "\N{EM DASH}"
FIRM = 0.4
"""How likely a later turn may answer otherwise than a fact that is surely held."""
OPENS = re.compile(r"([A-Z][\w'-]+) ([a-z]+)\b")
"""How a sentence begins that may be of somebody else than who says it: "Ana lives"."""
TOLD_BY = re.compile(r"\b(?:i|we|my|our|i'm|we're)\b", re.I)
"""What says that it is of who says it, all the same."""
MAY_ANSWER = 0.15
"""How likely a turn answers, from which its news may be about what is asked."""
YEAR = re.compile(r"\b\d{4}\b")
MOST_TOGETHER = 5
FEWEST_KNOWN = 3
"""Facts of somebody of whom everything is asked; of whom fewer are held, turns are quoted."""
MOST_HEARD = 4
"""Turns that are tried, best first."""
MOST_LATER = 8
"""Memories among which a later word on the matter is looked for."""
NEAREST = 2
"""Turns that recall put first: these speak of what is asked even in other words."""
LESS_SURE = 0.8
"""Of the threshold: what a turn needs that has all that is asked."""
VALUED = ("time", "place", "number")
"""Kinds of answer that a text shows it has."""
PLACING = (" in", " at", " to", " for", " from", " near", " on")
TO_COME = re.compile(r"\b(?:will|when|going to|next|soon|start|starts|starting|plans?)\b", re.I)
"""A question that may ask for what is to come."""
COUNT = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) "
    r"(?:more |other |different )?(?P<noun>[a-z]+)(?P<behind>[^.!?;]*)",
    re.I,
)
SO_FAR = re.compile(r"\b(?:now|so far|already|in total|altogether)\s*$", re.I)
OWN_WORD = 5
"""Grade of what somebody says of themself, which nobody else tells anew."""
LEAST = 0.5
"""Support that a later turn needs to go first. A turn with every word asked for has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveAnswerer:
    """An `Answerer` that quotes.

    `reader`: finds the words of a turn that answer a question; None leaves turns to cues. `sure`:
    how likely right an answer has to be with a reader, `threshold`: the support without one.
    """

    threshold: float = 0.59
    sure: float = 0.74
    weights: SupportWeights = field(default_factory=SupportWeights)
    reader: SpanReader | None = None

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
        """Quote the best supported memory.

        Recalls again only for who was there before another, and for what was said last.
        """
        shown = items if TO_COME.search(question.text) else without_future(items, question.at)
        before = before_another(question, shown, recall_again)
        if before is not None:
            question, shown = before
        answer = (
            _answer_about_person(question, items)
            or said_last(question, recent, recall_again)
            or told_when(question, items, recent, recall_again)
        )
        if answer is None and self.reader is not None:
            answer = self._of_all(question, shown, self.reader)
        if answer is None:
            answer = (
                self._answer(question, shown)
                or self._by_name(question, shown)
                or self._told_shortly(question, shown)
                or self._closest(question, shown)
            )
        if on_text is not None:
            on_text(answer.text)
        return answer

    def _by_name(self, question: Turn, items: Sequence[ContextItem]) -> Answer | None:
        """Answer a question about "my brother" by his name; None where that answers nothing."""
        named = by_name(question, items)
        if named is None:
            return None
        asked, told = named
        answer = self._answer(asked, items)
        if answer is None or told.id in answer.citations:
            return answer
        citations = (*answer.citations, told.id)
        text = f"{answer.text} {OPEN}{brief(told.text)}{CLOSE}{_mark(told)}"
        return replace(answer, text=text, citations=citations, links=pairs(citations))

    def _answer(self, turn: Turn, items: Sequence[ContextItem]) -> Answer | None:
        """The answer of the facts that fit, else of the turns; None where neither is sure."""
        question = read_question(turn)
        chain = find_chain(question, items)
        if chain is not None:
            steps, end = chain
            return _quoting(question, f"{end} {DASH} ", steps, steps[-1], 1.0)
        ranked = judge(question, _end_dead_pets(items), self.weights)
        ranked = _sure_only(_of_kind_first(question, ranked, self.threshold), self.threshold)
        judged = newest_first(question, ranked, self.threshold)
        if not judged or judged[0][0] < self.threshold * LESS_SURE:
            return None
        strength, best = judged[0]
        if strength < self.threshold:
            return self._of_turns(turn, question, judged, items, None)
        strong = [item for s, item in judged if s >= self.threshold]
        together = _together(question, best, strong)
        head = _head(question, together) if best.fact is not None else ""
        plain = (
            best.fact is not None and not best.tentative and _says_all(question, turn.text, best)
        )
        if not (head or plain):
            anew = best if best is not ranked[0][1] else None
            return self._of_turns(turn, question, judged, items, anew)
        doubtful = best.tentative or question.kind == "yesno" or NOW.search(turn.text) is not None
        if doubtful and overtaken(question, turn.text, best, items):
            return None
        return _quoting(question, head, together, best, strength)

    def _of_turns(
        self,
        turn: Turn,
        question: ParsedQuestion,
        judged: Sequence[tuple[float, ContextItem]],
        items: Sequence[ContextItem],
        anew: ContextItem | None,
    ) -> Answer | None:
        """The answer of the first turn that has all that is asked; of now, the latest such turn.

        `anew`: a turn that tells the same once more, in fewer words.
        """
        found = []
        for strength, item in judged[:MOST_HEARD]:
            least = self.threshold * (LESS_SURE if item.fact is None else 1.0)
            if strength < least or (item.fact is not None and item.tentative):
                continue
            told = passage(question, item.text, MOST_QUOTED)
            if item is not anew and not covers(question, item, told):
                continue
            head = said_first(question, turn.text, item, told)
            if head is not None:
                found.append(
                    (item.at if NOW.search(turn.text) else 0.0, strength, item, head, told)
                )
        if not found:
            return None
        _, strength, item, head, told = max(found, key=lambda one: one[0])
        if overtaken(question, turn.text, item, items):
            return None
        words = brief(told)
        text = f"{head} {DASH} {OPEN}{words}{CLOSE}" if head else words
        support = max(strength, self.threshold)
        return Answer(
            text=f"{text}{_mark(item)}{_source(item)}", citations=(item.id,), support=support
        )

    def _of_all(self, turn: Turn, items: Sequence[ContextItem], reader: SpanReader) -> Answer:
        """The likeliest of what a fact and the turns that are read answer, else the closest."""
        parsed = read_question(turn)
        read = weighed_turns(turn, parsed, items, reader)
        answer = told_of(turn, read) or compared(turn, items, reader)
        if answer is not None:
            return answer
        if compares(turn.text) or before_nobody(turn, items):
            return closest_read(parsed, items, read)
        fact = self.of_fact(turn, items)
        by_id = {item.id: item for item in items}
        if fact is not None and self._stands(turn, parsed, fact, by_id, read):
            return fact
        best = max(read, key=lambda one: one.best, default=None)
        if best is None or best.best < self.sure:
            return closest_read(parsed, items, read)
        found, item = best.candidate, best.candidate.item
        theirs = [one for one in read if one.candidate.item.speaker == item.speaker]
        over = not (item.current or parsed.past or (item.valid_to or 0.0) > turn.at)
        if over or _is_told_anew(item.speaker, item.at, stems(found.head), parsed, theirs):
            return closest_read(parsed, items, read)
        words = brief(found.quote)
        if best.value >= min(self.sure, best.quote):
            words = f"{found.head} {DASH} {OPEN}{words}{CLOSE}"
        return Answer(
            text=f"{words}{_mark(item)}{_source(item)}", citations=(item.id,), support=best.best
        )

    def _stands(
        self,
        turn: Turn,
        parsed: ParsedQuestion,
        fact: Answer,
        items: Mapping[int, ContextItem],
        read: Sequence[Weighed],
    ) -> bool:
        """Whether what a fact answers is likely right, by the turns. Where none is there, it is."""
        own = items[fact.citations[0]]
        hops = [i for i in fact.citations if items[i].step is not None]
        if len(hops) > 1 or not read:
            return True  # a chain, or what nobody said in a turn
        head, dash, _ = fact.text.partition(f" {DASH} ")
        head = head if dash else ""
        if EACH.search(turn.text) and YEAR.search(head):
            return False  # what comes again and again has no date
        subject = own.fact[0] if own.fact else own.speaker
        values = stems(head) or (stems(own.fact[2]) if own.fact else frozenset())
        theirs = [
            one for one in read if _may_renew(subject, own.speaker, one.candidate.item.speaker)
        ]
        if _is_told_anew(subject, own.at, values, parsed, theirs):
            return False
        told = fact_features(parsed, own, head, fact.support, read)
        if read[0].best >= self.sure and says(read[0], own, head):
            return True
        held = own.current or parsed.past or (own.valid_to or 0.0) > turn.at
        if own.tentative or own.disputed or not held:
            return likely("fact", parsed, told) >= self.sure
        # What is surely held stands, unless a later turn of whom it tells answers otherwise.
        return not any(
            one.candidate.item.at > own.at
            and one.value >= FIRM
            and _is_about(subject, one.candidate.item)
            and not says(one, own, head)
            for one in theirs
        )

    def of_fact(self, turn: Turn, items: Sequence[ContextItem]) -> Answer | None:
        """What facts alone answer, however the turns speak; None where none fits."""
        alone = replace(self, reader=None)
        known = [item for item in items if item.fact is not None]
        found = alone._answer(turn, known) or alone._by_name(turn, known)
        return found

    def _told_shortly(self, turn: Turn, items: Sequence[ContextItem]) -> Answer | None:
        """The day or the number told by a turn that recall put first, however shortly.

        "chess club tuesdays 19.00", of the club of who said it: it has all that is asked and a day.
        """
        question = read_question(turn)
        turns = [item for item in items if item.fact is None][:NEAREST]
        for item in turns:
            told = passage(question, item.text, MOST_QUOTED)
            if not covers_shortly(question, item, told):
                continue
            head = said_first(question, turn.text, item, told)
            if not head or question.kind == "yesno":
                continue
            if overtaken(question, turn.text, item, items):
                return None
            text = f"{head} {DASH} {OPEN}{brief(told)}{CLOSE}{_mark(item)}{_source(item)}"
            return Answer(text=text, citations=(item.id,), support=self.threshold)
        return None

    def _closest(self, question: Turn, items: Sequence[ContextItem]) -> Answer:
        read = read_question(question)
        support = {item.id: strength for strength, item in judge(read, items, self.weights)}
        return closest(read, items, support)


def _may_renew(subject: str, speaker: str, other: str) -> bool:
    """Whether the word of another may be news: not of what somebody says of themself."""
    return other == speaker or speaker.casefold() != subject.casefold()


def _is_told_anew(
    subject: str,
    at: float,
    values: frozenset[str],
    parsed: ParsedQuestion,
    read: Sequence[Weighed],
) -> bool:
    """Whether a later turn of whom it tells ends or corrects a value; of what was, none does."""
    asked = parsed.words - frozenset().union(*parsed.names)
    return not parsed.past and any(
        one.candidate.item.at > at
        and (_is_about(subject, one.candidate.item) or values & stems(one.candidate.item.text))
        and tells_anew(one.candidate, values, asked if one.value >= MAY_ANSWER else frozenset())
        for one in read
    )


def _is_about(subject: str, item: ContextItem) -> bool:
    """Whether a turn speaks of somebody: it names them, or is theirs and of nobody else."""
    if stems(subject) & stems(item.text):
        return True
    if item.speaker.casefold() != subject.casefold():
        return False
    opens = OPENS.match(item.text)
    other = opens is not None and is_verb(opens[2]) and not is_verb(opens[1].casefold())
    return not other or TOLD_BY.search(item.text) is not None


def _quoting(
    question: ParsedQuestion,
    head: str,
    items: Sequence[ContextItem],
    best: ContextItem,
    support: float,
) -> Answer:
    """An answer that begins with `head` and quotes items, with the source of the best."""
    quotes = " ".join(
        f"{quoted(question, item.text, marked=bool(head))}{_mark(item)}" for item in items
    )
    citations = tuple(item.id for item in items)
    return Answer(
        text=f"{head}{quotes}{_source(best)}",
        citations=citations,
        support=support,
        links=pairs(citations),
    )


def _answer_about_person(question: Turn, items: Sequence[ContextItem]) -> Answer | None:
    """Answer "what is my name?" or "what do you know about Ana?"; None for any other question."""
    if asks_own_name(question.text):
        found = own_name(question, items)
        if found is None:
            return None
        name, shown = found
        text = f"{name} {DASH} {OPEN}{brief(shown.text)}{CLOSE}{_mark(shown)}{_source(shown)}"
        return Answer(text=text, citations=(shown.id,), support=1.0)
    whom = about_whom(question)
    known = profile(whom, items) if whom else []
    if whom and len(known) < FEWEST_KNOWN:
        sure = [item for item in known if not item.tentative]
        said = {item.id for item in sure}
        turns = [item for item in turns_about(whom, items) if item.within not in said]
        known = [*sure, *sorted(turns, key=lambda item: item.at)] or known
    if not known:
        return None
    citations = tuple(item.id for item in known)
    text = " ".join(
        quote(item) if item.fact is None else f"{brief(item.text)}{_mark(item)}" for item in known
    )
    return Answer(text=text, citations=citations, support=1.0, links=pairs(citations))


# Which memory answers.


def without_future(items: Sequence[ContextItem], at: float) -> list[ContextItem]:
    """Leave out a future fact where a current one of the same subject and relation holds.

    Who works at Lumen now and at Brightwater from June works at Lumen. `at`: now, seconds.
    """
    holds = {item.fact[:2] for item in items if item.fact and item.current and not _ahead(item, at)}
    return [i for i in items if i.fact is None or not _ahead(i, at) or i.fact[:2] not in holds]


def _ahead(item: ContextItem, at: float) -> bool:
    return item.valid_from is not None and item.valid_from > at > 0.0


def overtaken(
    question: ParsedQuestion, text: str, best: ContextItem, items: Sequence[ContextItem]
) -> bool:
    """Whether a later turn speaks of the same and may have changed it, so that nothing is sure.

    Where now is asked for ("still", "now"), any later word on it may.
    """
    now = NOW.search(text) is not None
    over = question.past or question.told or question.then is not None
    asked = question.words - frozenset().union(*question.names)
    turns = [item for item in items if item.fact is None and item.text != best.text]
    for place, item in enumerate(turns[:MOST_LATER]):
        if item.at <= best.at or item.speaker not in (best.speaker, ""):
            continue
        same, near = bool(asked & content(item.text)), place < NEAREST
        if (same or near) and CORRECTED.search(item.text):
            return True
        if item.text.rstrip().endswith("?") or (over and not now):
            continue
        if (now and (same or near)) or (same and CHANGED.search(item.text)):
            return True
    return False


def _says_all(question: ParsedQuestion, text: str, item: ContextItem) -> bool:
    """Whether a fact that has no answer of its own says all that is asked in its sentence."""
    return covers(question, item, item.text) and said_first(question, text, item, item.text) == ""


def _end_dead_pets(items: Sequence[ContextItem]) -> list[ContextItem]:
    """Items, where a fact that somebody has a pet counts as over once the pet died."""
    dead = {
        item.fact[0]
        for item in items
        if item.fact is not None and (item.fact[1].startswith("died ") or item.fact[2] == "dead")
    }
    return [
        replace(item, current=False)
        if item.fact is not None
        and KIN_TERMS.get(item.fact[1], ("", ""))[1] == "pet"
        and (item.fact[2] in dead or f"{item.fact[0]}'s {item.fact[1]}" in dead)
        else item
        for item in items
    ]


def judge(
    question: ParsedQuestion, items: Sequence[ContextItem], weights: SupportWeights
) -> list[tuple[float, ContextItem]]:
    """Items with their support, best first; equals in the order of recall."""
    judged = [(found.weigh(weights), item) for item, found in weighed(question, items)]
    return sorted(judged, key=lambda pair: -pair[0])


def _of_kind_first(
    question: ParsedQuestion, judged: Sequence[tuple[float, ContextItem]], threshold: float
) -> list[tuple[float, ContextItem]]:
    """Memories, best first, with those that hold the kind of thing asked for in front.

    For "when is the wedding?", "he's coming over for the wedding" goes behind a turn with a day.
    """
    if question.kind not in VALUED:
        return list(judged)
    strong = [pair for pair in judged if pair[0] >= threshold]

    def rank(pair: tuple[float, ContextItem]) -> float:
        lacks = pair[1].fact is None and not kind_share(question, pair[1])
        return -pair[0] * (WRONG_KIND_FACTOR if lacks else 1.0)

    return [*sorted(strong, key=rank), *judged[len(strong) :]]


def _sure_only(
    judged: Sequence[tuple[float, ContextItem]], threshold: float
) -> list[tuple[float, ContextItem]]:
    """Leave out guesses where a sure fact of the same subject and relation answers as well.

    So is what others say where somebody's own word answers.
    """
    sure: dict[tuple[str, ...], int] = {}
    for strength, item in judged:
        if item.fact is not None and item.current and not item.tentative and strength >= threshold:
            sure[item.fact[:2]] = max(sure.get(item.fact[:2], 0), item.grade)

    def stands(item: ContextItem) -> bool:
        if item.fact is None or item.fact[:2] not in sure:
            return True
        return not item.tentative and item.grade >= sure[item.fact[:2]]

    return [(strength, item) for strength, item in judged if stands(item)]


def newest_first(
    question: ParsedQuestion, judged: Sequence[tuple[float, ContextItem]], threshold: float
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


def _tells_anew(
    question: ParsedQuestion, best: ContextItem, item: ContextItem, *, strong: bool
) -> bool:
    """Whether a turn was said after the best memory and tells the same matter once more."""
    if item.fact is not None or item.within is not None or item.at <= best.at or not item.current:
        return False
    if item.text.rstrip().endswith("?"):
        return False
    if best.grade >= OWN_WORD and item.speaker != best.speaker:
        return False
    if _counts_anew(question, best, item):
        return True
    if question.told or not strong or not question.words <= content(item.text):
        return False
    cue = CUES.get(question.kind)
    if cue is not None and cue.search(item.text) is None:
        return False
    valued = question.kind in ("number", "time") and best.fact is None
    return valued or CHANGED.search(item.text) is not None


def _counts_anew(question: ParsedQuestion, best: ContextItem, item: ContextItem) -> bool:
    """Whether a turn gives a newer count of the same thing: "seven species now", "5 species".

    The newer turn need not repeat the verb that was asked for.
    """
    if not question.counts or best.fact is not None or item.speaker != best.speaker:
        return False
    if not of_nobody_else(item.text, question.words):
        return False
    counted = {c["noun"].casefold() for c in COUNT.finditer(best.text)}
    again = (c for c in COUNT.finditer(item.text) if c["noun"].casefold() in counted)
    return any(content(c["noun"]) & question.words and SO_FAR.search(c["behind"]) for c in again)


def _together(
    question: ParsedQuestion, best: ContextItem, strong: Sequence[ContextItem]
) -> list[ContextItem]:
    """The best and the other strong facts of the same slot, one for each answer."""
    end = slot(question, best).answer
    if best.fact is None or not end:
        return [best]
    kept = {end_of(best, end).casefold(): best}
    for item in strong:
        found = end_of(item, end)
        same = item.fact is not None and item.fact[1] == best.fact[1]
        alike = item.current == best.current and is_name(found) == is_name(end_of(best, end))
        if same and alike and slot(question, item).answer == end and len(kept) < MOST_TOGETHER:
            kept.setdefault(found.casefold(), item)
    return list(kept.values())


def find_chain(
    question: ParsedQuestion, items: Sequence[ContextItem]
) -> tuple[Sequence[ContextItem], str] | None:
    """Return the facts that join up in the order of their steps, and the end they lead to.

    None unless the steps (0, 1, ...) are of two facts or more, each of which shares an end with
    the one before. A fact may be walked either way; the first from the end that the question names.
    """
    steps = sorted(
        (item for item in items if item.step is not None and item.fact is not None),
        key=lambda item: item.step or 0,
    )
    if len(steps) < 2 or [item.step for item in steps] != list(range(len(steps))):
        return None
    ends = [(end_of(item, "subject"), end_of(item, "object")) for item in steps]
    reached = tuple(end for end in ends[0] if not named(question, end)) or ends[0]
    for subject, obj in ends[1:]:
        folded = {end.casefold() for end in reached}
        if subject.casefold() in folded:
            reached = (obj,)
        elif obj.casefold() in folded:
            reached = (subject,)
        else:
            return None
    return steps, reached[0]


# How it is told.


def _told(item: ContextItem, end: str) -> str:
    """An end of a fact with the article its sentence gives it: "the aquarium"."""
    name = end_of(item, end)
    article = re.search(rf"\b(the|an?) {re.escape(name)}\b", item.text) if name else None
    return f"{article[1]} {name}" if article else name


def _head(question: ParsedQuestion, items: Sequence[ContextItem]) -> str:
    """What is asked for, before the quotes; empty where only the quotes tell."""
    fit, best = slot(question, items[0]), items[0]
    ends = [_told(item, fit.answer) for item in items] if fit.answer else []
    words = ""
    if question.kind == "time":
        words = _when(best, fit.answer) if fit.answer or fit.whole else ""
    elif question.kind == "yesno":
        words = _yes_or_no(question, best) if fit.whole else ""
    elif question.counts and len(ends) > 1:
        words = f"{len(ends)} ({', '.join(ends)})"
    elif not (question.identity or question.kind == "reason"):
        lacks_number = question.kind == "number" and not re.search(r"\d", "".join(ends[:1]))
        lacks_place = question.kind == "place" and not _placed(best)
        words = "" if lacks_number or lacks_place else ", ".join(ends)
    if words and not best.current and question.kind not in ("time", "yesno"):
        words += " (no longer true)"
    return f"{words} {DASH} " if words else ""


def _placed(item: ContextItem) -> bool:
    """Whether the ends of a fact may be places: "lives in", "works at", "went to"."""
    relation = item.fact[1] if item.fact is not None else ""
    known = canonical(relation)
    return (known is not None and known.answers == "place") or relation.endswith(PLACING)


def _yes_or_no(question: ParsedQuestion, item: ContextItem) -> str:
    """What a fact that was asked about as a whole says, one that is over too."""
    denied = _denies(question, item)
    if item.current and item.fact is not None and not (past(item.fact[1]) and not question.told):
        return "No" if denied else "Yes"
    return "" if question.told or question.past or denied else "No"


def _denies(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a fact says the opposite of what is asked: "dislikes" of "like"."""
    if item.fact is None:
        return False
    _, relation, obj = item.fact
    if question.alive:
        return dead(relation, obj, item.text)
    if f"{relation} ".startswith(("does not ", NO_LONGER)):
        return True
    if relation in ENDED:
        return not content(relation) & question.words
    known = canonical(relation)
    opposite = known.opposite if known is not None else ""
    return opposite in question.relations and relation not in question.relations


def _when(item: ContextItem, end: str) -> str:
    """The day that a fact tells, or when it began."""
    _, relation, obj = item.fact or ("", "", "")
    known = canonical(relation)
    day = (known is not None and known.answers == "time") or WEEKDAYS.match(obj) is not None
    if end == "object" and day:
        return _told(item, end)
    if spans_days(item):
        return f"{_since(item.valid_from)} until {_since(item.valid_to)}"
    return _since(item.valid_from)


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


def _mark(item: ContextItem) -> str:
    """What stands behind a quote: whether it is a guess or disputed, and its citation."""
    marks = [GUESS] * item.tentative + [DISPUTED] * item.disputed
    return f"{''.join(f' {mark}' for mark in marks)} [m{item.id}]"


def quoted(question: ParsedQuestion, text: str, *, marked: bool) -> str:
    """The passage of a memory that says what was asked, in quotation marks if `marked`."""
    best = brief(passage(question, text, MOST_QUOTED))
    return f"{OPEN}{best}{CLOSE}" if marked else best
