"""Answers without a model: the best supported memory, quoted with its mark, speaker and date.

A fact that fills the slot asked about gives its end first: "Oslo - "I moved to Oslo in May." [m42]
(Alice, 3 May 2024, since May 2024)". A chain of hops gives the end of its last fact and quotes
every step. A turn
gives the words that a reader finds in it: a day, a number, yes or no. Where it is not sure it says
so and quotes the two memories that come closest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mags.models import rendering
from mags.models.answer import cues, spans, topics
from mags.models.answer.amounts import compared, worked_out
from mags.models.answer.question import (
    ParsedQuestion,
    content,
    of_another_thing,
    read_question,
    same_relation,
)
from mags.models.answer.support import (
    GIVEN_UP,
    LEAST,
    end_of,
    kind_share,
    named,
    of_others,
    past,
    slot,
    spans_days,
    support,
)
from mags.models.answer.topics import (
    CLOSE,
    OPEN,
    brief,
    citing,
    closest,
    lacks_class,
    members_told,
    pairs,
    quote,
)
from mags.models.policy.reader.policy import TrainedReader
from mags.models.policy.rules.tokens import is_name, stems
from mags.ports.answer import Answer, ContextItem, OnText, RecallAgain
from mags.ports.english import foreign
from mags.ports.policy import DISPUTED, GUESS, NO_LONGER, Turn
from mags.ports.relations import canonical

DASH = "\N{EM DASH}"
FIRM = 0.5
"""How likely a later turn may answer otherwise than a fact that is surely held."""
DOUBTFUL = 0.85
"""How likely an answer has to be right of a guess, or of what may be over or not what is asked."""
INTENDED = "plans wants"
"""What a fact says beside its words of what is not yet done."""
SHARES = (
    (cues.SUMMED, cues.SUMMED),
    (cues.LEFT_OVER, cues.TOLD_LEFT),
    (cues.DIFFERENCE, cues.TOLD_DIFFERENCE),
    (cues.OF_EACH, cues.TOLD_OF_EACH),
)
"""How a question asks for a sum, for the rest, a difference or a share, and how those are told."""
WEEK = re.compile(r"\bthe week of \d{1,2} \w+ \d{4}\b")
MOST_TOGETHER = 5
FEWEST_KNOWN = 3
"""Facts of somebody of whom everything is asked; of whom fewer are held, turns are quoted."""
VALUED = ("time", "place", "number")
"""Kinds of answer that a text shows it has."""
PLACING = (" in", " at", " to", " from", " near", " on")
NAMED = re.compile(r"[^\W\d_a-z][\w'-]*(?: [^\W\d_a-z][\w'-]*)*$")
"""The name that words end in: "my neighbour Lorcan"."""
OF_RELATIVE = re.compile(r"\b(?:my|our|[A-Z][\w-]*'s) (?:[\w-]+'s )+[\w-]+")
"""Somebody told by whose relative they are: "my sister's husband"."""
SAYING = re.compile(r"\b(?:say|says|said|tells?|told|mention\w*|writes?|wrote|written)\b", re.I)
TO_COME = re.compile(r"\b(?:will|when|going to|next|soon|start|starts|starting|plans?)\b", re.I)
"""A question that may ask for what is to come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveAnswerer:
    """An `Answerer` that quotes.

    `reader`: finds the words of a turn that answer a question. `sure`: how likely right an answer
    has to be.
    """

    sure: float = 0.7
    reader: spans.SpanReader = field(default_factory=lambda: TrainedReader().answers)

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
        before = topics.before_another(question, shown, recall_again)
        if before is not None:
            question, shown = before
        answer = (
            _answer_about_person(question, items, recall_again)
            or _of_members(question, items)
            or topics.said_last(question, recent, recall_again)
            or topics.told_when(question, items, recent, recall_again)
        )
        if answer is None:
            own = [item for item in shown if not item.echoes]
            answer = self._in_two_steps(question, own, recall_again)
        if on_text is not None:
            on_text(answer.text)
        return answer

    def _in_two_steps(
        self, turn: Turn, items: Sequence[ContextItem], recall_again: RecallAgain
    ) -> Answer:
        """What is answered at once, else of "my boss" or "the man who fixes my bike" by name.

        Who that is answers nothing else.
        """
        answer = self._of_all(turn, items)
        named = self._named(turn, items, answer)
        if named is None:
            return answer
        asked, told = named
        known = {item.id for item in items}
        items = (*items, *(one for one in recall_again(asked.text) if one.id not in known))
        again = self._of_all(asked, items)
        if again.outcome != "answered" or content(_head_of(again)) <= content(turn.text):
            return answer if answer.outcome != "answered" else again
        return again if told.id in again.citations else _beside(again, told)

    def _named(
        self, turn: Turn, items: Sequence[ContextItem], answer: Answer
    ) -> tuple[Turn, ContextItem] | None:
        """A question with somebody told by name who is told otherwise, and what tells the name.

        None where nobody is, or where it was answered by something else.
        """
        facts = [item for item in items if item.fact is not None]
        by_fact = _by_chain(turn, facts) or topics.by_name(turn, facts)
        if by_fact is not None:
            return by_fact if answer.outcome != "answered" else None
        described = topics.described(turn)
        if described is None:
            return None
        whole, who = described
        asked = replace(turn, text=who)
        read = spans.weighed_turns(asked, read_question(asked), items, self.reader)
        likely = ((one, NAMED.search(one.head)) for one in read if one.value >= self.sure)
        best = next(((one, name[0]) for one, name in likely if name is not None), None)
        if best is None:
            return None
        one, name = best
        if answer.outcome == "answered" and not stems(_head_of(answer)) <= stems(one.head):
            return None
        return replace(turn, text=turn.text.replace(whole, name)), one.item

    def _of_all(self, turn: Turn, items: Sequence[ContextItem]) -> Answer:
        """The likeliest of what a fact and the turns that are read answer, else the closest."""
        parsed = read_question(turn)
        texts = [item.text for item in items]
        own = [item for item in items if not of_another_thing(turn.text, item.text, texts)]
        read = spans.weighed_turns(turn, parsed, own, self.reader)
        answer = topics.told_of(turn, read)
        if answer is not None:
            return answer
        reckoned = _reckoned(turn, parsed, read)
        if reckoned is not None:
            return reckoned
        if lacks_class(turn, items) or foreign(turn.text):
            return closest(parsed, items, read)
        fact = of_fact(turn, items)
        by_id = {item.id: item for item in items}
        if fact is not None and self._stands(turn, parsed, fact, by_id, read):
            return fact
        read = [one for one in read if not cues.of_another(parsed.own, one.item.text)]
        likely = (one for one in read if self._answers(turn, parsed, one, read))
        best = max(likely, key=lambda one: one.best, default=None)
        if best is None:
            return closest(parsed, items, read, held=fact is not None)
        item = best.item
        words, day = brief(best.quote), ""
        if best.value >= min(self.sure, best.quoted):
            words = f"{best.head} {DASH} {OPEN}{words}{CLOSE}"
        elif parsed.kind == "time":
            day = topics.worked_out(best.head, best.quote)
        return citing(f"{words}{_mark(item)}{_source(item, day)}", [item], best.best)

    def _answers(
        self,
        turn: Turn,
        parsed: ParsedQuestion,
        one: spans.Candidate,
        read: Sequence[spans.Candidate],
    ) -> bool:
        """Whether a turn is likely enough right, and holds.

        It has to be likelier where it may not show all that is asked, or not what holds now.
        """
        item, yesno = one.item, parsed.kind == "yesno"
        theirs = [other for other in read if other.item.speaker == item.speaker]
        if (
            not (item.current or parsed.past or (item.valid_to or 0.0) > turn.at)
            or _is_of_other_words(turn.text, parsed, one)
            # Where another says "I work" is not where she does.
            or (not one.features["about"] and spans.TOLD_BY.search(one.quote))
            # Of what takes something back, the words that hold cannot be told.
            or cues.CORRECTED.search(one.quote)
            or any(spans.corrects(other, one.head, item.at) for other in theirs)
            # One value is no sum of several, nor a sum that of each, unless it is told as that.
            or any(ask.search(turn.text) and not tell.search(one.quote) for ask, tell in SHARES)
            or not _compares(parsed, one)
            or _is_what_came_after(parsed, one, read)
            # A yes or no that is likely by itself may stand in any turn.
            or (yesno and one.features["shown"] < 0.0)
            or (
                _does_not_say(turn.text, parsed, one)
                if yesno
                else cues.opposed(parsed.words, content(one.quote))
            )
        ):
            return False
        doubtful = (
            # Who broke a hip need not have broken a leg.
            (one.head == "Yes" and one.features["cover"] < 1.0)
            # When something is, is mostly told with it: "I love Mondays" are no days of work.
            or (parsed.kind == "time" and not one.features["cover"])
            # What Emil wants is not what Ida does, unless it is told of both elsewhere.
            or (not one.features["about"] and spans.opens_with_another(item))
            or _is_told_anew(item.speaker, item.at, one.head, parsed, theirs)
        )
        return one.best >= (max(self.sure, DOUBTFUL) if doubtful else self.sure)

    def _stands(
        self,
        turn: Turn,
        parsed: ParsedQuestion,
        fact: Answer,
        items: Mapping[int, ContextItem],
        read: Sequence[spans.Candidate],
    ) -> bool:
        """Whether what a fact answers is likely right, by the turns. Where none is there, it is."""
        own = items[fact.citations[0]]
        if _says_back(turn, parsed, own):
            return False
        hops = [i for i in fact.citations if items[i].step is not None]
        if len(hops) > 1 or not read:
            return True  # a chain, or what nobody said in a turn
        head, dash, _ = fact.text.partition(f" {DASH} ")
        head = head if dash else ""
        subject = own.fact[0] if own.fact else own.speaker
        value = head or (own.fact[2] if own.fact else "")
        theirs = [one for one in read if _may_renew(subject, own.speaker, one.item.speaker)]
        if any(spans.corrects(one, value, own.at) for one in theirs):
            return False
        if _is_told_anew(subject, own.at, value, parsed, theirs):
            return False
        told = spans.fact_features(parsed, own, head, fact.support, read)
        part = frozenset() < content(head) < content(read[0].head)
        if part and parsed.kind != "time" and read[0].value >= self.sure:
            return False  # a fact tells each of several, or less
        if read[0].best >= self.sure and spans.says(read[0], own, head):
            return True
        held = own.current or parsed.past or (own.valid_to or 0.0) > turn.at
        if own.tentative or own.disputed or not held:
            return spans.fitted()["fact"].probability(told) >= max(self.sure, DOUBTFUL)
        # What is surely held stands, unless a later turn of whom it tells answers otherwise; what
        # was is not told anew by what is.
        return (parsed.past and not own.current) or not any(
            one.item.at > own.at
            and one.value >= FIRM
            and (parsed.kind != "time" or one.features["cover"])
            and spans.about(stems(subject), one.item)
            and not of_others(parsed, one.item)
            and not spans.says(one, own, head)
            for one in theirs
        )


def _is_of_other_words(text: str, parsed: ParsedQuestion, one: spans.Candidate) -> bool:
    """Whether it is asked what somebody said, and a turn of another does not tell it."""
    theirs = not parsed.doer or parsed.doer & stems(one.item.speaker)
    return bool(SAYING.search(text) and not theirs and not SAYING.search(one.quote))


def _reckoned(turn: Turn, parsed: ParsedQuestion, read: Sequence[spans.Candidate]) -> Answer | None:
    """What amounts that are told come to, where a question compares or asks for a number."""
    if not (parsed.kind == "number" or cues.COMPARED.search(turn.text)):
        return None
    items = [one.item for one in read]
    likely = {one.item.id for one in read if one.features["shown"] >= 0.0}
    found = compared(turn, items, likely) or worked_out(turn, items, likely)
    if found is None:
        return None
    result, shown = found
    return _quoting(f"{result} {DASH} ", shown, shown[-1], 1.0)


def _compares(parsed: ParsedQuestion, one: spans.Candidate) -> bool:
    """Whether a turn tells which is more, or of both that are compared."""
    if not parsed.compares or cues.COMPARED.search(one.quote):
        return True
    held = content(one.quote)
    return bool(parsed.offered) and all(thing & held for thing in parsed.offered)


def _is_what_came_after(
    parsed: ParsedQuestion, one: spans.Candidate, read: Sequence[spans.Candidate]
) -> bool:
    """Whether a turn tells anew of what another told before, where what was is asked for."""
    return bool(parsed.past and one.features["changes"]) and any(
        other.item.at < one.item.at and other.best >= spans.MAY_ANSWER for other in read
    )


def _says_back(turn: Turn, parsed: ParsedQuestion, fact: ContextItem) -> bool:
    """Whether a fact only says what the question does: that a choir is sung in, not which."""
    if parsed.kind in ("yesno", "time"):
        return False
    known = content(f"{turn.text} {turn.speaker} {INTENDED}") | stems(turn.speaker)
    return content(" ".join(fact.fact) if fact.fact is not None else fact.text) <= known


def _does_not_say(text: str, parsed: ParsedQuestion, one: spans.Candidate) -> bool:
    """Whether the words of a turn do not say the yes or the no that it answers with.

    A yes, where they deny some of what is asked. A no, where they say it and tell of no end or
    change, or deny something else: who can't eat eggs may be allergic.
    """
    asked = parsed.words - frozenset().union(*parsed.names) or parsed.words
    told = [(content(part), cues.NOT.search(part) is not None) for part in cues.clauses(one.quote)]
    said = frozenset().union(*(words for words, denied in told if not denied))
    untold = frozenset().union(*(words for words, denied in told if denied))
    if one.head == "Yes":
        return bool(asked & untold - said)
    affirmed = any(asked <= words for words, denied in told if not denied)
    if untold:
        of_it = asked <= untold or cues.IS_NOT.search(one.quote) or not cues.STATE.match(text)
        return affirmed or not of_it
    ended = cues.DENIED.search(one.quote) or cues.RENEWED.search(one.quote)
    return affirmed and not (ended or cues.opposed(parsed.words, content(one.quote)))


def _of_members(question: Turn, items: Sequence[ContextItem]) -> Answer | None:
    """Those of a class of whom something is told, each with all that shows it."""
    found = members_told(question, items)
    if found is None:
        return None
    head, shown = found
    return _quoting(f"{head} {DASH} ", shown, shown[-1], 1.0)


def _head_of(answer: Answer) -> str:
    """What an answer begins with before it quotes; all of it where it only quotes."""
    return answer.text.partition(f" {DASH} ")[0]


def _beside(answer: Answer, told: ContextItem) -> Answer:
    """An answer with another memory that it rests on."""
    citations = (*answer.citations, told.id)
    text = f"{answer.text} {OPEN}{brief(told.text)}{CLOSE}{_mark(told)}"
    return replace(answer, text=text, citations=citations, links=pairs(citations))


def of_fact(turn: Turn, items: Sequence[ContextItem]) -> Answer | None:
    """What the facts that fit best answer, however the turns speak; None where none fits."""
    question = read_question(turn)
    facts = [item for item in items if item.fact is not None]
    chain = find_chain(question, facts)
    if chain is not None and question.kind != "yesno" and _says_all(question, chain[0]):
        steps, end = chain
        return _quoting(f"{end} {DASH} ", steps, steps[-1], 1.0)
    fitting = _sure_only(judge(question, _end_dead_pets(facts)))
    if not fitting:
        return None
    strength, best = fitting[0]
    together = _together(question, best, [item for _, item in fitting])
    head = _head(question, together)
    if not head and (best.tentative or question.kind in ("yesno", "reason", *VALUED)):
        return None
    return _quoting(head, together, together[0], strength)


def _says_all(question: ParsedQuestion, steps: Sequence[ContextItem]) -> bool:
    """Whether a chain does not end with who does what is asked: a sister's husband, of his work."""
    relations = [item.fact[1] for item in steps if item.fact is not None]
    last = canonical(relations[-1]) if relations else None
    if question.kind == "person" or last is None or last.answers != "person":
        return True
    walked = frozenset().union(*(same_relation(name) for name in relations))
    said = (words for name, words in question.relations.items() if name in walked)
    told = content(" ".join(item.text for item in steps)).union(*question.names, *said)
    return question.words <= told


def _by_chain(turn: Turn, facts: Sequence[ContextItem]) -> tuple[Turn, ContextItem] | None:
    """A question of "my sister's husband" asked by his name, and the fact that tells it."""
    parsed, whom = read_question(turn), OF_RELATIVE.search(turn.text)
    chain = find_chain(parsed, facts)
    if whom is None or chain is None or _says_all(parsed, chain[0]):
        return None
    steps, end = chain
    return replace(turn, text=turn.text.replace(whom[0], end)), steps[-1]


def _may_renew(subject: str, speaker: str, other: str) -> bool:
    """Whether the word of another may be news: not of what somebody says of themself."""
    return other == speaker or speaker.casefold() != subject.casefold()


def _is_told_anew(
    subject: str,
    at: float,
    value: str,
    parsed: ParsedQuestion,
    read: Sequence[spans.Candidate],
) -> bool:
    """Whether a later turn of whom it tells ends or corrects a value; of what was, none does."""
    asked, values = parsed.words - frozenset().union(*parsed.names), stems(value)
    return not parsed.past and any(
        one.item.at > at
        and (spans.about(stems(subject), one.item) or values & stems(one.item.text))
        and spans.tells_anew(one, values, asked)
        for one in read
    )


def _quoting(
    head: str,
    items: Sequence[ContextItem],
    best: ContextItem,
    support: float,
) -> Answer:
    """An answer that begins with `head` and quotes items, with the source of the best."""
    said = (f"{OPEN}{brief(item.text)}{CLOSE}" if head else brief(item.text) for item in items)
    quotes = " ".join(f"{one}{_mark(item)}" for one, item in zip(said, items, strict=True))
    return citing(f"{head}{quotes}{_source(best)}", items, support)


def _answer_about_person(
    question: Turn, items: Sequence[ContextItem], recall_again: RecallAgain
) -> Answer | None:
    """Answer "what is my name?" or "what do you know about Ana?"; None for any other question."""
    if topics.asks_own_name(question.text):
        found = topics.own_name(question, items)
        if found is None:
            return None
        name, shown = found
        return _quoting(f"{name} {DASH} ", [shown], shown, 1.0)
    whom = topics.about_whom(question, items)
    if whom and not stems(whom) & stems(f"{question.text} {question.speaker}"):
        held = {item.id for item in items}  # what was recalled is of "my brother", not of Rohan
        again = recall_again(f"What do you know about {whom}?")
        items = (*items, *(item for item in again if item.id not in held))
    known = topics.profile(whom, items) if whom else []
    if whom and len(known) < FEWEST_KNOWN:
        sure = [item for item in known if not item.tentative]
        said = {item.id for item in sure}
        turns = [item for item in topics.turns_about(whom, items) if item.within not in said]
        known = [*sure, *sorted(turns, key=lambda item: item.at)] or known
    if not known:
        return None
    text = " ".join(
        quote(item) if item.fact is None else f"{brief(item.text)}{_mark(item)}" for item in known
    )
    return citing(text, known, 1.0)


# Which memory answers.


def without_future(items: Sequence[ContextItem], at: float) -> list[ContextItem]:
    """Leave out a future fact where a current one of the same subject and relation holds.

    Who works at Lumen now and at Brightwater from June works at Lumen. `at`: now, seconds.
    """
    holds = {item.fact[:2] for item in items if item.fact and item.current and not _ahead(item, at)}
    return [i for i in items if i.fact is None or not _ahead(i, at) or i.fact[:2] not in holds]


def _ahead(item: ContextItem, at: float) -> bool:
    return item.valid_from is not None and item.valid_from > at > 0.0


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
        and cues.KIN_TERMS.get(item.fact[1], ("", ""))[1] == "pet"
        and (item.fact[2] in dead or f"{item.fact[0]}'s {item.fact[1]}" in dead)
        else item
        for item in items
    ]


def judge(
    question: ParsedQuestion, facts: Sequence[ContextItem]
) -> list[tuple[float, ContextItem]]:
    """The facts that answer with their support, best first; of equals what has the kind."""
    judged = [(support(question, item), item) for item in facts]
    good = [pair for pair in judged if pair[0] >= LEAST]
    return sorted(good, key=lambda pair: (-pair[0], -kind_share(question, pair[1])))


def _sure_only(judged: Sequence[tuple[float, ContextItem]]) -> list[tuple[float, ContextItem]]:
    """Leave out guesses where a sure fact of the same subject and relation answers as well.

    So is what others say where somebody's own word answers.
    """
    sure: dict[tuple[str, ...], int] = {}
    for _, item in judged:
        if item.fact is not None and item.current and not item.tentative:
            sure[item.fact[:2]] = max(sure.get(item.fact[:2], 0), item.grade)

    def stands(item: ContextItem) -> bool:
        if item.fact is None or item.fact[:2] not in sure:
            return True
        return not item.tentative and item.grade >= sure[item.fact[:2]]

    return [(strength, item) for strength, item in judged if stands(item)]


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
    held = list(kept.values())
    return sorted(held, key=lambda item: -item.at) if _one_valued(held, end) else held


def _one_valued(items: Sequence[ContextItem], end: str) -> bool:
    """Whether facts are what somebody told, one after another, of what has one value at a time."""
    known = canonical(items[0].fact[1]) if items[0].fact is not None else None
    if known is None or known.kinds or known.topics or known.answers == "person" or end != "object":
        return False
    return known.one and items[0].current and len({item.speaker for item in items}) == 1


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
    if _one_valued(items, fit.answer):  # the last stands; that two are held is shown
        items = [item for item in items if item.at == best.at]
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
    """Whether the ends of a fact may be places: "lives in", "went to", "plays for" a name."""
    _, relation, obj = item.fact or ("", "", "")
    known = canonical(relation)
    placing = relation.endswith(PLACING) or (relation.endswith(" for") and is_name(obj))
    return (known is not None and known.answers == "place") or placing


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
    relation = item.fact[1]
    if relation.startswith(NO_LONGER) or cues.NOT.search(relation):
        return True
    if relation in GIVEN_UP:
        return not content(relation) & question.words
    known = canonical(relation)
    opposite = known.opposite if known is not None else ""
    return opposite in question.relations and relation not in question.relations


def _when(item: ContextItem, end: str) -> str:
    """The day that a fact tells, or when it began."""
    _, relation, obj = item.fact or ("", "", "")
    known = canonical(relation)
    day = (known is not None and known.answers == "time") or cues.WEEKDAYS.match(obj) is not None
    if end == "object" and day:
        return _told(item, end)
    if spans_days(item):
        return f"{rendering.since(item.valid_from)} until {rendering.since(item.valid_to)}"
    return _since(item)


def _since(item: ContextItem) -> str:
    """When a fact began, as it was told: in a week, or on a day, were it the first of a month."""
    week = WEEK.search(item.text)
    if week is not None:
        return week[0]
    day = len(dict(item.qualifiers).get("when", "")) == len("2026-03-01")
    return rendering.date(item.valid_from or 0.0) if day else rendering.since(item.valid_from)


def _source(item: ContextItem, day: str = "") -> str:
    """Who said it, when, and what holds of it; `day`: what it tells of."""
    since = "" if item.fact is None else _since(item)
    said = rendering.date(item.at) if item.speaker or not since else ""  # nobody said it
    parts = [part for part in (item.speaker, said, f"since {since}" if since else "", day) if part]
    if not item.current:
        until = rendering.date(item.valid_to) if item.valid_to is not None else ""
        parts.append(f"until {until}" if until else "no longer true")
    return f" ({', '.join(parts)})" if parts else ""


def _mark(item: ContextItem) -> str:
    """What stands behind a quote: whether it is a guess or disputed, and its citation."""
    marks = [GUESS] * item.tentative + [DISPUTED] * item.disputed
    return f"{''.join(f' {mark}' for mark in marks)} [m{item.id}]"
