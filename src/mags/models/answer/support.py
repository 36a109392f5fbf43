"""How well a fact answers a question, and what of the kind asked for any memory has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from mags.models.answer import cues
from mags.models.answer.question import ParsedQuestion, Then, content, same_relation, type_of
from mags.models.policy.rules.tokens import stems
from mags.models.policy.rules.when import times
from mags.ports.answer import ContextItem
from mags.ports.policy import NO_LONGER
from mags.ports.relations import canonical, relations

LEAST = 0.6
"""Support from which a fact answers."""
CONTRARY_FACTOR = 0.5
"""What is left of the support of a fact that does not hold at the time asked about."""
WRONG_TIME_FACTOR = 0.8
ENDED_FACTOR = 0.95
"""What is over says no where it is asked whether it is; what still holds says yes before that."""
FEWEST_COMPARED = 12
HALF_LEAD = 2.0
DAY_S = 86_400
FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|me|us)\b", re.I)
NAMED = re.compile(r"(?<=[^\W_]\s)[^\W\d_a-z][\w'-]+")
ROLES = re.compile(
    r"\b(?:my|his|her|their|our|the) (?:\w+ )?(?:friend|sister|brother|mother|mom|mum|father|dad|"
    r"wife|husband|partner|boss|neighbou?r|colleague|aunt|uncle|cousin|son|daughter|teacher|doctor)",
    re.I,
)
ROLE_NAMES = ("", "user", "assistant", "system")
WHAT = frozenset({"is a", "works as"})
WHEN = "is happening on"
WHERE = ("is in", "is at", "is on", "is near")
NO_PLACE = (" as", " with", " by")
GIVEN_UP = ("stopped", "quit", "gave up")
"""Relations to what somebody no longer does."""
DENIES = ("does not ", "can not ", "is not ")
"""How relations begin that say what somebody does not do: no answer to what they do."""


def support(question: ParsedQuestion, item: ContextItem) -> float:
    """How well a fact answers, in [0, 1]: 0 where it is not what is asked for.

    It is where its relation and an end of it are asked for and every word and name of the question
    is in it. Less is left of what does not hold at the time asked about.
    """
    fit = slot(question, item)
    if item.fact is None or not (fit.answer or fit.whole):
        return 0.0
    said = type_of(item.fact[2], item.fact[1]) | content(item.fact[1])
    said |= _said(question, item.fact[1].removeprefix(NO_LONGER))
    said |= question.then.words if question.then is not None else frozenset()
    asked = question.words - frozenset().union(*question.names)
    if not asked <= content(item.text) | said or not _names_all(question, item):
        return 0.0
    if contrary(question, item) or (question.kind == "reason" and not kind_share(question, item)):
        return 0.0
    return _timely(question, item, whole=fit.whole)


def _said(question: ParsedQuestion, relation: str) -> frozenset[str]:
    """Stems by which a question asks for a relation or, to deny it, for its opposite."""
    known = canonical(relation)
    opposite = known.opposite if known is not None else ""
    return question.relations.get(relation, question.relations.get(opposite, frozenset()))


# How a fact fits a question.


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFit:
    """How a fact fits a question: which ends are named, and whether its relation is asked about."""

    subject: bool = False
    object: bool = False
    relation: bool = False

    @property
    def answer(self) -> str:
        """The end that answers: "object", "subject", or "" where neither or both were named."""
        if self.subject == self.object or not self.relation:
            return ""
        return "object" if self.subject else "subject"

    @property
    def whole(self) -> bool:
        """Everything in the fact was asked about, so it says yes."""
        return self.subject and self.object and self.relation


ALL = SlotFit(subject=True, object=True, relation=True)


def end_of(item: ContextItem, end: str) -> str:
    """The "object" or "subject" of an item's fact; "" without a fact."""
    return "" if item.fact is None else item.fact[2 if end == "object" else 0]


def slot(question: ParsedQuestion, item: ContextItem) -> SlotFit:
    """How the fact of an item fits the question; all False without a fact."""
    if item.fact is None:
        return SlotFit()
    subject, relation, obj = item.fact
    known = canonical(relation)
    doer = question.doer
    if doer and not doer <= stems(subject):
        given = doer <= stems(relation)  # who gave is asked about, not who was given to
        done_to = known is None and doer <= stems(obj) and content(relation) & question.words
        if given or done_to:
            return SlotFit()
    fit = SlotFit(
        subject=named(question, subject),
        object=named(question, obj),
        relation=_asked_relation(question, relation, subject, obj),
    )
    if question.origin and item.current and not (past(relation) or "from" in relation.split()):
        return SlotFit()  # where somebody is now is not where they came from
    if relation.startswith(NO_LONGER):
        # It says no where it is asked whether it is so, and what was where that is asked.
        whether = question.kind == "yesno" and fit.relation and (fit.subject or fit.object)
        return ALL if whether else fit if question.past else SlotFit()
    may_deny = question.kind == "yesno" or question.past or question.told
    day = relation == WHEN or cues.WEEKDAYS.match(obj) is not None
    if (relation.startswith(DENIES) and not may_deny) or (question.kind == "place" and day):
        return SlotFit()
    answers = known.answers if known is not None else ""
    if question.identity:
        what = fit.subject and relation in WHAT
        return replace(fit, relation=what or (fit.object and answers == "person"))
    turned = fit.answer and question.end and fit.answer != question.end
    if turned and not (known is not None and known.symmetric):
        return replace(fit, relation=False)  # "who does Alice like?" and Bob likes Alice
    return fit


def named(question: ParsedQuestion, end: str) -> bool:
    """Whether a question names this end of a fact."""
    words = content(end) or stems(end)
    known = frozenset().union(question.words, *question.names)
    if words and words <= known:
        return True
    owner, whose, thing = end.partition("'s ")
    if whose:  # "Ana's daughter" is not Ana
        return named(question, owner) and content(thing) <= known
    return any(name and name <= stems(end) for name in question.names)


def _asked_relation(question: ParsedQuestion, relation: str, subject: str, obj: str) -> bool:
    """The question names it, shares a word with it, or asks for nothing but what it answers."""
    relation = relation.removeprefix(NO_LONGER)
    asked = relation in question.relations or same_relation(relation) & question.relations.keys()
    if asked or content(relation) & question.words:
        return question.kind != "place" or not relation.endswith(NO_PLACE)
    known = canonical(relation)
    if question.kind == "yesno" and (
        not content(relation)
        or relation in GIVEN_UP
        or (known is not None and known.opposite in question.relations)
    ):
        return True  # "is", "has": what is asked for are the two ends
    if question.kind == "time" and not content(relation):
        return named(question, subject) and named(question, obj)  # "When am I on holiday?"
    rest = question.words - frozenset().union(*question.names)
    if relation == WHEN and rest and rest <= content(subject):
        return question.kind == "time"  # "When is Ana's appointment?"
    if relation in WHERE and rest:
        if question.kind == "place" and rest <= content(subject):
            return True  # "Where is Ana's office?"
        held = content(obj)
        return bool(rest & held) and rest <= content(subject) | held  # "Which floor is it on?"
    plain = known is not None and not rest and question.kind == "place"
    return plain and known is not None and known.answers == question.kind


# How much of a question a memory has.


def rarity_of(question: ParsedQuestion, items: Sequence[ContextItem]) -> dict[str, float]:
    """The weight of each content word of the question, by how few of the items have it."""
    held = [content(mentioned_text(item)) for item in items]
    count = max(len(items), FEWEST_COMPARED)
    return {
        word: log((count + 2) / (sum(word in words for words in held) + 1))
        for word in question.words
    }


def ahead_of(item: ContextItem, items: Sequence[ContextItem]) -> float:
    """The lead of one of some items over the rest, in [0, 1]: `HALF_LEAD` counts half."""
    if len(items) == 1:
        return 0.0
    rest = (sum(one.score for one in items) - item.score) / (len(items) - 1)
    lead = max(0.0, item.score - rest)
    return lead / (lead + HALF_LEAD)


def rare_share(item: ContextItem, rarity: Mapping[str, float]) -> float:
    """Share of the question's content words that a memory has, weighed by rarity.

    The mean of the share of the whole and that of the one sentence (no question) with most of
    them: words that stand far from each other rarely answer together.
    """
    whole = sum(rarity.values())
    if not whole:
        return 1.0
    told = [part for part in cues.BETWEEN.split(item.text) if part.strip()]
    told = [part for part in told if not part.rstrip().endswith("?")] or told
    parts = [content(mentioned_text(replace(item, text=part))) for part in told] or [frozenset()]
    shares = [sum(rarity[w] for w in rarity.keys() & words) / whole for words in parts]
    every = sum(rarity[w] for w in rarity.keys() & content(mentioned_text(item))) / whole
    return (every + max(shares)) / 2


def _names_all(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a fact has every name asked about."""
    held = stems(mentioned_text(item))
    return all(name <= held for name in question.names)


def kind_share(question: ParsedQuestion, item: ContextItem) -> float:
    """1 where the memory has something of the kind asked for, 0 where not, 0.5 unknown."""
    if question.kind in cues.CUES:
        return float(cues.CUES[question.kind].search(item.text) is not None)
    if question.kind == "person":
        asked = frozenset().union(*question.names)
        others = [name for name in NAMED.findall(item.text) if not stems(name) <= asked]
        own = item.fact is None and FIRST_PERSON.search(item.text)
        if item.speaker not in ROLE_NAMES and own:
            others.append(item.speaker)
        return float(bool(others) or ROLES.search(item.text) is not None)
    return 0.5


# What speaks against it: it is of something else, or does not hold at the time asked about.


def mentioned_text(item: ContextItem) -> str:
    """Everything a memory names: its words, the ends of its fact, and who speaks of themselves.

    Who only reports something of somebody else is not named by it.
    """
    own = item.fact is None and FIRST_PERSON.search(item.text)
    return " ".join((item.text, item.speaker if own else "", *(item.fact or ())))


def contrary(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a memory is of something else, however many words it shares with the question.

    Of another relative ("my son's birthday" and "my daughter's"), of another name ("the flight to
    Quito" and "to Lima"), of what somebody else said, of the opposite ("opens" and "closes"), or
    with nothing of what is asked for: no age, no name, no sum of money.
    """
    told = mentioned_text(item)
    return (
        of_others(question, item)
        or (question.cue is not None and question.cue.search(item.text) is None)
        or cues.opposed(question.words, content(told))
    )


def of_others(question: ParsedQuestion, item: ContextItem) -> bool:
    """Whether a memory is of another relative than the one asked about, or of whose it is not."""
    kin = cues.other_kin(question.kin, cues.kin_of(mentioned_text(item)))
    return kin or (item.fact is None and cues.of_another(question.own, item.text))


def _timely(question: ParsedQuestion, item: ContextItem, *, whole: bool) -> float:
    """1 for what holds at the time asked about, `CONTRARY_FACTOR` for what does not.

    `whole`: everything in its fact was asked about.
    """
    named = item.fact is not None and past(item.fact[1])
    over = not item.current or named
    if question.then is not None:
        return 1.0 if held_then(item, question.then) else CONTRARY_FACTOR
    if question.past:
        return 1.0 if over else CONTRARY_FACTOR
    if question.kind == "time" and spans_days(item):
        return 1.0  # "When am I on holiday?" asks for the days, whenever they are
    if not over or (question.told and named):
        return 1.0
    if whole and question.kind == "yesno" and not question.told:
        return ENDED_FACTOR
    return WRONG_TIME_FACTOR if question.told else CONTRARY_FACTOR


def past(relation: str) -> bool:
    """Whether a relation tells of what is over: "lived in"."""
    return any(one.past == relation for one in relations().values())


def held_then(item: ContextItem, then: Then) -> bool:
    """Whether a fact held at some moment of a time, as far as is known.

    What was said without a beginning counts from when it was said.
    """
    begun = item.at if item.valid_from is None else item.valid_from
    ended = item.valid_to if item.valid_to is not None else inf if item.current else begun
    return begun < then.until and ended > then.since


def spans_days(item: ContextItem) -> bool:
    """Whether something was told from one day to another: "on holiday from 7 to 11 April"."""
    since, until = item.valid_from, item.valid_to
    if item.fact is None:
        roles = [time.role for time in times(item.text, item.at, future=True)]
        return roles[:2] == ["since", "until"]
    if since is None or until is None or since >= until:
        return False
    return since % DAY_S == 0 and until % DAY_S == 0
